import { Agent, type AgentTool } from "pi-agent";
import { getModel, Type } from "pi-ai";

const City = Type.Object({ city: Type.String() });
const weather: AgentTool<typeof City> = {
  name: "get_weather",
  label: "Weather",
  description: "The weather in a city, now",
  parameters: City,
  execute: async (_id, { city }) => ({
    content: [{ type: "text", text: `12 degrees and rain in ${city}` }],
    details: {},
  }),
};

const agent = new Agent({ initialState: { model: getModel("anthropic", "claude-sonnet-5-5"), tools: [weather] } });
agent.subscribe((event) => {
  if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta") {
    process.stdout.write(event.assistantMessageEvent.delta);
  }
  if (event.type === "tool_execution_end") console.log(event.toolName, event.isError ? "failed" : "ran");
});
await agent.prompt("Do I need an umbrella in Oslo?");
if (agent.state.errorMessage) console.log("It failed:", agent.state.errorMessage);
