import { expect, test } from "vitest";
import { createModel } from "../../../test/models.js";
import { assemble } from "../../../test/support/assemble.internal.js";
import { resolveResponsesFlags } from "../../catalogue/compat/openai-responses.js";
import type { Model } from "../../types/model.js";
import { DONE } from "../../wire/body-decoder.js";
import { createResponsesMapping } from "./stream.js";

const MODEL = createModel("openai-responses", {
  cost: { input: 1_000_000, output: 1_000_000, cacheRead: 1_000_000, cacheWrite: 1_000_000 },
});

type Wire = Record<string, unknown>;

const completed = (response: Wire = {}): Wire => ({ type: "response.completed", response });
const added = (output_index: number, item: Wire): Wire => ({ type: "response.output_item.added", output_index, item });
const done = (output_index: number, item: Wire): Wire => ({ type: "response.output_item.done", output_index, item });
const text = (output_index: number, delta: unknown, more: Wire = {}): Wire => ({
  type: "response.output_text.delta",
  output_index,
  delta,
  ...more,
});
const args = (output_index: number, delta: string): Wire => ({
  type: "response.function_call_arguments.delta",
  output_index,
  delta,
});
const summary = (output_index: number, summary_index: number, delta: string): Wire => ({
  type: "response.reasoning_summary_text.delta",
  output_index,
  summary_index,
  delta,
});
const call = (id: string, more: Wire = {}): Wire => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: `call_${id}`,
  name: "look",
  arguments: "",
  ...more,
});

function run(events: Wire[], model: Partial<Model> = {}, tier?: string): ReturnType<typeof assemble> {
  const target = { ...MODEL, ...model };
  return assemble(createResponsesMapping("openai", resolveResponsesFlags(target), tier), events, target);
}

test("a message keeps its id and phase in the signature of its text", () => {
  const { message, events, overAt } = run([
    { type: "response.created", response: { id: "resp_1", model: "gpt-x-2026" } },
    added(0, { type: "message", id: "msg_1", phase: "commentary" }),
    { type: "response.content_part.added", output_index: 0, content_index: 0, part: { type: "output_text", text: "" } },
    text(0, "Hel"),
    text(0, "lo"),
    { type: "response.output_text.done", output_index: 0, content_index: 0, text: "Hello" },
    done(0, { type: "message", id: "msg_2", content: [{ type: "output_text", text: "Hello" }] }),
    completed({ id: "resp_2", status: "completed" }),
  ]);
  expect(message).toMatchObject({ stopReason: "stop", responseId: "resp_1", responseModel: "gpt-x-2026" });
  const textSignature = JSON.stringify({ v: 1, id: "msg_2", phase: "commentary" });
  expect(message.content).toEqual([{ type: "text", text: "Hello", textSignature }]);
  expect(events).toEqual(["start", "text_start", "text_delta", "text_delta", "text_end", "done"]);
  expect(overAt).toBe(7);
});

test("items are distinguished by their place, regardless of the ids in the events", () => {
  const { message } = run([
    added(0, call("a")),
    added(1, call("b")),
    { ...args(1, '{"n":'), item_id: "fc_x" },
    { ...args(0, '{"m":1'), item_id: "fc_y" },
    { ...args(1, "2}"), item_id: "fc_z" },
    done(1, call("b", { id: "fc_other", arguments: '{"n":2}' })),
    done(0, call("a", { arguments: '{"m":1}' })),
    completed(),
  ]);
  expect(message.content).toEqual([
    { type: "toolCall", id: "call_a|fc_a", name: "look", arguments: { m: 1 } },
    { type: "toolCall", id: "call_b|fc_b", name: "look", arguments: { n: 2 } },
  ]);
  expect(message.stopReason).toBe("toolUse");
});

