/** The route handlers of the chat. A chat has at most one run at a time; a new message stops the one before. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Agent } from "pi-agent";
import { answerApproval, type SessionSteps, sessionSteps } from "pi-agent/durable/session";
import { type ClosableEventStore, runsOf, stopRun } from "pi-agent/event-store";
import type { McpClient } from "pi-agent/mcp";
import {
  fromUIMessages,
  publishUIMessages,
  readUIApprovals,
  type UIMessageChunk,
  uiMessageResponse,
} from "pi-agent/ui-stream";
import type { Model } from "pi-ai";
import { createAgent } from "./agent.ts";

export interface ChatRouteOptions {
  model: Model;
  client: McpClient;
  store: ClosableEventStore<UIMessageChunk>;
  /** Where the steps of the runs are kept. */
  folder: string;
  onPay: (euros: number) => void;
}

/** A product stores this in its database: the messages of the page, and the stream that continues them. */
interface Chat {
  messages: unknown[];
  streamId: string;
}

/** The visitor that the server has named in a cookie. A product has users and sessions. */
function findVisitor(request: Request): string | undefined {
  return /(?:^|; )visitor=([0-9a-f-]{36})(?:;|$)/.exec(request.headers.get("cookie") ?? "")?.[1];
}

const openPageFirst = (): Response => new Response("Open the page first", { status: 401 });

/** Two visitors may have a chat with the same id. */
const nameOf = (visitor: string, chat: string): string => `${visitor} ${chat}`;

/** The number of chats that are kept. */
const MAX_CHATS = 1000;
const RUN_ID = /^[0-9a-f-]{36}$/;

export class ChatRoute {
  readonly #options: ChatRouteOptions;
  readonly #chats = new Map<string, Chat>();

  constructor(options: ChatRouteOptions) {
    this.#options = options;
  }

  /** Begins a run, or continues the one whose approvals the page has answered. */
  async POST(request: Request): Promise<Response> {
    const visitor = findVisitor(request);
    if (visitor === undefined) return openPageFirst();
    const { id, messages } = (await request.json().catch(() => undefined)) ?? {};
    if (typeof id !== "string" || !Array.isArray(messages)) return new Response("Send a chat", { status: 400 });
    const asked = messages.findLastIndex((message) => message?.role === "user");
    const history = fromUIMessages(messages.slice(0, Math.max(asked, 0)));
    const [prompt] = fromUIMessages(messages.slice(asked));
    if (prompt?.role !== "user") return new Response("Send a message of a user", { status: 400 });
    const answers = readUIApprovals(messages);
    // The page's message of a run has the id of the run, so an answer finds it, even after a restart.
    const runId = answers.length > 0 ? String(messages.at(-1).id) : crypto.randomUUID();
    if (!RUN_ID.test(runId)) return new Response("This is no message of a run", { status: 400 });

    const { store: all, folder, ...parts } = this.#options;
    // Both ids come from the page, so they count among those of the visitor only.
    const store = runsOf(all, visitor);
    const file = join(folder, `${visitor}-${runId}.jsonl`);
    try {
      for (const answer of answers) await answerApproval(file, answer.name, answer);
    } catch {
      return new Response("The run is over", { status: 409 });
    }
    const streamId = crypto.randomUUID();
    const before = this.#remember(nameOf(visitor, id), { messages, streamId });
    if (before) await stopRun(store, before.streamId);
    const steps = await sessionSteps(file);
    const agent = await createAgent({ ...parts, steps }, history);
    // The run is not tied to this request: it continues after the page was closed.
    publishUIMessages(agent, store, streamId, { messageId: runId, answers, run: () => agent.prompt(prompt) })
      .finally(() => leave(agent, steps, file))
      .catch(console.error);
    return uiMessageResponse({ store, runId: streamId }, { request });
  }

  /** `/api/chat/:id` are the messages, `/api/chat/:id/stream` is the run that continues them. */
  async GET(request: Request): Promise<Response> {
    const visitor = findVisitor(request);
    if (visitor === undefined) return openPageFirst();
    const [id = "", part] = new URL(request.url).pathname.split("/").slice(3);
    const chat = this.#chats.get(nameOf(visitor, id));
    if (part !== "stream") return Response.json(chat?.messages ?? []);
    const store = runsOf(this.#options.store, visitor);
    return chat ? uiMessageResponse({ store, runId: chat.streamId }, { request }) : new Response(null, { status: 204 });
  }

  /** Stops the run. */
  async DELETE(request: Request): Promise<Response> {
    const visitor = findVisitor(request);
    if (visitor === undefined) return openPageFirst();
    const chat = this.#chats.get(nameOf(visitor, new URL(request.url).pathname.split("/")[3] ?? ""));
    if (chat) await stopRun(runsOf(this.#options.store, visitor), chat.streamId);
    return new Response(null, { status: 204 });
  }

  /** Returns what was known of the chat, and forgets the oldest chat. */
  #remember(id: string, chat: Chat): Chat | undefined {
    const before = this.#chats.get(id);
    this.#chats.delete(id);
    this.#chats.set(id, chat);
    const [oldest] = this.#chats.keys();
    if (this.#chats.size > MAX_CHATS && oldest !== undefined) this.#chats.delete(oldest);
    return before;
  }
}

/** A run that waits for an answer ends in this process. The request that brings the answer continues it. */
async function leave(agent: Agent, steps: SessionSteps, file: string): Promise<void> {
  const isWaiting = agent.state.pendingApprovals.length > 0;
  await steps.close();
  if (!isWaiting) await Promise.all([file, `${file}.answers`].map((path) => rm(path, { force: true })));
}
