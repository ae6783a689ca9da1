import { Agent, type AgentTool } from "@earendil-works/pi-agent-core";
import { getModel, Type } from "@earendil-works/pi-ai";

const City = Type.Object({ city: Type.String() });
const weather: AgentTool<typeof City> = {
  name: "weather",
  label: "Weather",
  description: "The weather in a city, now",
  parameters: City,
  execute: async (_id, { city }) => ({ content: [{ type: "text", text: `Rain in ${city}` }], details: {} }),
};

const agent = new Agent({
  initialState: {
    model: getModel("anthropic", "claude-sonnet-4-6"),
    systemPrompt: "Answer in one sentence.",
    tools: [weather],
  },
});
agent.subscribe((event) => {
  if (event.type === "tool_execution_start") console.log(event.toolName, event.args);
  if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta")
    process.stdout.write(event.assistantMessageEvent.delta);
});
await agent.prompt("Do I need an umbrella in Oslo?");
console.log(`\n${agent.state.messages.length} messages`);
