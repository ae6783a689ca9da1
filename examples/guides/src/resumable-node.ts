/**
 * Runs that a page can resume after a reload, with Node alone: `POST /runs` begins one, `GET /runs/<id>` reads it, and
 * `DELETE /runs/<id>` stops it.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent } from "pi-agent";
import { createMemoryEventStore, publish, type RunEvent, stopRun } from "pi-agent/event-store";
import { createRunResponse } from "pi-agent/sse";
import { getModel } from "pi-ai";
import { toNodeListener } from "pi-ai/proxy-server";

const store = createMemoryEventStore<RunEvent>();

function startRun(prompt: string): string {
  const runId = crypto.randomUUID();
  const model = getModel("anthropic", "claude-sonnet-4-6");
  const agent = new Agent({ initialState: { model }, maxTurns: 20, middleware: [publish(store, runId)] });
  // The run is not tied to this request: it continues after the page was closed.
  agent.prompt(prompt).catch(console.error);
  return runId;
}

async function respond(request: Request): Promise<Response> {
  const [path, runId] = /^\/runs(?:\/([\w-]+))?$/.exec(new URL(request.url).pathname) ?? [];
  if (path === undefined) return new Response("Not found", { status: 404 });
  if (runId === undefined) {
    const body = await request.json().catch(() => undefined);
    if (typeof body?.prompt !== "string") return Response.json({ error: 'Send "prompt".' }, { status: 400 });
    return Response.json({ runId: startRun(body.prompt) }, { status: 201 });
  }
  // Check here whether the user of this request may read and stop this run.
  if (request.method !== "DELETE") return createRunResponse(store, runId, { request });
  await stopRun(store, runId);
  return new Response(null, { status: 204 });
}

const server = createServer(toNodeListener(respond));
server.listen(Number(process.env["PORT"] ?? 3000), () => {
  const { port } = server.address() as AddressInfo; // it listens on a port
  console.log(`http://localhost:${port}`);
});
