import { expect, test } from "vitest";
import { createModel } from "../../../test/models.js";
import { type Assembled, assemble } from "../../../test/support/assemble.internal.js";
import { DONE } from "../../wire/body-decoder.js";
import { createMistralMapping } from "./stream.js";

const MODEL = createModel("mistral-conversations");

function run(...events: unknown[]): Assembled {
  return assemble(createMistralMapping("mistral"), events, MODEL);
}

function delta(fields: object): object {
  return { id: "r1", model: MODEL.id, choices: [{ index: 0, delta: fields, finish_reason: null }] };
}

function end(reason: string, usage?: object): object {
  return { id: "r1", choices: [{ index: 0, delta: { content: "" }, finish_reason: reason }], ...(usage && { usage }) };
}

test("string content is text", () => {
  const { message, events, overAt } = run(delta({ content: "Hel" }), delta({ content: "lo" }), end("stop"), DONE);
  expect(message).toMatchObject({
    content: [{ type: "text", text: "Hello" }],
    stopReason: "stop",
    responseId: "r1",
  });
  expect(events).toEqual(["start", "text_start", "text_delta", "text_delta", "text_end", "done"]);
  expect(overAt).toBe(3);
});

test("a list of parts is thinking and text, which may alternate", () => {
  const thinking = (text: string): object => ({ type: "thinking", thinking: [{ type: "text", text }] });
  const { message } = run(
    delta({ content: [thinking("a"), thinking("b"), { type: "text", text: "c" }] }),
    delta({ content: [{ type: "reference", reference_ids: [1] }, { type: "text", text: "d" }, null] }),
    delta({ content: [{ type: "thinking", thinking: "e" }] }),
    end("stop"),
  );
  expect(message.content).toEqual([
    { type: "thinking", thinking: "ab" },
    {
      type: "text",
      text: "cd",
      citations: [{ source: "1", start: 1, end: 1, signature: '{"type":"reference","reference_ids":[1]}' }],
    },
    { type: "thinking", thinking: "e" },
  ]);
});

test("an emoji split between two chunks stays whole", () => {
  const { message } = run(delta({ content: "\ud83d" }), delta({ content: "\ude00" }), end("stop"));
  expect(message.content).toEqual([{ type: "text", text: "😀" }]);
});

test.each([
  [
    "with an index",
    [
      { index: 0, id: "aaaaaaaaa", function: { name: "f", arguments: '{"x":' } },
      { index: 0, function: { arguments: "1}" } },
    ],
  ],
  [
    "without an index, by id",
    [
      { id: "aaaaaaaaa", function: { name: "f", arguments: '{"x":' } },
      { id: "aaaaaaaaa", function: { name: "", arguments: "1}" } },
    ],
  ],
  [
    "without index and id",
    [{ id: "aaaaaaaaa", function: { name: "f", arguments: '{"x":' } }, { function: { arguments: "1}" } }],
  ],
  [
    "with the word null as id",
    [
      { id: "aaaaaaaaa", function: { name: "f", arguments: '{"x":' } },
      { id: "null", function: { arguments: "1}" } },
    ],
  ],
  ["as an object", [{ id: "aaaaaaaaa", function: { name: "f", arguments: { x: 1 } } }]],
])("fragments of one tool call %s form one tool call", (_name, fragments) => {
  const { message } = run(...fragments.map((call) => delta({ tool_calls: [call, null] })), end("tool_calls"), DONE);
  expect(message.content).toEqual([{ type: "toolCall", id: "aaaaaaaaa", name: "f", arguments: { x: 1 } }]);
  expect(message.stopReason).toBe("toolUse");
});

test("parallel tool calls in one chunk stay separate", () => {
  const call = (id: string): object => ({ id, function: { name: "f", arguments: `{"id":"${id}"}` } });
  const { message } = run(delta({ tool_calls: [call("aaaaaaaaa"), call("bbbbbbbbb")] }), end("tool_calls"));
  expect(message.content.map((block) => block.type === "toolCall" && block.arguments["id"])).toEqual([
    "aaaaaaaaa",
    "bbbbbbbbb",
  ]);
});