test("without a place an item is found by its id, else it is the open one", () => {
  const item = call("a");
  const { message } = run([
    { type: "response.output_item.added", item },
    { type: "response.output_item.added", item: call("b") },
    { type: "response.function_call_arguments.delta", item_id: "fc_a", delta: '{"a":1}' },
    { type: "response.function_call_arguments.delta", delta: '{"b":1}' },
    { type: "response.output_item.done", item },
    completed(),
  ]);
  expect(message.content).toMatchObject([{ arguments: { a: 1 } }, { arguments: { b: 1 } }]);
});

test.each([
  ["longer than the deltas", [args(0, '{"a"')], '{"a":1}', ""],
  ["only in the event that ends them", [], '{"a":1}', ""],
  ["only in the item", [], "", '{"a":1}'],
  ["an object in the item", [], "", { a: 1 }],
])("arguments that are %s are complete", (_name, deltas, final, inItem) => {
  const { message, events } = run([
    added(0, call("a")),
    ...deltas,
    { type: "response.function_call_arguments.done", output_index: 0, arguments: final },
    done(0, call("a", { arguments: inItem })),
    completed(),
  ]);
  expect(message.content).toEqual([{ type: "toolCall", id: "call_a|fc_a", name: "look", arguments: { a: 1 } }]);
  expect(events).toContain("toolcall_delta");
});

test("a tool call that was never announced or never ended is still one tool call", () => {
  const unannounced = run([args(0, "{}"), done(0, call("a", { arguments: '{"a":1}' })), completed()]);
  expect(unannounced.message.content).toMatchObject([{ id: "call_a|fc_a", arguments: { a: 1 } }]);
  const unended = run([added(0, call("a")), args(0, '{"a":1}'), completed()]);
  expect(unended.message.content).toMatchObject([{ id: "call_a|fc_a", arguments: { a: 1 } }]);
  const nameless = run([added(0, { type: "function_call" }), done(0, call("a")), completed()]);
  expect(nameless.message.content).toMatchObject([{ id: "call_a|fc_a", name: "look", arguments: {} }]);
});

test("a custom tool's text is not JSON, so the tool call has an argumentsError", () => {
  const { message } = run([
    added(0, { type: "custom_tool_call", id: "ctc_1", call_id: "call_1", name: "patch", input: "" }),
    { type: "response.custom_tool_call_input.delta", output_index: 0, delta: "*** Begin" },
    done(0, { type: "custom_tool_call", id: "ctc_1", call_id: "call_1", name: "patch", input: "*** Begin" }),
    completed(),
  ]);
  expect(message.content).toMatchObject([
    { name: "patch", argumentsText: "*** Begin", argumentsError: expect.any(String) },
  ]);
});

test("text arrives regardless of how it is announced", () => {
  const cases: Wire[][] = [
    [text(0, "Hi"), completed()],
    [{ type: "response.output_text.done", output_index: 0, text: "Hi" }, completed()],
    [{ type: "response.content_part.done", output_index: 0, part: { type: "output_text", text: "Hi" } }, completed()],
    [done(0, { type: "message", content: [{ type: "output_text", text: "Hi" }] }), completed()],
    [completed({ output: [{ type: "message", content: [{ type: "output_text", text: "Hi" }] }] })],
    [text(0, "H"), done(0, { type: "message", content: [{ type: "output_text", text: "Hi" }] }), completed()],
    [
      text(0, "Hi"),
      added(0, { type: "message", id: "msg_1" }),
      completed({ output: [{ type: "message", content: [{ type: "output_text", text: "Hi" }] }] }),
    ],
  ];
  for (const events of cases) {
    expect(run(events).message.content.map((block) => block.type === "text" && block.text)).toEqual(["Hi"]);
  }
});

test("content repeated at the end is not added twice, and content only at the end is not lost", () => {
  const message = { type: "message", id: "msg_1", content: [{ type: "output_text", text: "Hi" }] };
  const { message: response } = run([
    added(3, { ...message, content: [] }),
    text(3, "Hi"),
    done(3, message),
    added(4, call("a")),
    done(4, call("a")),
    completed({ output: [message, call("a"), call("b")] }),
  ]);
  expect(response.content.map((block) => (block.type === "toolCall" ? block.id : block.type))).toEqual([
    "text",
    "call_a|fc_a",
    "call_b|fc_b",
  ]);
});

