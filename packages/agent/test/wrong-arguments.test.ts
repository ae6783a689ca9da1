/** Wrong arguments that used to pass without a word, as plain JavaScript makes them. */
import { Agent, type AgentTool, runToolCall, streamProxy } from "pi-agent";
import { createMemoryEventStore } from "pi-agent/event-store";
import { createRedisEventStore } from "pi-agent/event-store/redis";
import { fromUIMessages } from "pi-agent/ui-stream";
import { fauxAssistantMessage, getModel, Type } from "pi-ai";
import { createScriptedStreamFn } from "pi-ai/testing";
import { expect, test } from "vitest";

const MODEL = getModel("anthropic", "claude-sonnet-5-5");
const untyped = (value: unknown): never => value as never;

const look: AgentTool = {
  name: "look",
  description: "Looks",
  parameters: Type.Object({}),
  execute: () => "sunny",
};

test.each([
  [{ keepEvent: 5 }, 'Unknown option "keepEvent": did you mean "keepEvents"?'],
  [{ retain: 5 }, 'Unknown option "retain": did you mean "retainMs"?'],
  [{ keepEvents: "5" }, 'keepEvents must be a whole number of 0 or more, or Infinity, not "5"'],
  [{ retainMs: -1 }, "retainMs must be a number of milliseconds"],
  [5, "The options must be an object of options, not 5"],
])("a store of events refuses %j", (options, text) => {
  expect(() => createMemoryEventStore(untyped(options))).toThrow(text);
  expect(() => createRedisEventStore(untyped({}), untyped(options))).toThrow(text);
});

test("messages of an agent are none of a page", () => {
  const messages = [{ role: "user", content: "Hi", timestamp: 0 }];
  expect(() => fromUIMessages(untyped(messages))).toThrow("messages.0 has content instead of parts");
});

test.each([
  ["timeoutMs", "toolTimeoutMs"],
  ["parameter", "parameters"],
  ["descriptoin", "description"],
  ["executionmode", "executionMode"],
])("a tool with the field %s", (field, meant) => {
  const tools = [{ ...look, [field]: 5 }];
  const text = `Tool "look" has the unknown field "${field}": did you mean "${meant}"?`;
  expect(() => new Agent({ initialState: { tools } })).toThrow(text);
});

test("a tool may have fields of the application", () => {
  const tools = [{ ...look, tags: ["a"], cached: true, category: "weather", version: 2 }];
  expect(new Agent({ initialState: { tools } }).state.tools).toHaveLength(1);
});

test.each([[{ key: "secret" }], [7], [true]])("getApiKey that returns %j", async (key) => {
  const streamFn = createScriptedStreamFn([fauxAssistantMessage("Hello")]);
  const agent = new Agent({ initialState: { model: MODEL }, streamFn, getApiKey: () => untyped(key) });
  const message = await agent.prompt("Hi");
  expect(message).toMatchObject({
    stopReason: "error",
    errorMessage: `getApiKey must return a string or undefined, not a value of the type ${typeof key}`,
  });
  expect(streamFn.calls).toEqual([]);
});

test("calls without arguments", async () => {
  expect(() => streamProxy(untyped(undefined), untyped(undefined), untyped(undefined))).toThrow(
    'The argument "model" must be a model object',
  );
  const message = await streamProxy(MODEL, { messages: [] }, untyped(undefined)).result();
  expect(message.errorMessage).toContain("streamProxy needs proxyUrl and authToken");
  const fetch = () => expect.unreachable("Bearer undefined is no token");
  const misspelt = await streamProxy(MODEL, { messages: [] }, untyped({ proxyUrl: "", authTokn: "t", fetch })).result();
  expect(misspelt.errorMessage).toContain("streamProxy needs proxyUrl and authToken");
  await expect(runToolCall(untyped(undefined), untyped({ tools: [look] }))).rejects.toThrow(
    'The tool call must be one of a message, such as { type: "toolCall", id, name, arguments }, not undefined',
  );
  await expect(runToolCall(untyped("look"), untyped(undefined))).rejects.toThrow("must be an object of options");
});
