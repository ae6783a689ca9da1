/**
 * Runs that a page can resume after a reload, with Node alone: `POST /runs` begins one, `GET /runs/<id>` reads it, and
 * `DELETE /runs/<id>` stops it.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent } from "pi-agent";
import { createMemoryEventStore, publish, type RunEvent, runsOf, stopRun } from "pi-agent/event-store";
import { createRunResponse } from "pi-agent/sse";
import { getModel } from "pi-ai";
import { toNodeListener } from "pi-ai/proxy-server";

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

function startRun(user: string, prompt: string): string {
  const runId = crypto.randomUUID();
  const model = getModel("anthropic", "claude-sonnet-5-5");
  const agent = new Agent({ initialState: { model }, maxTurns: 20, middleware: [publish(runsOf(store, user), runId)] });
  // The run is not tied to this request: it continues after the page was closed.
  agent.prompt(prompt).catch(console.error);
  return runId;
}

async function respond(request: Request): Promise<Response> {
  const [path, runId] = /^\/runs(?:\/([\w-]+))?$/.exec(new URL(request.url).pathname) ?? [];
  if (path === undefined) return new Response("Not found", { status: 404 });
  const user = findUser(request.headers.get("authorization"));
  if (user === undefined) return new Response("Log in first", { status: 401 });
  if (runId === undefined) {
    const body = await request.json().catch(() => undefined);
    if (typeof body?.prompt !== "string") return Response.json({ error: 'Send "prompt".' }, { status: 400 });
    return Response.json({ runId: startRun(user, body.prompt) }, { status: 201 });
  }
  // To another user, a run does not exist.
  const runs = runsOf(store, user);
  if (request.method !== "DELETE") return createRunResponse(runs, runId, { request });
  await stopRun(runs, runId);
  return new Response(null, { status: 204 });
}

const server = createServer(toNodeListener(respond));
server.listen(Number(process.env["PORT"] ?? 3000), () => {
  const { port } = server.address() as AddressInfo; // it listens on a port
  console.log(`http://localhost:${port}`);
});
