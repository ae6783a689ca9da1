/** A run for `useChat` in Next.js, which a page can resume after a reload: `app/api/chat/[[...path]]/route.ts`. */
import { Agent } from "pi-agent";
import { type ClosableEventStore, createMemoryEventStore, stopRun } from "pi-agent/event-store";
import { fromUIMessages, publishUIMessages, type UIMessageChunk, uiMessageResponse } from "pi-agent/ui-stream";
import { getModel } from "pi-ai";

declare global {
  var chatEvents: ClosableEventStore<UIMessageChunk> | undefined;
  var chatRuns: Map<string, string> | undefined;
}

// Next.js may load this module several times, so its state, the last run of each chat, is kept outside it.
globalThis.chatEvents ??= createMemoryEventStore<UIMessageChunk>();
globalThis.chatRuns ??= new Map<string, string>();
const store = globalThis.chatEvents;
const runs = globalThis.chatRuns;

/** `useChat` sends the whole conversation. Check here whether the user of the request owns the chat. */
export async function POST(request: Request): Promise<Response> {
  const { id, messages } = (await request.json().catch(() => undefined)) ?? {};
  const history = Array.isArray(messages) ? fromUIMessages(messages) : [];
  const prompt = history.pop();
  if (typeof id !== "string" || prompt?.role !== "user") return new Response("Send a message", { status: 400 });
  const model = getModel("anthropic", "claude-sonnet-4-6");
  const agent = new Agent({ initialState: { model, messages: history }, maxTurns: 20 });
  const runId = crypto.randomUUID();
  runs.set(id, runId);
  // The run is not tied to this request: it continues after the page was closed.
  publishUIMessages(agent, store, runId, { run: () => agent.prompt(prompt) }).catch(console.error);
  return uiMessageResponse({ store, runId }, { request });
}

interface Context {
  params: Promise<{ path?: string[] }>;
}

async function findRunId({ params }: Context): Promise<string | undefined> {
  return runs.get((await params).path?.[0] ?? "");
}

/** `/api/chat/:id/stream`: `useChat({ id, resume: true })` asks for it when the page opens. */
export async function GET(request: Request, context: Context): Promise<Response> {
  const runId = await findRunId(context);
  return runId ? uiMessageResponse({ store, runId }, { request }) : new Response(null, { status: 204 });
}

/** The page's stop button. `stop()` of `useChat` ends only the connection. */
export async function DELETE(_request: Request, context: Context): Promise<Response> {
  const runId = await findRunId(context);
  if (runId) await stopRun(store, runId);
  return new Response(null, { status: 204 });
}
