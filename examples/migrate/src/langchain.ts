import { Agent, defineTool } from "pi-agent";
import { limits } from "pi-agent/limits";
import { getModel } from "pi-ai";
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
  middleware: [limits({ budget: { turns: 10 } })],
});
agent.subscribe((event) => {
  if (event.type === "tool_execution_start") console.log(event.toolName, event.args);
  if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta")
    process.stdout.write(event.assistantMessageEvent.delta);
});
await agent.prompt("Do I need an umbrella in Oslo?");
if (agent.state.errorMessage) throw new Error(agent.state.errorMessage);
console.log();
