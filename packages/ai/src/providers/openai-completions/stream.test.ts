import { describe, expect, it } from "vitest";
import { errorOf } from "../../../test/support/assemble.internal.js";
import { checkEvents } from "../../../test/support/check-events.js";
import { plainModel } from "../../../test/support/plain-adapter.js";
import type { CompletionsFlags } from "../../catalogue/compat/host.js";
import { AssistantMessageBuilder } from "../../message/assistant-message-builder.js";
import type { AssistantMessageEvent } from "../../types/event.js";
import type { AssistantMessage } from "../../types/message.js";
import { DONE } from "../../wire/body-decoder.js";
import { createCompletionsMapping } from "./stream.js";

interface Mapped {
  message: AssistantMessage;
  events: AssistantMessageEvent[];
  stopped: boolean;
}

/** Feeds chunks until the response ends, as the driver does. */
function run(chunks: readonly unknown[], flags: CompletionsFlags = {}): Mapped {
  const events: AssistantMessageEvent[] = [];
  const builder = new AssistantMessageBuilder({
    model: plainModel,
    emit: (event) => events.push(event),
    createId: () => "made",
  });
  const mapping = createCompletionsMapping("test", flags);
  if (!chunks.some((chunk) => mapping(chunk, builder))) mapping.end?.(builder);
  const { stopped } = builder;
  builder.finish();
  return { message: checkEvents(events), events, stopped };
}

