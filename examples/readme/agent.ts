import { Agent, defineTool } from "pi-agent";
import { messageText, Type } from "pi-ai";
import { createScriptedStreamFn, fauxToolCall } from "pi-ai/testing";

const weather = defineTool({
  name: "get_weather",
  description: "The weather in a city, now",
  parameters: Type.Object({ city: Type.String() }),
  execute: async (_id, { city }) => `12 degrees and rain in ${city}`,
});
const streamFn = createScriptedStreamFn([fauxToolCall("get_weather", { city: "Oslo" }), "Yes, take one."]);
const agent = new Agent({ streamFn, initialState: { tools: [weather] } });
const response = await agent.prompt("Do I need an umbrella in Oslo?");
console.log(response.errorMessage ?? messageText(response));