test("only the first of several choices is read", () => {
  const second = { choices: [{ index: 1, delta: { content: "B" }, finish_reason: "length" }] };
  const { message } = run(delta({ content: "A" }), second, end("stop"));
  expect(message).toMatchObject({ content: [{ text: "A" }], stopReason: "stop" });
});

test.each([
  ["stop", "stop", undefined],
  ["length", "length", undefined],
  ["model_length", "length", undefined],
  ["tool_calls", "toolUse", undefined],
  ["error", "error", "Provider finish_reason: error"],
  ["content_filter", "error", "Provider finish_reason: content_filter"],
])("the finish reason %s becomes %s", (word, stopReason, errorMessage) => {
  const { message } = run(delta({ content: "x" }), end(word), DONE);
  expect(message.stopReason).toBe(stopReason);
  expect(message.errorMessage).toBe(errorMessage);
});

test("the end marker after content completes a response whose finish reason is missing or unknown", () => {
  expect(run(delta({ content: "x" }), DONE).message).toMatchObject({
    stopReason: "stop",
    diagnostics: [{ type: "missing_finish_reason" }],
  });
  expect(run(delta({ content: [{ type: "thinking", thinking: "e" }] }), end("banana"), DONE).message).toMatchObject({
    stopReason: "stop",
    diagnostics: [{ type: "unknown_finish_reason", details: { finishReason: "banana" } }],
  });
  expect(run(end("banana"), DONE).message).toMatchObject({
    stopReason: "error",
    errorMessage: "Provider finish_reason: banana",
  });
});

test.each([
  [{ prompt_tokens: 9, completion_tokens: 100, total_tokens: 109 }, [9, 100, 0]],
  [{ prompt_tokens: 222, completion_tokens: 43, prompt_tokens_details: { cached_tokens: 192 } }, [30, 43, 192]],
  [{ prompt_tokens: 10, completion_tokens: 1, num_cached_tokens: 4 }, [6, 1, 4]],
  // Audio is outside prompt_tokens.
  [
    { prompt_tokens: 11, completion_tokens: 15, total_tokens: 401, prompt_tokens_details: { cached_tokens: 9 } },
    [377, 15, 9],
  ],
  [{ prompt_tokens: 2, completion_tokens: 1, num_cached_tokens: 5 }, [0, 1, 5]],
  [{ prompt_tokens: "7", completion_tokens: -1, total_tokens: null }, [0, 0, 0]],
])("usage %j", (usage, [input, output, cacheRead]) => {
  const { message } = run(delta({ content: "x" }), end("stop", usage));
  expect(message.usage).toMatchObject({ input, output, cacheRead, cacheWrite: 0 });
});

test("an error in the middle of a stream keeps the content so far", () => {
  const { message } = run(
    delta({ content: "so far" }),
    {
      object: "error",
      message: "Service tier capacity exceeded",
      type: "service_tier_capacity_exceeded",
      code: "3505",
    },
    delta({ content: "never" }),
  );
  expect(message).toMatchObject({
    content: [{ text: "so far" }],
    stopReason: "error",
    errorMessage: "Service tier capacity exceeded",
  });
});

test.each([[["Hel", "lo"]], [{ type: "text", text: "Hello" }]])("the content %j is text", (content) => {
  const { message } = run(delta({ content }), end("stop"), DONE);
  expect(message.content).toEqual([{ type: "text", text: "Hello" }]);
});

test.each([
  [{ choices: null }],
  [{ choices: [null] }],
  [{ choices: [{ delta: null }] }],
  [delta({ content: null, tool_calls: null })],
  [delta({ content: [{ type: "thinking", thinking: [null, { text: 3 }] }, 7] })],
  [delta({ content: 5, tool_calls: [7, {}] })],
])("the malformed chunk %j is ignored", (chunk) => {
  const { message } = run(delta({ content: "a" }), chunk, delta({ content: "b" }), end("stop"), DONE);
  const text = message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
  expect(text).toBe("ab");
  expect(message.stopReason).not.toBe("error");
});
