/** The route handlers of the chat. The page sends the whole conversation, so nothing is kept between a question and its answer. */
import type { Agent } from "pi-agent";
import { createMemoryEventStore } from "pi-agent/event-store";
import { fromUIMessages, publishUIMessages, type UIMessageChunk, uiMessageResponse } from "pi-agent/ui-stream";
import type { Message } from "pi-ai";
import { LatestRuns } from "./latest-runs.ts";

/** Handles a request of a visitor. */
type Handler = (request: Request, visitor: string) => Promise<Response>;

export type ChatRoute = Readonly<Record<"POST" | "GET" | "DELETE", Handler>>;

/** @param createAgent creates the agent of a chat, which has a name of its own for each visitor */
export function createChatRoute(createAgent: (chat: string, messages: Message[]) => Promise<Agent>): ChatRoute {
  const store = createMemoryEventStore<UIMessageChunk>();
  const runs = new LatestRuns(store);
  return {
    /** Begins a run, or continues the one whose approvals the page has answered. */
    async POST(request, visitor) {
      const { id, messages } = (await request.json().catch(() => undefined)) ?? {};
      if (typeof id !== "string" || !Array.isArray(messages)) return new Response("Send a chat", { status: 400 });
      const chat = `${visitor}/${id}`;
      const agent = await createAgent(chat, fromUIMessages(messages));
      const runId = crypto.randomUUID();
      await runs.begin(chat, runId);
      // The run is not tied to this request: it goes on when the page reloads.
      publishUIMessages(agent, store, runId, { run: () => agent.continue() }).catch(console.error);
      return uiMessageResponse({ store, runId }, { request });
    },
    /** `/api/chat/:id/stream`: the last run, from its beginning. */
    async GET(request, visitor) {
      const runId = runs.find(chatOf(request, visitor));
      return runId ? uiMessageResponse({ store, runId }, { request }) : new Response(null, { status: 204 });
    },
    /** `/api/chat/:id`: stops the run. */
    async DELETE(request, visitor) {
      await runs.stop(chatOf(request, visitor));
      return new Response(null, { status: 204 });
    },
  };
}

const chatOf = ({ url }: Request, visitor: string): string => `${visitor}/${new URL(url).pathname.split("/")[3]}`;
