/** Runs that a page can resume after a reload, behind Hono: `POST`, `GET` and `DELETE` of `/runs`. */
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { Agent } from "pi-agent";
import { createMemoryEventStore, type EventStore, publish, type RunEvent, runsOf, stopRun } from "pi-agent/event-store";
import { createRunResponse } from "pi-agent/sse";
import { getModel } from "pi-ai";

const app = new Hono<{ Variables: { runs: EventStore<RunEvent> } }>();
const store = createMemoryEventStore<RunEvent>();

/**
 * The user whose token a request brings; undefined without one. Replace it with the sessions of your application. Here
 * `USER_TOKENS` has them, such as `{"a-long-random-token": "ada"}`.
 */
function findUser(authorization: string | null | undefined): string | undefined {
  const users: Record<string, string> = JSON.parse(process.env["USER_TOKENS"] ?? "{}");
  const [, token = ""] = /^Bearer (\S+)$/i.exec(authorization ?? "") ?? [];
  return Object.hasOwn(users, token) ? users[token] : undefined;
}

app.use("/runs/*", async (context, next) => {
  const user = findUser(context.req.header("authorization"));
  if (user === undefined) return context.json({ error: "Log in first." }, 401);
  // The runs of this user. To another user, they do not exist.
  context.set("runs", runsOf(store, user));
  return next();
});

app.post("/runs", async (context) => {
  const body = await context.req.json<{ prompt?: unknown }>().catch(() => undefined);
  const prompt = body?.prompt;
  if (typeof prompt !== "string") return context.json({ error: 'Send a JSON object with a "prompt".' }, 400);
  const runId = crypto.randomUUID();
  const model = getModel("anthropic", "claude-sonnet-5-5");
  const agent = new Agent({ initialState: { model }, maxTurns: 20, middleware: [publish(context.get("runs"), runId)] });
  // The run is not tied to this request: it continues after the page was closed.
  agent.prompt(prompt).catch(console.error);
  return context.json({ runId }, 201);
});

app.get("/runs/:id", (context) =>
  createRunResponse(context.get("runs"), context.req.param("id"), { request: context.req.raw }),
);
app.delete("/runs/:id", async (context) => {
  await stopRun(context.get("runs"), context.req.param("id"));
  return context.body(null, 204);
});

serve({ fetch: app.fetch, port: Number(process.env["PORT"] ?? 3000) }, ({ port }) => {
  console.log(`http://localhost:${port}`);
});
