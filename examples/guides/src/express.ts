/** An agent behind Express: `POST /chat` streams the reply as server-sent events. */
import express from "express";
import { Agent } from "pi-agent";
import { getModel } from "pi-ai";

const app = express();
app.use(express.json({ limit: "1mb" }));

app.post("/chat", async (request, response) => {
  const prompt: unknown = request.body?.prompt;
  if (typeof prompt !== "string") {
    response.status(400).json({ error: 'Send a JSON object with a "prompt".' });
    return;
  }
  const agent = new Agent({ initialState: { model: getModel("anthropic", "claude-sonnet-5-5") }, maxTurns: 20 });
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const send = (data: object): void => void response.write(`data: ${JSON.stringify(data)}\n\n`);
  agent.subscribe((event) => {
    if (event.type === "tool_execution_start") send({ tool: event.toolName });
    if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta")
      send({ text: event.assistantMessageEvent.delta });
  });
  // If the client disconnects, stop the run, so that it costs nothing more.
  response.once("close", () => agent.abort());
  await agent.prompt(prompt);
  if (agent.state.errorMessage) console.error(agent.state.errorMessage);
  // The text of an error is for the log: it may name accounts and limits.
  send(agent.state.errorMessage ? { error: "The model did not respond." } : { done: true });
  response.end();
});

const server = app.listen(Number(process.env["PORT"] ?? 3000), () => {
  const address = server.address();
  if (address !== null && typeof address === "object") console.log(`http://localhost:${address.port}`);
});
