/** An agent for clients of AG-UI, as a handler of web requests: for Next.js, Hono, Bun, Deno and Workers. */
import { Agent } from "pi-agent";
import { agUiResponse, fromAgUiMessages } from "pi-agent/ag-ui";
import { getModel } from "pi-ai";

export async function POST(request: Request): Promise<Response> {
  const { threadId, runId, messages } = (await request.json().catch(() => undefined)) ?? {};
  const history = Array.isArray(messages) ? fromAgUiMessages(messages) : [];
  const prompt = history.pop();
  if (typeof threadId !== "string" || typeof runId !== "string" || prompt?.role !== "user")
    return new Response("Send a run of AG-UI", { status: 400 });
  const model = getModel("anthropic", "claude-sonnet-5-5");
  const agent = new Agent({ initialState: { model, messages: history }, maxTurns: 20 });
  return agUiResponse(agent, { request, threadId, runId, run: () => agent.prompt(prompt) });
}
