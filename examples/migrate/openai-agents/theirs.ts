import { Agent, run, setTracingDisabled, tool } from "@openai/agents";
import { z } from "zod";

setTracingDisabled(true); // traces go to OpenAI otherwise

const weather = tool({
  name: "weather",
  description: "The weather in a city, now",
  parameters: z.object({ city: z.string() }),
  needsApproval: async (_context, { city }) => city === "Oslo",
  execute: async ({ city }) => `Rain in ${city}`,
});

const agent = new Agent({
  name: "Geographer",
  instructions: "Answer in one sentence.",
  model: "gpt-6.2-sol",
  tools: [weather],
});
let result = await run(agent, "Do I need an umbrella in Oslo?", { maxTurns: 10 });
for (const request of result.interruptions) {
  console.log("approved:", request.name);
  result.state.approve(request);
}
result = await run(agent, result.state);
console.log(result.finalOutput);
