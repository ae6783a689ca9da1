/** An agent in a Next.js route handler: save it as `app/api/chat/route.ts`. */
import { Agent } from "pi-agent";
import { getModel } from "pi-ai";

// Lets the function run for a minute, because runs take long; the platform may set a lower limit.
export const maxDuration = 60;

export async function POST(request: Request): Promise<Response> {
  const body: { prompt?: unknown } = (await request.json().catch(() => undefined)) ?? {};
  const { prompt } = body;
  if (typeof prompt !== "string")
    return Response.json({ error: 'Send a JSON object with a "prompt".' }, { status: 400 });
  const agent = new Agent({ initialState: { model: getModel("anthropic", "claude-sonnet-5-5") }, maxTurns: 20 });
  const encoder = new TextEncoder();
  const events = new ReadableStream<Uint8Array>({
    async start(controller) {
      const send = (data: object): void => controller.enqueue(encoder.encode(`data: ${JSON.stringify(data)}\n\n`));
      agent.subscribe((event) => {
        if (request.signal.aborted) return;
        if (event.type === "tool_execution_start") send({ tool: event.toolName });
        if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta")
          send({ text: event.assistantMessageEvent.delta });
      });
      // If the client disconnects, stop the run, so that it costs nothing more.
      request.signal.addEventListener("abort", () => agent.abort());
      await agent.prompt(prompt);
      if (request.signal.aborted) return;
      if (agent.state.errorMessage) console.error(agent.state.errorMessage);
      send(agent.state.errorMessage ? { error: "The model did not respond." } : { done: true });
      controller.close();
    },
    cancel: () => agent.abort(),
  });
  return new Response(events, { headers: { "content-type": "text/event-stream", "cache-control": "no-cache" } });
}
