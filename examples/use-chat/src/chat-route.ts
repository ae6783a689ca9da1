/** The route handlers of the chat. A chat has at most one run at a time; a new message stops the one before. */
import { type ClosableEventStore, stopRun } from "pi-agent/event-store";
import type { McpClient } from "pi-agent/mcp";
import { fromUIMessages, publishUIMessages, type UIMessageChunk, uiMessageResponse } from "pi-agent/ui-stream";
import type { Model } from "pi-ai";
import { createAgent } from "./agent.ts";

export interface ChatRouteOptions {
  model: Model;
  client: McpClient;
  store: ClosableEventStore<UIMessageChunk>;
}

/** A product stores this in its database: the messages of the page, and the run that continues them. */
interface Chat {
  messages: unknown[];
  runId: string;
}

export class ChatRoute {
  readonly #options: ChatRouteOptions;
  readonly #chats = new Map<string, Chat>();

  constructor(options: ChatRouteOptions) {
    this.#options = options;
  }

  /** Begins a run. */
  async POST(request: Request): Promise<Response> {
    const { model, client, store } = this.#options;
    const { id, messages } = (await request.json().catch(() => undefined)) ?? {};
    if (typeof id !== "string" || !Array.isArray(messages)) return new Response("Send a chat", { status: 400 });
    const history = fromUIMessages(messages);
    const prompt = history.pop();
    if (prompt?.role !== "user") return new Response("Send a message of a user", { status: 400 });
    const before = this.#chats.get(id);
    if (before) await stopRun(store, before.runId);
    const runId = crypto.randomUUID();
    this.#chats.set(id, { messages, runId });
    const agent = await createAgent(model, client, history);
    // The run is not tied to this request: it continues after the page was closed.
    publishUIMessages(agent, store, runId, { run: () => agent.prompt(prompt) }).catch(console.error);
    return uiMessageResponse({ store, runId }, { request });
  }

  /** `/api/chat/:id` are the messages, `/api/chat/:id/stream` is the run that continues them. */
  async GET(request: Request): Promise<Response> {
    const [id = "", part] = new URL(request.url).pathname.split("/").slice(3);
    const chat = this.#chats.get(id);
    if (part !== "stream") return Response.json(chat?.messages ?? []);
    const { store } = this.#options;
    return chat ? uiMessageResponse({ store, runId: chat.runId }, { request }) : new Response(null, { status: 204 });
  }

  /** Stops the run. */
  async DELETE(request: Request): Promise<Response> {
    const chat = this.#chats.get(new URL(request.url).pathname.split("/")[3] ?? "");
    if (chat) await stopRun(this.#options.store, chat.runId);
    return new Response(null, { status: 204 });
  }
}
