import { describe, expect, it } from "vitest";
import { errorOf } from "../../../test/support/assemble.internal.js";
import { checkEvents } from "../../../test/support/check-events.js";
import { plainModel } from "../../../test/support/plain-adapter.js";
import { resolveAnthropicFlags } from "../../catalogue/compat/anthropic.js";
import { AssistantMessageBuilder } from "../../message/assistant-message-builder.js";
import type { AssistantMessageEvent } from "../../types/event.js";
import type { AssistantMessage } from "../../types/message.js";
import { createAnthropicMapping } from "./stream.js";

/** Feeds wire events until the response ends; later events are not read, as in the driver. */
function map(...wire: unknown[]): AssistantMessage {
  return mapPriced(undefined, ...wire);
}

function mapPriced(webSearchPrice: number | undefined, ...wire: unknown[]): AssistantMessage {
  const events: AssistantMessageEvent[] = [];
  const builder = new AssistantMessageBuilder({ model: plainModel, emit: (event) => events.push(event) });
  const mapping = createAnthropicMapping("test", webSearchPrice === undefined ? undefined : { webSearchPrice });
  for (const event of wire) if (mapping(event, builder)) break;
  builder.finish();
  return checkEvents(events);
}

const start = { type: "message_start", message: { id: "msg_1", usage: { input_tokens: 10, output_tokens: 1 } } };
const block = (index: number, content_block: unknown) => ({ type: "content_block_start", index, content_block });
const delta = (index: number, value: unknown) => ({ type: "content_block_delta", index, delta: value });
const text = (index: number, value: unknown) => delta(index, { type: "text_delta", text: value });
const json = (index: number, value: unknown) => delta(index, { type: "input_json_delta", partial_json: value });
const stop = (index: number) => ({ type: "content_block_stop", index });
const end = (reason: unknown, usage?: unknown) => [
  { type: "message_delta", delta: { stop_reason: reason }, usage },
  { type: "message_stop" },
];
const say = (value: string) => [block(0, { type: "text", text: "" }), text(0, value), stop(0)];