test("a refusal is text, with a diagnostic", () => {
  const { message } = run([
    added(0, { type: "message", id: "msg_1" }),
    { type: "response.refusal.delta", output_index: 0, content_index: 0, delta: "I can" },
    { type: "response.refusal.done", output_index: 0, content_index: 0, refusal: "I can't" },
    done(0, { type: "message", id: "msg_1", content: [{ type: "refusal", refusal: "I can't" }] }),
    completed(),
  ]);
  expect(message.content).toMatchObject([{ type: "text", text: "I can't" }]);
  expect(message.diagnostics).toMatchObject([{ type: "refusal", details: { text: "I can't" } }]);
});

test("the parts of a summary form one thinking block, signed with the whole item", () => {
  const item = {
    type: "reasoning",
    id: "rs_1",
    encrypted_content: "gAAA",
    summary: [
      { type: "summary_text", text: "One" },
      { type: "summary_text", text: "Two" },
    ],
  };
  const { message } = run([
    added(0, { type: "reasoning", id: "rs_1", encrypted_content: "early", summary: [] }),
    summary(0, 0, "One"),
    { type: "response.reasoning_summary_text.done", output_index: 0, summary_index: 0, text: "One" },
    summary(0, 1, "Tw"),
    summary(0, 1, "o"),
    done(0, item),
    completed(),
  ]);
  expect(message.content).toEqual([
    { type: "thinking", thinking: "One\n\nTwo", thinkingSignature: JSON.stringify(item) },
  ]);
});

test("if reasoning and its summary both arrive, the first one is shown", () => {
  const { message } = run([
    added(0, { type: "reasoning", id: "rs_1" }),
    { type: "response.reasoning_text.delta", output_index: 0, content_index: 0, delta: "Raw" },
    summary(0, 0, "Short"),
    done(0, { type: "reasoning", content: [{ text: "Raw" }], summary: [{ text: "Short" }] }),
    completed(),
  ]);
  expect(message.content).toMatchObject([{ thinking: "Raw" }]);
});

test("reasoning without text keeps its encrypted content; truncated reasoning is not signed", () => {
  const item = { type: "reasoning", id: "rs_1", encrypted_content: "gAAA", summary: [] };
  expect(run([added(0, item), done(0, item), completed()]).message.content).toEqual([
    { type: "thinking", thinking: "", thinkingSignature: JSON.stringify(item) },
  ]);
  expect(run([added(0, item), completed()]).message.content).toEqual([{ type: "thinking", thinking: "" }]);
});

test("items that end out of order keep their own reasoning", () => {
  const first = { type: "reasoning", id: "rs_1", encrypted_content: "1" };
  const second = { type: "reasoning", id: "rs_2", encrypted_content: "2" };
  const { message } = run([added(0, first), added(1, second), done(1, second), done(0, first), completed()]);
  expect(message.content).toMatchObject([
    { thinkingSignature: JSON.stringify(first) },
    { thinkingSignature: JSON.stringify(second) },
  ]);
});

test("arguments of a function are not the input of a server tool", () => {
  const { message } = run([
    added(0, { type: "web_search_call", id: "ws_1" }),
    args(0, '{"query":1}'),
    done(0, { type: "web_search_call", id: "ws_1" }),
    { type: "response.unheard_of", output_index: 0 },
    completed(),
  ]);
  expect(message).toMatchObject({ content: [{ type: "serverTool", id: "ws_1", status: "done" }], stopReason: "stop" });
  expect(message.content[0]).not.toHaveProperty("input");
});

