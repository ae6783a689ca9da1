/** A run for `useChat` in Next.js, with reloads and approvals: `app/api/chat/[[...path]]/route.ts`. */
import { mkdir, rm } from "node:fs/promises";
import { Agent, defineTool } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { durable } from "pi-agent/durable";
import { answerApproval, sessionSteps } from "pi-agent/durable/session";
import { type ClosableEventStore, createMemoryEventStore, runsOf, stopRun } from "pi-agent/event-store";
import {
  fromUIMessages,
  publishUIMessages,
  readUIApprovals,
  type UIMessageChunk,
  uiMessageResponse,
} from "pi-agent/ui-stream";
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

const RUN_ID = /^[0-9a-f-]{36}$/;

const pay = defineTool({
  name: "pay",
  description: "Pays a sum",
  parameters: Type.Object({ euros: Type.Number() }),
  replay: "never",
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

/** `useChat` sends the whole conversation. The ids in it come from the page, so they count among those of the user only. */
export async function POST(request: Request): Promise<Response> {
  const user = findUser(request.headers.get("authorization"));
  if (user === undefined) return logInFirst();
  const { id, messages } = (await request.json().catch(() => undefined)) ?? {};
  if (typeof id !== "string" || !Array.isArray(messages)) return new Response("Send a chat", { status: 400 });
  const asked = messages.findLastIndex((message) => message?.role === "user");
  const history = fromUIMessages(messages.slice(0, Math.max(asked, 0)));
  const [prompt] = fromUIMessages(messages.slice(asked));
  if (prompt?.role !== "user") return new Response("Send a message", { status: 400 });
  const answers = readUIApprovals(messages);
  // The page's message of a run has the id of the run, so an answer finds it, even after a restart of the server.
  const runId = answers.length > 0 ? String(messages.at(-1).id) : crypto.randomUUID();
  if (!RUN_ID.test(runId)) return new Response("This is no message of a run", { status: 400 });

  await mkdir("runs", { recursive: true });
  const file = `runs/${encodeURIComponent(user)}-${runId}.jsonl`;
  try {
    for (const answer of answers) await answerApproval(file, answer.name, answer);
  } catch {
    return new Response("The run is over", { status: 409 });
  }
  const engine = await sessionSteps(file);
  const model = getModel("anthropic", "claude-sonnet-5-5");
  const agent = new Agent({
    steps: durable(engine),
    initialState: { model, messages: history, tools: [pay] },
    middleware: [approvals({ when: ({ tool }) => tool.name === "pay" })],
    maxTurns: 20,
  });

  const streamId = crypto.randomUUID();
  remember(nameOf(user, id), streamId);
  const own = runsOf(store, user);
  // The run is not tied to this request: it continues after the page was closed.
  publishUIMessages(agent, own, streamId, { messageId: runId, answers, run: () => agent.prompt(prompt) })
    .finally(async () => {
      const isWaiting = agent.state.pendingApprovals.length > 0;
      // A run that waits for an answer ends here. The request that brings the answer continues it.
      await engine.close();
      if (!isWaiting) await Promise.all([file, `${file}.answers`].map((path) => rm(path, { force: true })));
    })
    .catch(console.error);
  return uiMessageResponse({ store: own, runId: streamId }, { request });
}

/** Two users may have a chat with the same id. */
const nameOf = (user: string, chat: string): string => JSON.stringify([user, chat]);

/** Keeps the newest chats only. With several web servers, a database holds this. */
function remember(chat: string, streamId: string): void {
  runs.delete(chat);
  runs.set(chat, streamId);
  const [oldest] = runs.keys();
  if (runs.size > 10_000 && oldest !== undefined) runs.delete(oldest);
}

interface Context {
  params: Promise<{ path?: string[] }>;
}

async function findStream(user: string, { params }: Context): Promise<string | undefined> {
  return runs.get(nameOf(user, (await params).path?.[0] ?? ""));
}

/** `/api/chat/:id/stream`: `useChat({ id, resume: true })` asks for it when the page opens. */
export async function GET(request: Request, context: Context): Promise<Response> {
  const user = findUser(request.headers.get("authorization"));
  if (user === undefined) return logInFirst();
  const runId = await findStream(user, context);
  if (runId === undefined) return new Response(null, { status: 204 });
  return uiMessageResponse({ store: runsOf(store, user), runId }, { request });
}

/** The page's stop button. `stop()` of `useChat` ends only the connection. */
export async function DELETE(request: Request, context: Context): Promise<Response> {
  const user = findUser(request.headers.get("authorization"));
  if (user === undefined) return logInFirst();
  const runId = await findStream(user, context);
  if (runId) await stopRun(runsOf(store, user), runId);
  return new Response(null, { status: 204 });
}
