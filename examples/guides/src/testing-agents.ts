/** Unit tests of an agent, with a scripted model: no network, no key, no mocks. Run it with `node --test`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, defineTool, type StreamFn } from "pi-agent";
import { Type } from "pi-ai";
import { createScriptedStreamFn, fauxAssistantMessage, fauxToolCall } from "pi-ai/testing";

/** The code under test: an agent whose dependencies are parameters. */
function createWeatherAgent(forecast: (city: string) => Promise<string>, streamFn: StreamFn): Agent {
  const weather = defineTool({
    name: "get_weather",
    description: "The weather in a city, now",
    parameters: Type.Object({ city: Type.String() }),
    execute: (_id, { city }) => forecast(city),
  });
  return new Agent({ initialState: { tools: [weather] }, streamFn });
}

const callWeather = fauxAssistantMessage(fauxToolCall("get_weather", { city: "Oslo" }), { stopReason: "toolUse" });

test("the model reads the forecast", async () => {
  const streamFn = createScriptedStreamFn([callWeather, fauxAssistantMessage("Take an umbrella.")]);
  const agent = createWeatherAgent(async (city) => `Rain in ${city}`, streamFn);
  await agent.prompt("What do I need in Oslo?");
  streamFn.assertDone(); // all responses of the script were used
  const result = streamFn.calls[1]?.context.messages.at(-1); // the last message of the second request
  assert.equal(result?.role, "toolResult");
  assert.deepEqual(result?.content, [{ type: "text", text: "Rain in Oslo" }]);
});

test("an unknown city is an error that the model reads", async () => {
  const streamFn = createScriptedStreamFn([callWeather, fauxAssistantMessage("I do not know that city.")]);
  const agent = createWeatherAgent(async () => Promise.reject(new Error("No such city")), streamFn);
  await agent.prompt("What do I need in Atlantis?");
  const result = agent.state.messages.find((message) => message.role === "toolResult");
  assert.equal(result?.isError, true);
});

test("an abort in the middle of a response leaves a valid transcript", async () => {
  // The pace leaves time for the abort: without it, the whole response has arrived before the first event is read.
  const streamFn = createScriptedStreamFn([fauxAssistantMessage("A long story, told slowly.")], {
    tokensPerSecond: 100,
  });
  const agent = createWeatherAgent(async () => "", streamFn);
  agent.subscribe((event) => {
    if (event.type === "message_update") agent.abort();
  });
  const { stopReason } = await agent.prompt("Tell me a story.");
  assert.equal(stopReason, "aborted");
  assert.equal(agent.state.isStreaming, false);
});
