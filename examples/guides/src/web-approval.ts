/** Asks the user of a page before a tool runs. The server keeps nothing between the question and the answer. */
import { Agent, defineTool } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { fromUIMessages, uiMessageResponse } from "pi-agent/ui-stream";
import { getModel, Type } from "pi-ai";

const pay = defineTool({
  name: "pay",
  description: "Pays a sum",
  parameters: Type.Object({ euros: Type.Number() }),
  execute: async (_id, { euros }) => `Paid ${euros} euros (not really).`,
});

// At least 32 bytes, the same on all servers.
const secret = process.env["APPROVAL_SECRET"] ?? "";

/**
 * `app/api/chat/route.ts`, or the handler of any other server. Check here whether the user may use the chat, and approve; answer 400
 * where `fromUIMessages` throws.
 */
export async function POST(request: Request): Promise<Response> {
  const { id, messages } = await request.json();
  const model = getModel("anthropic", "claude-sonnet-5-5");
  const agent = new Agent({
    sessionId: String(id),
    initialState: { model, messages: fromUIMessages(messages), tools: [pay] },
    middleware: [approvals({ when: ({ tool }) => tool.name === "pay", pause: true, secret })],
    onNewMessage: "decline",
    maxTurns: 20,
  });
  return uiMessageResponse(agent, { request, run: () => agent.continue() });
}
