import { type Context, getModel, stream, Type } from "pi-ai";

const context: Context = {
  systemPrompt: "Answer in one sentence.",
  messages: [{ role: "user", content: "What is the weather in Oslo?", timestamp: Date.now() }],
  tools: [
    {
      name: "get_weather",
      description: "The weather in a city, now",
      parameters: Type.Object({ city: Type.String() }),
    },
  ],
};

const response = stream(getModel("anthropic", "claude-sonnet-5-5"), context);
for await (const event of response) {
  if (event.type === "text_delta") process.stdout.write(event.delta);
  if (event.type === "toolcall_end") console.log(event.toolCall.name, event.toolCall.arguments);
}

const message = await response.result(); // resolves even on failure: check stopReason
if (message.errorMessage) console.log("It failed:", message.errorMessage);
console.log(message.stopReason, message.usage.totalTokens, "tokens, $", message.usage.cost.total);
