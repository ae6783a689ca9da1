/** Runs that a page can resume after a reload, behind Hono: `POST`, `GET` and `DELETE` of `/runs`. */
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { Agent } from "pi-agent";
import { createMemoryEventStore, publish, type RunEvent, stopRun } from "pi-agent/event-store";
import { createRunResponse } from "pi-agent/sse";
import { getModel } from "pi-ai";

const app = new Hono();
const store = createMemoryEventStore<RunEvent>();

app.post("/runs", async (context) => {
  const body = await context.req.json<{ prompt?: unknown }>().catch(() => undefined);
  const prompt = body?.prompt;
  if (typeof prompt !== "string") return context.json({ error: 'Send a JSON object with a "prompt".' }, 400);
  const runId = crypto.randomUUID();
  const model = getModel("anthropic", "claude-sonnet-4-6");
  const agent = new Agent({ initialState: { model }, maxTurns: 20, middleware: [publish(store, runId)] });
  // The run is not tied to this request: it continues after the page was closed.
  agent.prompt(prompt).catch(console.error);
  return context.json({ runId }, 201);
});

// Check in both whether the user of the request may read and stop this run.
app.get("/runs/:id", (context) => createRunResponse(store, context.req.param("id"), { request: context.req.raw }));
app.delete("/runs/:id", async (context) => {
  await stopRun(store, context.req.param("id"));
  return context.body(null, 204);
});

serve({ fetch: app.fetch, port: Number(process.env["PORT"] ?? 3000) }, ({ port }) => {
  console.log(`http://localhost:${port}`);
});