describe("Anthropic mapping: content", () => {
  it("leaves out a block whose type is empty", () => {
    const message = map(start, block(0, { type: "", text: "?" }), text(0, "?"), stop(0), ...end("end_turn"));
    expect(message.content).toEqual([]);
  });

  it("reads thinking, text and a tool call", () => {
    const message = map(
      start,
      block(0, { type: "thinking", thinking: "", signature: "" }),
      delta(0, { type: "thinking_delta", thinking: "hm" }),
      delta(0, { type: "signature_delta", signature: "si" }),
      delta(0, { type: "signature_delta", signature: "g" }),
      stop(0),
      block(1, { type: "redacted_thinking", data: "payload" }),
      stop(1),
      ...[block(2, { type: "text", text: "A" }), text(2, "nswer"), stop(2)],
      block(3, { type: "tool_use", id: "toolu_1", name: "edit", input: {} }),
      json(3, '{"x"'),
      json(3, ":1}"),
      stop(3),
      ...end("tool_use", { output_tokens: 30 }),
    );
    expect(message).toMatchObject({
      responseId: "msg_1",
      stopReason: "toolUse",
      usage: { input: 10, output: 30, totalTokens: 40 },
      content: [
        { type: "thinking", thinking: "hm", thinkingSignature: "sig" },
        { type: "thinking", thinking: "", thinkingSignature: "payload", redacted: true },
        { type: "text", text: "Answer" },
        { type: "toolCall", id: "toolu_1", name: "edit", arguments: { x: 1 } },
      ],
    });
  });

  it("separates interleaved blocks", () => {
    const { content } = map(
      start,
      block(0, { type: "text", text: "" }),
      text(0, "Hel"),
      block(1, { type: "tool_use", id: "t", name: "edit" }),
      json(1, '{"x":'),
      text(0, "lo"),
      json(1, "1}"),
      stop(1),
      stop(0),
      ...end("tool_use"),
    );
    expect(content).toMatchObject([{ text: "Hel" }, { arguments: { x: 1 } }, { text: "lo" }]);
  });

  it("ignores unknown events and deltas, and those of blocks that never began", () => {
    const { content } = map(
      { type: "ping" },
      { type: "unheard_of", index: 0 },
      Symbol("[DONE]"),
      start,
      ...[
        block(2, { type: "text", text: "" }),
        delta(2, { type: "citations_delta", citation: {} }),
        text(2, "yes"),
        stop(2),
      ],
      text(9, "no"),
      ...end("end_turn"),
    );
    expect(content).toEqual([{ type: "text", text: "yes" }]);
  });

  it("loses no text if an index or message_start arrives twice", () => {
    const message = map(start, ...say("one"), ...say("two"), start, ...say("three"), ...end("end_turn"));
    expect(message.content).toMatchObject([{ text: "one" }, { text: "two" }, { text: "three" }]);
  });

  it("reads content that arrives with message_start", () => {
    const content = [
      null,
      { type: "text", text: "whole" },
      { type: "tool_use", id: "t", name: "edit", input: { x: 1 } },
    ];
    expect(map({ type: "message_start", message: { content } }, ...end("tool_use")).content).toMatchObject([
      { text: "whole" },
      { arguments: { x: 1 } },
    ]);
  });

  it.each([
    [{}],
    [{ type: "message_start" }],
    [{ type: "message_start", message: null }],
    [{ type: "message_start", message: "x" }],
    [{ type: "message_start", message: { content: "x", usage: "x" } }],
    [{ type: "content_block_start" }],
    [{ type: "content_block_start", index: 0, content_block: null }],
    [{ type: "content_block_start", index: 0, content_block: 5 }],
    [{ type: "content_block_delta" }],
    [{ type: "content_block_delta", index: 0, delta: null }],
    [text(0, undefined)],
    [text(0, null)],
    [text(0, 5)],
    [delta(0, { type: "signature_delta", signature: 5 })],
    [json(0, {})],
    [{ type: "content_block_stop", index: "x" }],
    [{ type: "message_delta" }],
    [{ type: "message_delta", delta: null, usage: null }],
  ])("survives %j", (odd) => {
    const message = map(start, block(0, { type: "text", text: "" }), text(0, "yes"), odd, ...end("end_turn"));
    expect(message.content[0]).toEqual({ type: "text", text: "yes" });
    expect(JSON.stringify(message)).not.toMatch(/undefined|NaN/);
  });
});

describe("Anthropic mapping: usage", () => {
  it("reads disjoint counts, and keeps those that the last event omits", () => {
    const usage = {
      input_tokens: 10,
      output_tokens: 1,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 50,
      cache_creation: { ephemeral_1h_input_tokens: 20 },
    };
    const message = map(
      { type: "message_start", message: { usage } },
      ...end("end_turn", { output_tokens: 9, input_tokens: null }),
    );
    expect(message.usage).toMatchObject({
      input: 10,
      output: 9,
      cacheRead: 100,
      cacheWrite: 50,
      cacheWrite1h: 20,
      totalTokens: 169,
    });
  });

  it("keeps the counts of the prompt if the last event has only zeros", () => {
    const zeros = { input_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 5 };
    expect(map(start, ...end("end_turn", zeros)).usage).toMatchObject({ input: 10, output: 5, totalTokens: 15 });
  });

  it.each([null, -5, "12", Number.POSITIVE_INFINITY, Number.NaN, 2 ** 60, {}])("ignores a count of %j", (value) => {
    const message = map(start, ...end("end_turn", { output_tokens: value, input_tokens: value }));
    expect(message.usage).toMatchObject({ input: 10, output: 1, totalTokens: 11 });
  });
});

