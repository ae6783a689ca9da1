/** A unit test of an agent, with a fake model: no network, no key, no mocking. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createScriptedStreamFn, fauxAssistantMessage, fauxToolCall } from "pi-ai/testing";
import { createWeatherAgent } from "./weather-agent.ts";

const callWeather = fauxAssistantMessage(fauxToolCall("get_weather", { city: "Oslo" }), { stopReason: "toolUse" });

test("the model receives the weather", async () => {
  const streamFn = createScriptedStreamFn([callWeather, fauxAssistantMessage("Take an umbrella.")]);
  const agent = createWeatherAgent(async (city) => `Rain in ${city}`, streamFn);
  await agent.prompt("What do I need in Oslo?");
  streamFn.assertDone();
  const result = streamFn.calls[1]?.context.messages.at(-1);
  assert.equal(result?.role, "toolResult");
  assert.deepEqual(result?.content, [{ type: "text", text: "Rain in Oslo" }]);
});

test("an unknown city is an error for the model, not for the program", async () => {
  const streamFn = createScriptedStreamFn([callWeather, fauxAssistantMessage("I do not know that city.")]);
  const agent = createWeatherAgent(async () => Promise.reject(new Error("No such city")), streamFn);
  await agent.prompt("What do I need in Atlantis?");
  const result = agent.state.messages.find((message) => message.role === "toolResult");
  assert.equal(result?.isError, true);
});
