/** A page stops a run, queues a message, steers, and reconnects after a reload: handlers for any server with Request and Response. */
import { Agent } from "pi-agent";
import { createMemoryEventStore } from "pi-agent/event-store";
import { fromUIMessages, publishUIMessages, type UIMessageChunk, uiMessageResponse } from "pi-agent/ui-stream";
import { getModel } from "pi-ai";

/** The chats of this process. With several, send all requests of a chat to the same one. */
const chats = new Map<string, Chat>();
const store = createMemoryEventStore<UIMessageChunk>();

interface Chat {
  agent: Agent;
  /** The id of its last run in the store. */
  runId: string | undefined;
}

function openChat(id: string): Chat {
  const model = getModel("anthropic", "claude-sonnet-5-5");
  const chat = chats.get(id) ?? { agent: new Agent({ initialState: { model } }), runId: undefined };
  chats.set(id, chat);
  return chat;
}

/** `POST /chat` with `{ id, messages }` starts a run. While one is under way, the message is queued, or steers it. */
export async function POST(request: Request): Promise<Response> {
  const { id, messages, mode } = (await request.json().catch(() => undefined)) ?? {};
  if (typeof id !== "string" || !Array.isArray(messages)) return new Response("Send a chat", { status: 400 });
  // The conversation is the agent's. Only what the user has just written comes from the page.
  const [message] = fromUIMessages(messages.slice(-1));
  if (message?.role !== "user") return new Response("Send a message", { status: 400 });
  const chat = openChat(id);
  const { agent } = chat;
  if (agent.state.isStreaming) {
    agent.send(message, { whileRunning: mode === "steer" ? "steer" : "followUp" });
    // The page reads on where it is: the message arrives there when the model gets it.
    return new Response(null, { status: 202 });
  }
  const runId = crypto.randomUUID();
  chat.runId = runId;
  publishUIMessages(agent, store, runId, { run: () => agent.send(message).done }).catch(console.error);
  return uiMessageResponse({ store, runId }, { request });
}

/** `GET /chat/:id/stream`: the last run, from its beginning. `useChat({ id, resume: true })` asks for it when the page opens. */
export async function GET(request: Request, id: string): Promise<Response> {
  const runId = chats.get(id)?.runId;
  return runId ? uiMessageResponse({ store, runId }, { request }) : new Response(null, { status: 204 });
}

/** `DELETE /chat/:id` stops the run. Messages that are queued stay queued for the next one. */
export async function DELETE(id: string): Promise<Response> {
  chats.get(id)?.agent.abort();
  return new Response(null, { status: 204 });
}