describe("Anthropic mapping: the end", () => {
  it.each([
    ["end_turn", "stop"],
    ["pause_turn", "pause"],
    ["compaction", "pause"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["tool_use", "toolUse"],
    ["stop", "stop"],
    ["length", "length"],
    ["tool_calls", "toolUse"],
    ["function_call", "toolUse"],
  ])("%s is %s", (reason, expected) => {
    expect(map(start, ...say("x"), ...end(reason))).toMatchObject({ stopReason: expected });
  });

  it.each([
    ["refusal", "content_filter"],
    ["sensitive", "content_filter"],
    ["content_filter", "content_filter"],
    ["model_context_window_exceeded", "context_overflow"],
    ["banana", "protocol"],
    ["constructor", "protocol"],
    [7, "protocol"],
  ])("%s is an error that quotes the stop reason and keeps the text", (reason, kind) => {
    const message = map(start, ...say("partly"), ...end(reason));
    expect(message).toMatchObject({ stopReason: "error", error: { kind }, content: [{ text: "partly" }] });
    expect(message.errorMessage).toContain(String(reason));
  });

  it("is an error without a reason", () => {
    expect(map(start, ...say("x"), { type: "message_stop" })).toMatchObject({
      stopReason: "error",
      error: { kind: "protocol" },
    });
    expect(map(start, ...say("x"), ...end(null))).toMatchObject({ stopReason: "error" });
  });

  it("comes with message_stop, and later events are not read", () => {
    const mapping = createAnthropicMapping("test");
    const builder = new AssistantMessageBuilder({ model: plainModel, emit: () => {} });
    const over = [start, ...say("x"), ...end("end_turn")].map((event) => mapping(event, builder));
    expect(over.map((value, index) => (value ? index : -1)).filter((index) => index !== -1)).toEqual([over.length - 1]);
  });

  it("throws an error event with the provider's text", () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    expect(errorOf(() => map(start, error))).toMatchObject({
      message: "overloaded_error: Overloaded",
      kind: "overloaded",
      retryable: true,
    });
  });
});

describe("Anthropic mapping: the responding model and its thinking", () => {
  const started = (model: string) => ({ ...start, message: { ...start.message, model } });

  it("sets responseModel if it is not the requested model", () => {
    expect(map(started("m-20260101"), ...say("x"), ...end("end_turn")).responseModel).toBe("m-20260101");
    expect(map(started(plainModel.id), ...say("x"), ...end("end_turn"))).not.toHaveProperty("responseModel");
  });

  it.each([plainModel.id, "m-20260101"])("sets responseModel to the model that took over from %s", (model) => {
    const fallback = block(0, { type: "fallback", from: { model }, to: { model: "other" } });
    const message = map(started(model), fallback, stop(0), block(1, { type: "text", text: "x" }), ...end("end_turn"));
    expect(message).toMatchObject({
      responseModel: "other",
      content: [
        { type: "serverTool", name: "fallback", status: "done" },
        { type: "text", text: "x" },
      ],
      diagnostics: [{ type: "fallback", details: { from: { model }, to: { model: "other" } } }],
    });
  });

  it.each([null, 5, {}, { model: 5 }, { model: "" }])("survives a fallback to %j", (to) => {
    expect(map(started("other"), block(0, { type: "fallback", to }), ...end("end_turn")).responseModel).toBe("other");
  });

  it("counts thinking as part of the output", () => {
    const usage = { output_tokens: 106, output_tokens_details: { thinking_tokens: 67 } };
    expect(map(start, ...say("x"), ...end("end_turn", usage)).usage).toMatchObject({ output: 106, reasoning: 67 });
  });

  it("quotes the explanation of a refusal", () => {
    const stop_details = { type: "refusal", category: "cyber", explanation: "It asks for malware." };
    const refused = { type: "message_delta", delta: { stop_reason: "refusal", stop_details } };
    expect(map(start, refused, { type: "message_stop" })).toMatchObject({
      stopReason: "error",
      errorMessage: "The model refused to answer (refusal): It asks for malware.",
      error: { kind: "content_filter" },
    });
    const whole = { ...start.message, content: [], stop_reason: "refusal", stop_details };
    expect(map({ type: "message_start", message: whole }, { type: "message_stop" }).errorMessage).toContain("malware");
  });
});

