/** The agent under test in `weather-agent.test.ts`. The stream function is a parameter. */
import { Agent, type AgentTool, type StreamFn } from "pi-agent";
import { getModel, Type } from "pi-ai";

const City = Type.Object({ city: Type.String() });

/** @param readWeather the weather in a city; throws for an unknown city */
export function createWeatherAgent(readWeather: (city: string) => Promise<string>, streamFn?: StreamFn): Agent {
  const weather: AgentTool<typeof City> = {
    name: "get_weather",
    label: "Weather",
    description: "The weather in a city, now",
    parameters: City,
    execute: async (_id, { city }) => ({
      content: [{ type: "text", text: await readWeather(city) }],
      details: { city },
    }),
  };
  return new Agent({
    initialState: { model: getModel("anthropic", "claude-sonnet-5-5"), systemPrompt: "Be brief.", tools: [weather] },
    ...(streamFn ? { streamFn } : {}),
  });
}
