/** An agent in Bun: `POST /chat` responds to `useChat` of the AI SDK. */
import { Agent } from "pi-agent";
import { fromUIMessages, uiMessageResponse } from "pi-agent/ui-stream";
import { getModel } from "pi-ai";

export default {
  async fetch(request: Request): Promise<Response> {
    if (request.method !== "POST" || new URL(request.url).pathname !== "/chat")
      return new Response("Not found", { status: 404 });
    const { messages }: { messages?: unknown } = (await request.json().catch(() => undefined)) ?? {};
    if (!Array.isArray(messages)) return new Response("Send messages", { status: 400 });
    const agent = new Agent({
      initialState: { model: getModel("anthropic", "claude-sonnet-5-5"), messages: fromUIMessages(messages) },
      maxTurns: 20,
    });
    // If the client disconnects, the run stops, so that it costs nothing more.
    return uiMessageResponse(agent, { request, run: () => agent.continue() });
  },
};