describe("Anthropic mapping: web searches", () => {
  const usage = { output_tokens: 5, server_tool_use: { web_search_requests: 4 } };
  const tokens = (message: AssistantMessage): number =>
    message.usage.cost.input + message.usage.cost.output + message.usage.cost.cacheRead + message.usage.cost.cacheWrite;

  it("add to the total cost once, even if the count is repeated", () => {
    const repeated = { type: "message_delta", delta: {}, usage: { server_tool_use: { web_search_requests: 3 } } };
    const { cost } = mapPriced(0.01, start, ...say("x"), repeated, ...end("end_turn", usage)).usage;
    expect(cost.total - tokens({ usage: { cost } } as AssistantMessage)).toBeCloseTo(0.04, 9); // only the cost is read
  });

  it("cost nothing on a host with an unknown price, and tolerate malformed counts", () => {
    const message = map(start, ...say("x"), ...end("end_turn", usage));
    expect(message.usage.cost.total).toBeCloseTo(tokens(message), 12);
    const odd = { output_tokens: 5, server_tool_use: { web_search_requests: "many" } };
    const other = mapPriced(0.01, start, ...say("x"), ...end("end_turn", odd));
    expect(other.usage.cost.total).toBeCloseTo(tokens(other), 12);
  });

  it("have a price only at Anthropic's own URL", () => {
    const price = (baseUrl: string): number => resolveAnthropicFlags({ ...plainModel, baseUrl }).webSearchPrice;
    expect(price("https://api.anthropic.com")).toBe(0.01);
    expect(price("https://gateway.example.com")).toBe(0);
  });
});

describe("Anthropic mapping: iterations that the counts omit", () => {
  const model = {
    id: "claude-executor",
    cost: { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 },
  };
  const mapModel = (...wire: unknown[]): AssistantMessage => {
    const builder = new AssistantMessageBuilder({ model: plainModel, emit: () => {} });
    const mapping = createAnthropicMapping("test", { webSearchPrice: 0, model });
    for (const event of wire) mapping(event, builder);
    return builder.finish();
  };
  const message = { type: "message", input_tokens: 600, output_tokens: 50 };
  const compaction = {
    type: "compaction",
    input_tokens: 60_000,
    output_tokens: 500,
    cache_creation_input_tokens: 1000,
    cache_creation: { ephemeral_1h_input_tokens: 1000 },
  };
  const advisor = { type: "advisor_message", model: "claude-advisor", input_tokens: 2500, cache_read_input_tokens: 7 };
  const counts = { input_tokens: 600, output_tokens: 50 };

  it("adds a diagnostic for compaction and an advisor, with the cost if the price is known, and keeps the counts", () => {
    const usage = { ...counts, iterations: [compaction, advisor, null, { ...message, model: model.id }] };
    const seen = mapModel(start, ...say("x"), ...end("end_turn", usage));
    expect(seen.usage).toMatchObject({ input: 600, output: 50, totalTokens: 650 });
    expect(seen.diagnostics).toMatchObject([{ type: "usage_iterations" }]);
    expect(seen.diagnostics?.[0]?.details).toEqual({
      iterations: [
        {
          type: "compaction",
          input: 60_000,
          output: 500,
          cacheRead: 0,
          cacheWrite: 1000,
          cacheWrite1h: 1000,
          cost: expect.closeTo(0.129, 9),
        },
        { type: "advisor_message", model: "claude-advisor", input: 2500, output: 0, cacheRead: 7, cacheWrite: 0 },
        {
          type: "message",
          model: "claude-executor",
          input: 600,
          output: 50,
          cacheRead: 0,
          cacheWrite: 0,
          cost: expect.closeTo(0.0017, 9),
        },
      ],
    });
  });

  it("adds the diagnostic once, as soon as they arrive", () => {
    const delta = { type: "message_delta", delta: {}, usage: { ...counts, iterations: [compaction, message] } };
    expect(mapModel(start, ...say("x"), delta, delta).diagnostics).toHaveLength(1);
  });

  it.each([
    ["the counts hold everything", [message, message]],
    ["there are none", []],
    ["they are null", null],
    ["they are no list", "compaction"],
    ["they hold no objects", [null, "compaction", 5]],
  ])("adds no diagnostic if %s", (_, iterations) => {
    const seen = mapModel(start, ...say("x"), ...end("end_turn", { ...counts, iterations }));
    expect(seen.diagnostics).toBeUndefined();
    expect(seen).toMatchObject({ stopReason: "stop", usage: { input: 600, output: 50 } });
  });

  it("keeps the price that a gateway reports", () => {
    const { cost } = mapModel(start, ...say("x"), ...end("end_turn", { ...counts, cost: 0.25 })).usage;
    expect(cost).toMatchObject({ reported: 0.25, total: cost.input + cost.output });
    expect(mapModel(start, ...say("x"), ...end("end_turn", counts)).usage.cost).not.toHaveProperty("reported");
  });
});
