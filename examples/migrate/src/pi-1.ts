import { Agent, defineTool } from "pi-agent";
import { getModel, Type } from "pi-ai";
import { streamSimpleAnthropic } from "pi-ai/anthropic";

const weather = defineTool({
  name: "weather",
  description: "The weather in a city, now",
  parameters: Type.Object({ city: Type.String() }),
  execute: async (_id, { city }) => `Rain in ${city}`,
});

const agent = new Agent({
  initialState: {
    model: getModel("anthropic", "claude-sonnet-5-5"),
    systemPrompt: "Answer in one sentence.",
    tools: [weather],
  },
  streamFn: streamSimpleAnthropic, // one provider in the bundle; without it, all
});
agent.subscribe((event) => {
  if (event.type === "tool_execution_start") console.log(event.toolName, event.args);
  if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta")
    process.stdout.write(event.assistantMessageEvent.delta);
});
await agent.prompt("Do I need an umbrella in Oslo?");
console.log(`\n${agent.state.messages.filter(({ role }) => role === "toolResult").length} result`);