test.each([
  ["response.completed", { status: "completed" }, "stop", undefined],
  ["response.completed", { status: "in_progress" }, "stop", undefined],
  ["response.completed", {}, "stop", undefined],
  ["response.done", { status: "completed" }, "stop", undefined],
  ["response.done", { status: "incomplete" }, "length", undefined],
  ["response.incomplete", { incomplete_details: { reason: "max_output_tokens" } }, "length", undefined],
  ["response.incomplete", { incomplete_details: { reason: "content_filter" } }, "error", "content_filter"],
  ["response.completed", { status: "half_done" }, "error", "half_done"],
  [
    "response.completed",
    { status: "failed", error: { code: "server_error", message: "Oh" } },
    "error",
    "server_error: Oh",
  ],
  ["response.cancelled", { status: "cancelled" }, "error", "The response was cancelled"],
  [
    "response.failed",
    { error: { code: "rate_limit_exceeded", message: "Slow" } },
    "error",
    "rate_limit_exceeded: Slow",
  ],
  ["response.failed", { error: null, incomplete_details: { reason: "odd" } }, "error", "incomplete: odd"],
  ["response.failed", {}, "error", "Unknown error (no error details in response)"],
])("%s with %j is %s", (type, response, stopReason, words) => {
  const { message } = run([text(0, "Hi"), { type, response }]);
  expect(message).toMatchObject({ stopReason, content: [{ type: "text", text: "Hi" }] });
  if (words === undefined) expect(message.errorMessage).toBeUndefined();
  else expect(message.errorMessage).toContain(words);
});

test.each([
  [{ type: "error", code: "server_error", message: "Oh" }, "server_error: Oh", { kind: "server" }],
  [
    { type: "error", error: { type: "insufficient_quota", message: "No" } },
    expect.stringMatching(/^insufficient_quota: No \(the credit or quota at openai is used up: add credit/),
    { kind: "quota" },
  ],
  [
    { type: "error", status: 400, error: { code: "x", message: "Bad" } },
    "x: Bad",
    { kind: "invalid_request", status: 400 },
  ],
  [{ type: "error", error: "Plain" }, "Plain", { kind: "server" }],
  [{ type: "error" }, "Unknown error (no error details in response)", { kind: "server" }],
])("the event %j is an error with the provider's text", (event, errorMessage, error) => {
  expect(run([text(0, "Hi"), event]).message).toMatchObject({ stopReason: "error", errorMessage, error });
});

test("counts are disjoint, and survive a failure", () => {
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 30, cache_write_tokens: 20 },
    output_tokens: 10,
    output_tokens_details: { reasoning_tokens: 4 },
    total_tokens: 999,
  };
  const counts = { input: 50, cacheRead: 30, cacheWrite: 20, output: 10, reasoning: 4, totalTokens: 110 };
  expect(run([completed({ usage })]).message.usage).toMatchObject(counts);
  expect(run([{ type: "response.failed", response: { usage } }]).message.usage).toMatchObject(counts);
  const odd = { input_tokens: -1, output_tokens: "7", input_tokens_details: null, output_tokens_details: 3 };
  expect(run([completed({ usage: odd })]).message.usage).toMatchObject({ input: 0, output: 0, totalTokens: 0 });
});

test.each([
  ["flex", undefined, {}, 0.5],
  ["priority", undefined, {}, 2],
  ["priority", undefined, { id: "gpt-5.5" }, 2.5],
  [undefined, "flex", {}, 0.5],
  ["default", "priority", {}, 1],
  ["default", "priority", { provider: "openai-codex" }, 2],
  ["flex", "priority", {}, 0.5],
  ["constructor", undefined, {}, 1],
])("tier %s, requested %s, of %j costs %d times the price", (service_tier, requested, model, factor) => {
  const { message } = run([completed({ service_tier, usage: { input_tokens: 1 } })], model, requested);
  expect(message.usage.cost.total).toBe(factor);
});

