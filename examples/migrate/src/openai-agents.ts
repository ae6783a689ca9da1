import { Agent, defineTool } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { getModel, messageText } from "pi-ai";
import { z } from "zod";

const weather = defineTool({
  name: "weather",
  description: "The weather in a city, now",
  parameters: z.object({ city: z.string() }),
  execute: async (_id, { city }) => `Rain in ${city}`,
});

const agent = new Agent({
  initialState: {
    model: getModel("openai", "gpt-6.2-sol"),
    systemPrompt: "Answer in one sentence.",
    tools: [weather],
  },
  middleware: [approvals({ when: ({ args }) => args["city"] === "Oslo", pause: true })],
  maxTurns: 10,
});
await agent.prompt("Do I need an umbrella in Oslo?");
for (const { id, toolName } of agent.state.pause?.requests ?? []) {
  console.log("approved:", toolName);
  await agent.answer([{ id, approved: true }]);
}
const response = await agent.continue();
console.log(response.errorMessage ?? messageText(response));
