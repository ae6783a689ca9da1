/** An agent in SvelteKit, for `useChat` of the AI SDK: save it as `src/routes/chat/+server.ts`. */
import { Agent } from "pi-agent";
import { fromUIMessages, uiMessageResponse } from "pi-agent/ui-stream";
import { getModel } from "pi-ai";

export async function POST({ request }: { request: Request }): Promise<Response> {
  const { messages }: { messages?: unknown } = (await request.json().catch(() => undefined)) ?? {};
  if (!Array.isArray(messages)) return new Response("Send messages", { status: 400 });
  const agent = new Agent({
    initialState: { model: getModel("anthropic", "claude-sonnet-5-5"), messages: fromUIMessages(messages) },
    maxTurns: 20,
  });
  // If the client disconnects, the run stops, so that it costs nothing more.
  return uiMessageResponse(agent, { request, run: () => agent.continue() });
}