test("the end marker of other apis ends the response, but does not complete it", () => {
  const mapping = createResponsesMapping("openai", resolveResponsesFlags(MODEL), undefined);
  expect(assemble(mapping, [text(0, "Hi"), DONE], MODEL)).toMatchObject({
    overAt: 1,
    message: { stopReason: "error" },
  });
});

test("malformed events are ignored", () => {
  const odd: unknown[] = [null, 7, "x", [], { id: 7 }, { type: 7 }];
  const events = odd.flatMap((value) => [
    { type: "response.output_item.added", output_index: value, item: value },
    { type: "response.output_item.done", output_index: value, item: { type: "message", content: value, id: value } },
    {
      type: "response.output_item.done",
      output_index: value,
      item: { type: "reasoning", summary: [value], phase: value },
    },
    {
      type: "response.output_item.added",
      output_index: 9,
      item: { type: "function_call", call_id: value, name: value },
    },
    { type: "response.function_call_arguments.done", output_index: 9, arguments: value },
    { type: "response.output_text.delta", output_index: value, content_index: value, delta: value, item_id: value },
    { type: "response.content_part.done", part: value },
    { type: "response.in_progress", response: value },
    { type: value },
  ]);
  const { message } = run([...(events as Wire[]), completed({ output: odd, usage: 7, id: 7 })]); // malformed
  expect(["stop", "toolUse"]).toContain(message.stopReason);
  expect(JSON.parse(JSON.stringify(message.content)).every((block: Wire) => typeof block["type"] === "string")).toBe(
    true,
  );
});

test("written tokens are counted also where only their lifetimes are told", () => {
  const counts = (details: Wire) =>
    run([completed({ usage: { input_tokens: 100, input_tokens_details: details } })]).message.usage;
  const byTime = { ttl_30m_tokens: 10, ttl_12h_tokens: 30 };
  expect(counts({ cached_tokens: 20, cache_write_tokens_details: byTime })).toMatchObject({
    input: 40,
    cacheWrite: 40,
  });
  expect(counts({ cache_write_tokens: 40, cache_write_tokens_details: byTime })).toMatchObject({ cacheWrite: 40 });
  expect(counts({ cache_write_tokens_details: { ttl_30m_tokens: "10" } })).toMatchObject({ input: 100, cacheWrite: 0 });
});

test("reasoning that the server left out of the input, and a cache miss, are diagnostics", () => {
  const changes = [{ type: "reasoning", id: "rs_1", action: "removed", reason: "prefix_mismatch" }];
  const miss = { type: "cache_miss", cache_missed_tokens: 5, reason: "verbosity_changed" };
  const diagnosticsOf = (response: Wire): unknown => run([text(0, "a"), completed(response)]).message.diagnostics;
  expect(diagnosticsOf({ input_transformations: changes, prompt_cache_diagnostics: miss })).toMatchObject([
    { type: "input_transformations", details: { changes } },
    { type: "cache_miss", details: { reason: "verbosity_changed", missedTokens: 5 } },
  ]);
  for (const type of ["cache_hit", "comparison_response_not_found", "unavailable"]) {
    expect(diagnosticsOf({ input_transformations: [], prompt_cache_diagnostics: { type } })).toBeUndefined();
  }
});

test.each([
  ["Please try again in 3.5s. Visit https://platform.openai.com", 3500],
  ["Rate limit reached. Please try again in 820ms.", 820],
  ["Please try again in 6m0s.", 360_000],
  ["Try again in 1m2.5s", 62_500],
  ["Please try again in a minute.", undefined],
  ["Please try again in 5 years", undefined],
])("a limit that is told in the stream says how long to wait: %s", (message, retryAfterMs) => {
  const error = { code: "rate_limit_exceeded", message };
  for (const event of [
    { type: "error", error },
    { type: "error", ...error },
    { type: "response.failed", response: { status: "failed", error } },
  ]) {
    const { message: failed } = run([event]);
    expect(failed.error?.kind).toBe("rate_limit");
    expect(failed.error?.retryAfterMs).toBe(retryAfterMs);
  }
});
