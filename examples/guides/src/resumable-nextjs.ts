/** Runs that a page can resume after a reload, in Next.js: the file `app/api/runs/[[...id]]/route.ts`. */
import { Agent } from "pi-agent";
import { type ClosableEventStore, createMemoryEventStore, publish, type RunEvent, stopRun } from "pi-agent/event-store";
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

/** The run that a path names. Check here whether the user of the request may read and stop it. */
async function findRunId({ params }: Context): Promise<string> {
  return (await params).id?.[0] ?? "none";
}

export async function POST(request: Request): Promise<Response> {
  const body = await request.json().catch(() => undefined);
  if (typeof body?.prompt !== "string") return Response.json({ error: 'Send "prompt".' }, { status: 400 });
  const runId = crypto.randomUUID();
  const model = getModel("anthropic", "claude-sonnet-4-6");
  const agent = new Agent({ initialState: { model }, maxTurns: 20, middleware: [publish(store, runId)] });
  // The run is not tied to this request: it continues after the page was closed.
  agent.prompt(body.prompt).catch(console.error);
  return Response.json({ runId }, { status: 201 });
}

export async function GET(request: Request, context: Context): Promise<Response> {
  return createRunResponse(store, await findRunId(context), { request });
}

export async function DELETE(_request: Request, context: Context): Promise<Response> {
  await stopRun(store, await findRunId(context));
  return new Response(null, { status: 204 });
}
