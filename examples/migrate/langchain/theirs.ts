import { AIMessageChunk, HumanMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, modelCallLimitMiddleware, tool } from "langchain";
import { z } from "zod";

const weather = tool(async ({ city }) => `Rain in ${city}`, {
  name: "weather",
  description: "The weather in a city, now",
  schema: z.object({ city: z.string() }),
});

const agent = createAgent({
  model: new ChatOpenAI({ model: "gpt-6.2-sol", useResponsesApi: true }),
  systemPrompt: "Answer in one sentence.",
  tools: [weather],
  middleware: [modelCallLimitMiddleware({ runLimit: 10 })],
});
const messages = [new HumanMessage("Do I need an umbrella in Oslo?")];
for await (const [mode, data] of await agent.stream({ messages }, { streamMode: ["updates", "messages"] })) {
  if (mode === "messages" && AIMessageChunk.isInstance(data[0])) process.stdout.write(data[0].text);
  if (mode === "updates") {
    const { messages: added = [] } = data.model_request ?? {};
    for (const { tool_calls: calls = [] } of added) for (const { name, args } of calls) console.log(name, args);
  }
}
console.log();