const map = (...chunks: unknown[]): AssistantMessage => run([...chunks, finish("stop"), DONE]).message;
const chunk = (delta: unknown) => ({ id: "c1", model: "m", choices: [{ index: 0, delta }] });
const content = (value: unknown) => chunk({ content: value });
const finish = (reason: unknown) => ({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
const calls = (...fragments: unknown[]) => chunk({ tool_calls: fragments });
const fragment = (index: unknown, id: unknown, name: unknown, args: unknown) => ({
  index,
  id,
  function: { name, arguments: args },
});

describe("Chat mapping: text and thinking", () => {
  it("joins the pieces of text", () => {
    const message = map(chunk({ role: "assistant", content: "" }), content("Hel"), content("lo"));
    expect(message).toMatchObject({ content: [{ type: "text", text: "Hello" }], responseId: "c1", stopReason: "stop" });
    expect(message).not.toHaveProperty("responseModel");
  });

  it("sets responseModel if it differs from the requested model", () => {
    expect(map({ ...content("x"), model: "m-2026" }).responseModel).toBe("m-2026");
  });

  it.each(["reasoning_content", "reasoning", "reasoning_text"])(
    "reads thinking from %s, and stores the field's name",
    (field) => {
      expect(map(chunk({ [field]: "h" }), chunk({ [field]: "m" }), content("yes")).content).toEqual([
        { type: "thinking", thinking: "hm", thinkingSignature: field },
        { type: "text", text: "yes" },
      ]);
    },
  );

  it("reads thinking once if two fields hold it", () => {
    const both = {
      reasoning_content: "hm",
      reasoning: "hm",
      reasoning_details: [{ type: "reasoning.text", text: "hm" }],
    };
    expect(map(chunk(both)).content).toMatchObject([{ thinking: "hm" }]);
    expect(
      map(
        chunk({
          reasoning_details: [{ type: "reasoning.text", text: "h" }, null, { type: "reasoning.summary", summary: "m" }],
        }),
      ).content,
    ).toMatchObject([{ thinking: "hm" }]);
  });

  it("reads content that arrives as a list of parts", () => {
    expect(
      map(content([{ type: "text", text: "a" }, null, { type: "image" }, { type: "text", text: "b" }])).content,
    ).toMatchObject([{ text: "ab" }]);
  });

  it("keeps a refusal as text, with one diagnostic", () => {
    const message = map(chunk({ refusal: "I " }), chunk({ refusal: "can't" }));
    expect(message).toMatchObject({ content: [{ text: "I can't" }], diagnostics: [{ type: "refusal" }] });
    expect(message.diagnostics).toHaveLength(1);
    expect(map(chunk({ content: "so", refusal: ": no" })).content).toMatchObject([{ text: "so: no" }]);
    expect(map(chunk({ content: "yes", refusal: null }))).not.toHaveProperty("diagnostics");
  });

  it("reads the first of several choices", () => {
    const two = { choices: [{ index: 1, delta: { content: "no" } }, null, { index: 0, delta: { content: "yes" } }] };
    expect(map(two).content).toMatchObject([{ text: "yes" }]);
  });

  it.each([
    [{}],
    [{ choices: null }],
    [{ choices: {} }],
    [{ choices: [] }],
    [{ choices: [null, 5, "x"] }],
    [{ choices: [{ delta: null }] }],
    [{ id: 5, model: {}, choices: [{ index: null, delta: {} }] }],
    [content(null)],
    [content(5)],
    [content({})],
    [chunk({ reasoning: 5, reasoning_details: "x", refusal: 5 })],
    [chunk({ reasoning_details: [5, null, { type: "reasoning.encrypted", id: 5 }] })],
    [chunk({ tool_calls: "x" })],
    [chunk({ tool_calls: [null] })],
    [{ usage: "x", choices: [{ usage: 5 }] }],
  ])("survives %j", (odd) => {
    const message = map(content("yes"), odd);
    expect(message.content).toEqual([{ type: "text", text: "yes" }]);
    expect(message.stopReason).toBe("stop");
  });
});

describe("Chat mapping: tool calls", () => {
  const callsOf = (...chunks: unknown[]) =>
    map(...chunks).content.map((block) => {
      if (block.type !== "toolCall") throw new Error("No call");
      return [block.id, block.name, block.argumentsError === undefined ? block.arguments : "unreadable"];
    });

  it.each([
    [
      "by index",
      [
        calls(fragment(0, "a", "one", ""), fragment(1, "b", "two", "")),
        calls(fragment(0, undefined, undefined, '{"x":1}')),
        calls(fragment(1, null, null, '{"y":2}')),
      ],
    ],
    [
      "interleaved",
      [
        calls(fragment(0, "a", "one", '{"x"')),
        calls(fragment(1, "b", "two", '{"y"')),
        calls(fragment(0, "", "", ":1}")),
        calls(fragment(1, "", "", ":2}")),
      ],
    ],
    [
      "by id, without an index",
      [
        calls(fragment(undefined, "a", "one", '{"x"')),
        calls(fragment(undefined, "b", "two", '{"y"')),
        calls(fragment(undefined, "a", "", ":1}"), fragment(undefined, "b", "", ":2}")),
      ],
    ],
    [
      "one after the other, with neither",
      [
        calls(fragment(undefined, "a", "one", '{"x":')),
        calls(fragment(undefined, "", "", "1}")),
        calls(fragment(undefined, "b", "two", '{"y":')),
        calls(fragment(undefined, "", "", "2}")),
      ],
    ],
    [
      "of one index, with a new id and name",
      [calls(fragment(0, "a", "one", '{"x":1}')), calls(fragment(0, "b", "two", '{"y":2}'))],
    ],
    ["whole, as objects", [calls(fragment(0, "a", "one", { x: 1 })), calls(fragment(1, "b", "two", { y: 2 }))]],
  ])("separates two tool calls: %s", (_, chunks) => {
    expect(callsOf(...chunks)).toEqual([
      ["a", "one", { x: 1 }],
      ["b", "two", { y: 2 }],
    ]);
  });

  const unnamed = (text: unknown) => fragment(0, undefined, undefined, text);
  const named = (text: unknown, name = "one") => fragment(0, undefined, name, text);
  const nowhere = (text: unknown, name?: string) => fragment(undefined, undefined, name, text);

  it.each([
    ["whole", [named('{"x":1}'), named('{"x":2}')]],
    ["whole, in pieces of the second", [named('{"x":1}'), named(""), unnamed('{"x"'), unnamed(":2}")]],
    ["in pieces, with the name in each", [named('{"x"'), named(":1}"), named('{"x"'), named(":2}")]],
    ["in pieces, with the name in the first", [named('{"x"'), unnamed(":1}"), unnamed('{"x"'), unnamed(":2}")]],
    ["with space around", [named('{"x":1}'), unnamed("\n"), unnamed(' {"x":2}')]],
    ["as objects", [named({ x: 1 }), named({ x: 2 })]],
    ["with one index and an empty id", [fragment(0, "", "one", '{"x":1}'), fragment(0, "", "one", '{"x":2}')]],
    ["without an index", [nowhere('{"x":1}', "one"), nowhere('{"x":2}', "one")]],
    ["without an index, and the name once", [nowhere('{"x":1}', "one"), nowhere('{"x":2}')]],
    [
      "without an index, with the name in each piece",
      [nowhere('{"x"', "one"), nowhere(":1}", "one"), nowhere('{"x":2}', "one")],
    ],
  ])("separates two calls of one tool from a server without ids: %s", (_, fragments) => {
    const expected = [
      ["made", "one", { x: 1 }],
      ["made", "one", { x: 2 }],
    ];
    expect(callsOf(...fragments.map((each) => calls(each)))).toEqual(expected);
    expect(callsOf(calls(...fragments))).toEqual(expected);
  });

  it.each([
    ["one index", [named('{"x":1}'), named('{"y":2}', "two")]],
    ["one index, without arguments", [named(""), named("", "two"), unnamed('{"y":2}')]],
    ["one index, the first broken", [named('{"x":'), named('{"y":2}', "two")]],
    ["names that begin alike", [named('{"x":1}'), named("", "one_more"), unnamed('{"y":2}')]],
  ])("separates calls of two tools from a server without ids: %s", (_, fragments) => {
    const found = callsOf(...fragments.map((each) => calls(each)));
    expect(found.map(([, name]) => name)).toEqual(["one", expect.stringMatching(/^(two|one_more)$/)]);
    expect(found[1]?.[2]).toEqual({ y: 2 });
  });

  it.each([
    ["with one index", 0, 0],
    ["with two indexes", 0, 1],
    ["without an index", undefined, undefined],
  ])("gives the second of two calls with the same id another one, %s", (_, first, second) => {
    const chunks = [
      calls(fragment(first, "same", "one", '{"x":1}')),
      calls(fragment(second, "same", "one", '{"x":2}')),
    ];
    expect(callsOf(...chunks)).toEqual([
      ["same", "one", { x: 1 }],
      ["made", "one", { x: 2 }],
    ]);
  });

  it.each([
    ["a bracket in a string", [named('{"x":"}'), unnamed('{"'), unnamed("}")], { x: "}{" }],
    ["an escaped quote", [named('{"x":"\\"}'), unnamed('{"}')], { x: '"}{' }],
    [
      "an object in an object",
      [named('{"x":{"a":[1'), unnamed(']},"y":'), unnamed('{"b":2}}')],
      { x: { a: [1] }, y: { b: 2 } },
    ],
    ["a name that comes again", [named(""), named('{"x":1}')], { x: 1 }],
    ["a name that grows", [fragment(0, undefined, "o", ""), named('{"x":1}')], { x: 1 }],
    ["a name at the end", [named('{"x":1}'), named("")], { x: 1 }],
  ])("keeps one call together: %s", (_, fragments, expected) => {
    expect(callsOf(...fragments.map((each) => calls(each)))).toEqual([["made", "one", expected]]);
  });

  it("does not run what a model adds to the arguments of a call with an id", () => {
    expect(callsOf(calls(fragment(0, "a", "one", '{"x":1}')), calls(unnamed('{"x":2}')))).toEqual([
      ["a", "one", "unreadable"],
    ]);
  });

  it("follows the index if a gateway changes the id", () => {
    expect(callsOf(calls(fragment(0, "a", "one", '{"x"')), calls(fragment(0, "changed", "", ":1}")))).toEqual([
      ["a", "one", { x: 1 }],
    ]);
  });

  it.each([
    ["with an index", 0],
    ["without one", undefined],
  ])("accepts id and name after the arguments, %s", (_, index) => {
    expect(
      callsOf(calls(fragment(index, undefined, undefined, '{"x"')), calls(fragment(index, "a", "one", ":1}"))),
    ).toEqual([["a", "one", { x: 1 }]]);
  });

  it("creates an id if there is none", () => {
    expect(callsOf(calls(fragment(0, undefined, "one", "{}")))).toEqual([["made", "one", {}]]);
  });

  it("ignores ids and names that are not strings", () => {
    expect(callsOf(calls(fragment(0, 5, { a: 1 }, "{}")))).toEqual([["made", "", {}]]);
  });

  it.each([
    ["", {}],
    [null, {}],
    [undefined, {}],
    ["null", {}],
    [{}, {}],
    ["[1]", "unreadable"],
    [[1], "unreadable"],
    [7, "unreadable"],
    ['"x"', "unreadable"],
    ['{"x":', "unreadable"],
  ])("reads the arguments %j", (value, expected) => {
    expect(callsOf(calls(fragment(0, "a", "one", value)))).toEqual([["a", "one", expected]]);
  });

  it("survives arguments that are nested too deeply", () => {
    const deep: unknown = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
    expect(callsOf(calls(fragment(0, "a", "one", { deep })))).toEqual([["a", "one", "unreadable"]]);
    expect(callsOf(calls(fragment(0, "a", "one", "[".repeat(100_000))))).toEqual([["a", "one", "unreadable"]]);
  });

  it("reads the older function_call field", () => {
    const chunks = [
      chunk({ function_call: { name: "one", arguments: '{"x"' } }),
      chunk({ function_call: { arguments: ":1}" } }),
    ];
    expect(callsOf(...chunks)).toEqual([["made", "one", { x: 1 }]]);
  });

  it.each([true, false])("assigns encrypted reasoning to its tool call in either order: details first %s", (first) => {
    const details = { type: "reasoning.encrypted", id: "a", data: "x" };
    const pieces = [chunk({ reasoning_details: [details] }), calls(fragment(0, "a", "one", "{}"))];
    expect(map(...(first ? pieces : pieces.reverse())).content).toMatchObject([
      { type: "toolCall", thoughtSignature: JSON.stringify(details) },
    ]);
  });

  it("reads tool calls named like properties of Object.prototype", () => {
    for (const name of ["__proto__", "constructor", "toString"])
      expect(callsOf(calls(fragment(0, name, name, "{}")))).toEqual([[name, name, {}]]);
  });

  it("reads text, thinking and tool calls from one chunk", () => {
    const all = chunk({ reasoning: "hm", content: "yes", tool_calls: [fragment(0, "a", "one", "{}")] });
    expect(map(all).content.map((block) => block.type)).toEqual(["thinking", "text", "toolCall"]);
  });
});

describe("Chat mapping: the end", () => {
  it.each([
    ["stop", "stop"],
    ["end", "stop"],
    ["length", "length"],
    ["tool_calls", "toolUse"],
    ["function_call", "toolUse"],
    ["eos", "stop"],
    ["end_turn", "stop"],
    ["max_tokens", "length"],
    ["MAX_TOKENS", "length"],
  ])("%s is %s", (reason, expected) => {
    expect(run([content("x"), finish(reason), DONE]).message.stopReason).toBe(expected);
  });

  it.each([
    ["content_filter", "content_filter"],
    ["network_error", "server"],
    ["error", "server"],
    ["sensitive", "content_filter"],
    ["SAFETY", "content_filter"],
    ["refusal", "content_filter"],
    ["insufficient_system_resource", "overloaded"],
    ["model_context_window_exceeded", "context_overflow"],
  ])("%s is an error that quotes the finish reason and keeps the text", (reason, kind) => {
    expect(run([content("partly"), finish(reason), DONE]).message).toMatchObject({
      stopReason: "error",
      errorMessage: `Provider finish_reason: ${reason}`,
      error: { kind },
      content: [{ text: "partly" }],
    });
  });

  it.each(["banana", "constructor", 7])(
    "%s is a stop with a diagnostic if the end marker follows content",
    (reason) => {
      const { message, stopped } = run([content("whole"), finish(reason), DONE]);
      expect(stopped).toBe(true);
      expect(message).toMatchObject({
        stopReason: "stop",
        content: [{ text: "whole" }],
        diagnostics: [{ type: "unknown_finish_reason", details: { finishReason: String(reason) } }],
      });
      expect(message).not.toHaveProperty("errorMessage");
    },
  );

  it("is an error for an unknown finish reason without content or without the end marker", () => {
    const failed = { stopReason: "error", errorMessage: "Provider finish_reason: banana", error: { kind: "protocol" } };
    expect(run([finish("banana"), DONE]).message).toMatchObject(failed);
    expect(run([content("partly"), finish("banana")]).message).toMatchObject(failed);
  });

  it("is a stop with a diagnostic if the end marker follows content without a finish reason", () => {
    expect(run([content("x"), DONE])).toMatchObject({
      stopped: true,
      message: { stopReason: "stop", diagnostics: [{ type: "missing_finish_reason" }] },
    });
    expect(run([chunk({ reasoning: "hm" }), DONE]).message.stopReason).toBe("stop");
    expect(run([calls(fragment(0, "a", "one", "{}")), DONE]).message).toMatchObject({
      stopReason: "toolUse",
      diagnostics: [{ type: "missing_finish_reason" }],
    });
    const { message } = run([content("x"), DONE], { supportsFinishReason: false });
    expect(message.stopReason).toBe("stop");
    expect(message).not.toHaveProperty("diagnostics");
  });

  it("does not stop without content or without an end marker", () => {
    expect(run([DONE]).stopped).toBe(false);
    expect(run([content(""), DONE]).stopped).toBe(false);
    expect(run([content("x"), finish(null), finish("")]).stopped).toBe(false);
  });

  it("keeps the text of a refusal, with one diagnostic", () => {
    const { message } = run([chunk({ refusal: "I " }), chunk({ refusal: "will not." }), finish("stop"), DONE]);
    expect(message).toMatchObject({
      stopReason: "stop",
      content: [{ type: "text", text: "I will not." }],
      diagnostics: [{ type: "refusal", details: { text: "I will not." } }],
    });
    expect(message.diagnostics).toHaveLength(1);
  });

  it("is toolUse for `stop` with tool calls", () => {
    expect(run([calls(fragment(0, "a", "one", "{}")), finish("stop")]).message.stopReason).toBe("toolUse");
  });

  it("throws an error chunk with the provider's text", () => {
    const error = { error: { message: "no capacity", code: 503 }, usage: { prompt_tokens: 3 } };
    expect(errorOf(() => run([content("x"), error]))).toMatchObject({ message: "no capacity", kind: "overloaded" });
  });
});
