import { openai } from "@ai-sdk/openai";
import { isStepCount, streamText, tool } from "ai";
import { z } from "zod";

const weather = tool({
  description: "The weather in a city, now",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `Rain in ${city}`,
});

const result = streamText({
  model: openai("gpt-6.2-sol"),
  instructions: "Answer in one sentence.",
  prompt: "Do I need an umbrella in Oslo?",
  tools: { weather },
  stopWhen: isStepCount(10),
});
for await (const part of result.stream) {
  if (part.type === "tool-call") console.log(part.toolName, part.input);
  if (part.type === "text-delta") process.stdout.write(part.text);
  if (part.type === "error") throw part.error;
}
console.log(`\n${(await result.usage).totalTokens} tokens`);
