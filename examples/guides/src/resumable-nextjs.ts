/** Runs that a page can resume after a reload, in Next.js: the file `app/api/runs/[[...id]]/route.ts`. */
import { Agent } from "pi-agent";
import {
  type ClosableEventStore,
  createMemoryEventStore,
  type EventStore,
  publish,
  type RunEvent,
  runsOf,
  stopRun,
} from "pi-agent/event-store";
import { createRunResponse } from "pi-agent/sse";
import { getModel } from "pi-ai";

declare global {
  var runEvents: ClosableEventStore<RunEvent> | undefined;
}

// Next.js may load this module several times, so the store is kept outside it.
globalThis.runEvents ??= createMemoryEventStore<RunEvent>();
const store = globalThis.runEvents;

interface Context {
  params: Promise<{ id?: string[] }>;
}

/**
 * The user whose token a request brings; undefined without one. Replace it with the sessions of your application. Here
 * `USER_TOKENS` has them, such as `{"a-long-random-token": "ada"}`.
 */
function findUser(authorization: string | null | undefined): string | undefined {
  const users: Record<string, string> = JSON.parse(process.env["USER_TOKENS"] ?? "{}");
  const [, token = ""] = /^Bearer (\S+)$/i.exec(authorization ?? "") ?? [];
  return Object.hasOwn(users, token) ? users[token] : undefined;
}

/** The runs of the user of a request; undefined without a user. To another user, they do not exist. */
function findRuns(request: Request): EventStore<RunEvent> | undefined {
  const user = findUser(request.headers.get("authorization"));
  return user === undefined ? undefined : runsOf(store, user);
}

const logInFirst = (): Response => new Response("Log in first", { status: 401 });

/** The run that a path names. */
async function findRunId({ params }: Context): Promise<string> {
  return (await params).id?.[0] ?? "none";
}

export async function POST(request: Request): Promise<Response> {
  const runs = findRuns(request);
  if (!runs) return logInFirst();
  const body = await request.json().catch(() => undefined);
  if (typeof body?.prompt !== "string") return Response.json({ error: 'Send "prompt".' }, { status: 400 });
  const runId = crypto.randomUUID();
  const model = getModel("anthropic", "claude-sonnet-5-5");
  const agent = new Agent({ initialState: { model }, maxTurns: 20, middleware: [publish(runs, runId)] });
  // The run is not tied to this request: it continues after the page was closed.
  agent.prompt(body.prompt).catch(console.error);
  return Response.json({ runId }, { status: 201 });
}

export async function GET(request: Request, context: Context): Promise<Response> {
  const runs = findRuns(request);
  return runs ? createRunResponse(runs, await findRunId(context), { request }) : logInFirst();
}

export async function DELETE(request: Request, context: Context): Promise<Response> {
  const runs = findRuns(request);
  if (!runs) return logInFirst();
  await stopRun(runs, await findRunId(context));
  return new Response(null, { status: 204 });
}
