/** A run for `useChat` in Next.js, with reloads and approvals: `app/api/chat/[[...path]]/route.ts`. */
import { Agent, defineTool } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { type ClosableEventStore, createMemoryEventStore, runsOf, stopRun } from "pi-agent/event-store";
import { fromUIMessages, publishUIMessages, type UIMessageChunk, uiMessageResponse } from "pi-agent/ui-stream";
import { getModel, Type } from "pi-ai";

declare global {
  var chatEvents: ClosableEventStore<UIMessageChunk> | undefined;
  var chatRuns: Map<string, string> | undefined;
}

// Next.js may load this module several times, so its state, the last run of each chat, is kept outside it.
globalThis.chatEvents ??= createMemoryEventStore<UIMessageChunk>();
globalThis.chatRuns ??= new Map<string, string>();
const store = globalThis.chatEvents;
const runs = globalThis.chatRuns;

const pay = defineTool({
  name: "pay",
  description: "Pays a sum",
  parameters: Type.Object({ euros: Type.Number() }),
  execute: async (_id, { euros }) => `Paid ${euros} euros (not really).`,
});

/**
 * The user whose token a request brings; undefined without one. Replace it with the sessions of your application. Here
 * `USER_TOKENS` has them, such as `{"a-long-random-token": "ada"}`.
 */
function findUser(authorization: string | null | undefined): string | undefined {
  const users: Record<string, string> = JSON.parse(process.env["USER_TOKENS"] ?? "{}");
  const [, token = ""] = /^Bearer (\S+)$/i.exec(authorization ?? "") ?? [];
  return Object.hasOwn(users, token) ? users[token] : undefined;
}

const logInFirst = (): Response => new Response("Log in first", { status: 401 });

/** `useChat` sends the whole conversation, also when the user has answered what the last run asked. */
export async function POST(request: Request): Promise<Response> {
  const user = findUser(request.headers.get("authorization"));
  if (user === undefined) return logInFirst();
  const { id, messages } = (await request.json().catch(() => undefined)) ?? {};
  if (typeof id !== "string" || !Array.isArray(messages)) return new Response("Send a chat", { status: 400 });
  const chat = nameOf(user, id);
  const agent = new Agent({
    sessionId: chat,
    initialState: {
      model: getModel("anthropic", "claude-sonnet-5-5"),
      messages: fromUIMessages(messages),
      tools: [pay],
    },
    middleware: [
      // The secret, at least 32 bytes, signs what the page is asked.
      approvals({
        when: ({ tool }) => tool.name === "pay",
        pause: true,
        secret: process.env["APPROVAL_SECRET"] ?? "",
      }),
    ],
    onNewMessage: "decline",
    maxTurns: 20,
  });
  const runId = crypto.randomUUID();
  remember(chat, runId);
  const own = runsOf(store, user);
  // The run is not tied to this request: it continues after the page was closed.
  publishUIMessages(agent, own, runId, { run: () => agent.continue() }).catch(console.error);
  return uiMessageResponse({ store: own, runId }, { request });
}

/** Two users may have a chat with the same id. */
const nameOf = (user: string, chat: string): string => JSON.stringify([user, chat]);

/** Keeps the newest chats only. With several web servers, a database holds this. */
function remember(chat: string, runId: string): void {
  runs.delete(chat);
  runs.set(chat, runId);
  const [oldest] = runs.keys();
  if (runs.size > 10_000 && oldest !== undefined) runs.delete(oldest);
}

interface Context {
  params: Promise<{ path?: string[] }>;
}

async function findRun(user: string, { params }: Context): Promise<string | undefined> {
  return runs.get(nameOf(user, (await params).path?.[0] ?? ""));
}

/** `/api/chat/:id/stream`: `useChat({ id, resume: true })` asks for it when the page opens. */
export async function GET(request: Request, context: Context): Promise<Response> {
  const user = findUser(request.headers.get("authorization"));
  if (user === undefined) return logInFirst();
  const runId = await findRun(user, context);
  if (runId === undefined) return new Response(null, { status: 204 });
  return uiMessageResponse({ store: runsOf(store, user), runId }, { request });
}

/** The page's stop button. `stop()` of `useChat` ends only the connection. */
export async function DELETE(request: Request, context: Context): Promise<Response> {
  const user = findUser(request.headers.get("authorization"));
  if (user === undefined) return logInFirst();
  const runId = await findRun(user, context);
  if (runId) await stopRun(runsOf(store, user), runId);
  return new Response(null, { status: 204 });
}
