/** Wrong arguments that used to pass without a word, as plain JavaScript makes them. */
import {
  estimateTokens,
  fauxAssistantMessage,
  fauxText,
  fauxThinking,
  fauxToolCall,
  Type,
  validateToolArguments,
  validateToolCall,
} from "pi-ai";
import { expect, test } from "vitest";

const untyped = (value: unknown): never => value as never;

test.each([
  [undefined, 'A faux block must be one such as fauxText("Hello"), but it is undefined'],
  [["Hello"], 'A faux block must be one such as fauxText("Hello"), but it is "Hello"'],
  [Promise.resolve(fauxText("a")), "but it is a promise: await it"],
  [fauxText(untyped(5)), "The text of a faux block must be a string, not 5"],
  [fauxThinking(untyped(undefined)), "The thinking of a faux block must be a string, not undefined"],
  [
    fauxToolCall("look", untyped('{"city":"Paris"}')),
    'The arguments of a faux block must be an object, not "{\\"city\\":\\"Paris\\"}"',
  ],
  [fauxToolCall(untyped(undefined), {}), "The name of a faux block must be a string, not undefined"],
])("a faux response of %o", (content, text) => {
  expect(() => fauxAssistantMessage(untyped(content))).toThrow(text);
});

test("a misspelt option of a faux response", () => {
  expect(() => fauxAssistantMessage("Hello", untyped({ stopreason: "toolUse" }))).toThrow(
    'fauxAssistantMessage has no option "stopreason": did you mean "stopReason"?',
  );
});

test("calls without arguments", () => {
  expect(() => estimateTokens(untyped(undefined))).toThrow(
    "estimateTokens needs { messages }, a list, but messages is undefined",
  );
  expect(() => estimateTokens(untyped("Hello"))).toThrow("messages is undefined");
  expect(() => estimateTokens(untyped({ messages: "Hello" }))).toThrow('messages is "Hello"');
  const tool = { name: "look", description: "Looks", parameters: Type.Object({}) };
  const text = "The arguments of a call are checked with (tool, toolCall), but they are";
  expect(() => validateToolArguments(untyped(undefined), untyped(undefined))).toThrow(
    `${text} undefined and undefined`,
  );
  expect(() => validateToolArguments(tool, untyped(undefined))).toThrow(`${text} an object and undefined`);
  expect(() => validateToolCall([tool], untyped({ type: "toolCall", id: "1", name: "look" }))).toThrow(
    /Validation failed/,
  );
});
