import { Agent, type AgentTool } from "@earendil-works/pi-agent-core";
import { createModels } from "@earendil-works/pi-ai";
import { anthropicProvider } from "@earendil-works/pi-ai/providers/anthropic";
import Type from "typebox";

const models = createModels();
models.setProvider(anthropicProvider());
const model = models.getModel("anthropic", "claude-sonnet-5-5");
if (!model) throw new Error("Model not found");

const City = Type.Object({ city: Type.String() });
const weather: AgentTool<typeof City> = {
  name: "weather",
  label: "Weather",
  description: "The weather in a city, now",
  parameters: City,
  execute: async (_id, { city }) => ({ content: [{ type: "text", text: `Rain in ${city}` }], details: {} }),
};

const agent = new Agent({
  initialState: { model, systemPrompt: "Answer in one sentence.", tools: [weather] },
  streamFn: models.streamSimple.bind(models),
});
agent.subscribe((event) => {
  if (event.type === "tool_execution_start") console.log(event.toolName, event.args);
  if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta")
    process.stdout.write(event.assistantMessageEvent.delta);
});
await agent.prompt("Do I need an umbrella in Oslo?");
console.log(`\n${agent.state.messages.filter(({ role }) => role === "toolResult").length} result`);
