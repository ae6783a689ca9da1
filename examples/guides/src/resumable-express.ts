/** Runs that a page can resume after a reload, behind Express: `POST`, `GET` and `DELETE` of `/runs`. */
import express from "express";
import { Agent } from "pi-agent";
import { createMemoryEventStore, publish, type RunEvent, stopRun } from "pi-agent/event-store";
import { createRunResponse } from "pi-agent/sse";
import { getModel } from "pi-ai";
import { toNodeListener } from "pi-ai/proxy-server";

const app = express();
const store = createMemoryEventStore<RunEvent>();

app.post("/runs", express.json({ limit: "1mb" }), (request, response) => {
  const prompt: unknown = request.body?.prompt;
  if (typeof prompt !== "string") {
    response.status(400).json({ error: 'Send a JSON object with a "prompt".' });
    return;
  }
  const runId = crypto.randomUUID();
  const model = getModel("anthropic", "claude-sonnet-4-6");
  const agent = new Agent({ initialState: { model }, maxTurns: 20, middleware: [publish(store, runId)] });
  // The run is not tied to this request: it continues after the page was closed.
  agent.prompt(prompt).catch(console.error);
  response.status(201).json({ runId });
});

// Check in both whether the user of the request may read and stop this run.
app.get("/runs/:id", (request, response) => {
  toNodeListener((page) => createRunResponse(store, request.params.id, { request: page }))(request, response);
});
app.delete("/runs/:id", async (request, response) => {
  await stopRun(store, request.params.id);
  response.status(204).end();
});

const server = app.listen(Number(process.env["PORT"] ?? 3000), () => {
  const address = server.address();
  if (address !== null && typeof address === "object") console.log(`http://localhost:${address.port}`);
});
