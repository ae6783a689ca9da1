/** An agent behind Hono: `POST /chat` streams the reply as server-sent events. Runs on Node, Bun, Deno and Workers. */
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { Agent } from "pi-agent";
import { getModel } from "pi-ai";

const app = new Hono();

app.post("/chat", async (context) => {
  const body = await context.req.json<{ prompt?: unknown }>().catch(() => undefined);
  const prompt = body?.prompt;
  if (typeof prompt !== "string") return context.json({ error: 'Send a JSON object with a "prompt".' }, 400);
  return streamSSE(context, async (stream) => {
    const agent = new Agent({ initialState: { model: getModel("anthropic", "claude-sonnet-5-5") }, maxTurns: 20 });
    const send = (data: object): Promise<void> => stream.writeSSE({ data: JSON.stringify(data) });
    // The run waits for the promise that a listener returns, so a slow client slows the run down.
    agent.subscribe((event) => {
      if (event.type === "tool_execution_start") return send({ tool: event.toolName });
      if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta")
        return send({ text: event.assistantMessageEvent.delta });
      return undefined;
    });
    // If the client disconnects, stop the run, so that it costs nothing more.
    stream.onAbort(() => agent.abort());
    await agent.prompt(prompt);
    if (agent.state.errorMessage) console.error(agent.state.errorMessage);
    await send(agent.state.errorMessage ? { error: "The model did not respond." } : { done: true });
  });
});

serve({ fetch: app.fetch, port: Number(process.env["PORT"] ?? 3000) }, ({ port }) => {
  console.log(`http://localhost:${port}`);
});
