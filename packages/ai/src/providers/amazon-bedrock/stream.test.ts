import { expect, test } from "vitest";
import { type Assembled, assemble } from "../../../test/support/assemble.internal.js";
import type { Model } from "../../types/model.js";
import type { AwsEvent } from "../../wire/aws-event-stream.js";
import { createBedrockMapping } from "./stream.js";

const MODEL: Model = {
  id: "anthropic.claude-sonnet-4-5",
  name: "Sonnet",
  api: "bedrock-converse-stream",
  provider: "amazon-bedrock",
  baseUrl: "https://bedrock-runtime.us-east-1.amazonaws.com",
  reasoning: true,
  input: ["text"],
  cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
  contextWindow: 1000,
  maxTokens: 100,
};

function run(...events: (AwsEvent | Record<string, unknown>)[]): Assembled {
  const wire = events.map((event) => {
    if ("kind" in event) return event;
    const [name, payload] = Object.entries(event)[0] ?? [];
    return { kind: "event", name, payload };
  });
  return assemble(createBedrockMapping("amazon-bedrock"), wire, MODEL);
}

const start = { messageStart: { role: "assistant" } };
const delta = (contentBlockIndex: number, fields: object): Record<string, unknown> => ({
  contentBlockDelta: { contentBlockIndex, delta: fields },
});
const open = (contentBlockIndex: number, toolUse: object): Record<string, unknown> => ({
  contentBlockStart: { contentBlockIndex, start: { toolUse } },
});
const close = (contentBlockIndex: number): Record<string, unknown> => ({ contentBlockStop: { contentBlockIndex } });
const stop = (stopReason: string): Record<string, unknown> => ({ messageStop: { stopReason } });
const exception = (name: string, payload: Record<string, unknown>): AwsEvent => ({ kind: "exception", name, payload });

test("text has no start event, and metadata ends the response", () => {
  const metadata = { metadata: { usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 } } };
  const { message, events, overAt } = run(
    start,
    delta(0, { text: "Hel" }),
    delta(0, { text: "lo" }),
    close(0),
    stop("end_turn"),
    metadata,
  );
  expect(message).toMatchObject({
    content: [{ type: "text", text: "Hello" }],
    stopReason: "stop",
    usage: { input: 3, output: 2, totalTokens: 5 },
  });
  expect(events).toEqual(["start", "text_start", "text_delta", "text_delta", "text_end", "done"]);
  expect(overAt).toBe(5);
});

test("thinking keeps its signature, which may arrive in pieces", () => {
  const { message } = run(
    start,
    delta(0, { reasoningContent: { text: "hm" } }),
    delta(0, { reasoningContent: { signature: "ab" } }),
    delta(0, { reasoningContent: { signature: "cd" } }),
    close(0),
    delta(1, { text: "so" }),
    stop("end_turn"),
  );
  expect(message.content).toEqual([
    { type: "thinking", thinking: "hm", thinkingSignature: "abcd" },
    { type: "text", text: "so" },
  ]);
});

test("a signature without text is also thinking", () => {
  const { message } = run(start, delta(0, { reasoningContent: { signature: "ab" } }), close(0), stop("end_turn"));
  expect(message.content).toEqual([{ type: "thinking", thinking: "", thinkingSignature: "ab" }]);
});

test("hidden thinking is kept unchanged, with its pieces joined as bytes", () => {
  const { message } = run(
    start,
    delta(0, { reasoningContent: { redactedContent: "YQ==" } }),
    delta(0, { reasoningContent: { redactedContent: "Yg==" } }),
    close(0),
    delta(1, { reasoningContent: { redactedContent: "Yw==" } }),
    stop("end_turn"),
  );
  expect(message.content).toEqual([
    { type: "thinking", thinking: "", thinkingSignature: "YWI=", redacted: true },
    { type: "thinking", thinking: "", thinkingSignature: "Yw==", redacted: true },
  ]);
});

test("tool calls have start events, and may interleave", () => {
  const { message } = run(
    start,
    delta(0, { text: "Look:" }),
    open(1, { toolUseId: "t1", name: "a" }),
    open(2, { toolUseId: "t2", name: "b" }),
    delta(1, { toolUse: { input: '{"x":' } }),
    delta(2, { toolUse: { input: "" } }),
    delta(1, { toolUse: { input: "1}" } }),
    close(1),
    close(2),
    stop("tool_use"),
  );
  expect(message.content).toEqual([
    { type: "text", text: "Look:" },
    { type: "toolCall", id: "t1", name: "a", arguments: { x: 1 } },
    { type: "toolCall", id: "t2", name: "b", arguments: {} },
  ]);
  expect(message.stopReason).toBe("toolUse");
});

const begin = (contentBlockIndex: number, fields: object): Record<string, unknown> => ({
  contentBlockStart: { contentBlockIndex, start: fields },
});

test("a server tool becomes a block with its input and its result", () => {
  const { message, events } = run(
    start,
    open(0, { toolUseId: "s1", name: "nova_code_interpreter", type: "server_tool_use" }),
    delta(0, { toolUse: { input: '{"snippet":' } }),
    delta(0, { toolUse: { input: '"1"}' } }),
    close(0),
    delta(1, { text: "One!" }),
    close(1),
    begin(2, { toolResult: { toolUseId: "s1", type: "nova_code_interpreter_result", status: "success" } }),
    delta(2, { toolResult: [{ json: { stdOut: "1", stdErr: "", exitCode: 0, isError: false } }] }),
    close(2),
    stop("end_turn"),
  );
  expect(message.content).toMatchObject([
    {
      type: "serverTool",
      id: "s1",
      name: "nova_code_interpreter",
      status: "done",
      input: { snippet: "1" },
      output: { stdout: "1", exitCode: 0 },
    },
    { type: "text", text: "One!" },
  ]);
  const use = {
    toolUse: { toolUseId: "s1", name: "nova_code_interpreter", type: "server_tool_use", input: { snippet: "1" } },
  };
  const content = [{ json: { stdOut: "1", stdErr: "", exitCode: 0, isError: false } }];
  const toolResult = { toolUseId: "s1", type: "nova_code_interpreter_result", status: "success", content };
  expect(message.content[0]).toHaveProperty(
    "signature",
    JSON.stringify([{ item: use }, { at: 2, order: 2, item: { toolResult } }]),
  );
  expect(events.filter((name) => name.startsWith("servertool")).at(-1)).toBe("servertool_end");
});

test("a failed server tool has an error text, and a result without a use is kept", () => {
  const { message } = run(
    start,
    begin(0, { toolResult: { toolUseId: "s0", type: "x_result", status: "error" } }),
    delta(0, { toolResult: [{ text: "no " }] }),
    delta(0, { toolResult: [{ text: "network" }] }),
    close(0),
    stop("end_turn"),
  );
  expect(message.content).toMatchObject([{ id: "s0", name: "x_result", status: "failed", errorText: "no network" }]);
});

test("a citation may arrive before its text", () => {
  const citation = {
    title: "Policy",
    sourceContent: [{ text: "20 " }, { text: "days" }],
    location: { documentChunk: { documentIndex: 0, start: 0, end: 1 } },
  };
  const web = { location: { web: { url: "https://a.test", domain: "a.test" } } };
  const { message } = run(
    start,
    delta(0, { citation }),
    delta(0, { text: "20." }),
    delta(0, { citation: web }),
    stop("end_turn"),
  );
  expect(message.content).toEqual([
    {
      type: "text",
      text: "20.",
      citations: [
        { title: "Policy", quote: "20 days", source: "document 0", signature: JSON.stringify(citation) },
        { url: "https://a.test", signature: JSON.stringify(web) },
      ],
    },
  ]);
});

test("pieces of an image are joined, and unknown kinds of blocks are kept whole", () => {
  const { message } = run(
    start,
    begin(0, { image: { format: "webp" } }),
    delta(0, { image: { source: { bytes: "YQ==" } } }),
    delta(0, { image: { source: { bytes: "Yg==" } } }),
    close(0),
    begin(1, { hologram: { depth: 3, text: "" } }),
    delta(1, { hologram: { text: "a" } }),
    delta(1, { hologram: { text: "b" } }),
    close(1),
    { somethingNew: { text: "not this" } },
    stop("end_turn"),
  );
  expect(message.content).toMatchObject([
    { type: "image", data: "YWI=", mimeType: "image/webp" },
    { type: "serverTool", name: "hologram", signature: '[{"item":{"hologram":{"depth":3,"text":"ab"}}}]' },
  ]);
});

test("the stop sequence, a guardrail's trace and the service tier are kept", () => {
  const { message } = run(
    start,
    delta(0, { text: "x" }),
    { messageStop: { stopReason: "stop_sequence", additionalModelResponseFields: { stop_sequence: "END" } } },
    { metadata: { trace: { guardrail: { actionReason: "masked" } }, serviceTier: { type: "priority" } } },
  );
  expect(message).toMatchObject({
    stopSequence: "END",
    diagnostics: [
      { type: "additional_response_fields", details: { stop_sequence: "END" } },
      { type: "guardrail_trace", details: { actionReason: "masked" } },
      { type: "service_tier", details: { tier: "priority" } },
    ],
  });
});

test("an index may be reused", () => {
  const { message } = run(
    start,
    delta(0, { text: "a" }),
    close(0),
    open(0, { toolUseId: "t", name: "f" }),
    delta(0, { toolUse: { input: "{}" } }),
    stop("tool_use"),
  );
  expect(message.content).toMatchObject([{ text: "a" }, { id: "t" }]);
});

test.each([
  ["end_turn", "stop", undefined, undefined],
  ["stop_sequence", "stop", undefined, undefined],
  ["max_tokens", "length", undefined, undefined],
  ["model_context_window_exceeded", "length", undefined, undefined],
  ["guardrail_intervened", "error", "content_filter", /guardrail_intervened/],
  ["content_filtered", "error", "content_filter", /content_filtered/],
  ["malformed_tool_use", "error", "server", /malformed_tool_use/],
  ["malformed_model_output", "error", "server", /malformed_model_output/],
  ["banana", "error", "protocol", /banana/],
  ["toString", "error", "protocol", /toString/],
  ["", "error", "protocol", /without a stopReason/],
])("the stop reason %j becomes %s", (word, stopReason, kind, text) => {
  const { message } = run(start, delta(0, { text: "x" }), stop(word));
  expect(message).toMatchObject({ stopReason, content: [{ text: "x" }] });
  expect(message.error?.kind).toBe(kind);
  expect(message.errorMessage ?? "").toMatch(text ?? /^$/);
});

test.each([
  [{ inputTokens: 5, outputTokens: 2, cacheReadInputTokens: 7, cacheWriteInputTokens: 1 }, [5, 2, 7, 1]],
  [{ inputTokens: "5", outputTokens: -2, cacheReadInputTokens: Number.POSITIVE_INFINITY }, [0, 0, 0, 0]],
  [null, [0, 0, 0, 0]],
])("usage %j", (usage, [input, output, cacheRead, cacheWrite]) => {
  const { message } = run(start, stop("end_turn"), { metadata: { usage } });
  expect(message.usage).toMatchObject({ input, output, cacheRead, cacheWrite });
});

test("tokens cached for one hour are counted separately", () => {
  const cacheDetails = [null, { ttl: "5m", inputTokens: 1 }, { ttl: "1h", inputTokens: 4 }];
  const { message } = run(start, stop("end_turn"), { metadata: { usage: { cacheWriteInputTokens: 5, cacheDetails } } });
  expect(message.usage).toMatchObject({ cacheWrite: 5, cacheWrite1h: 4 });
});

test.each([
  ["throttlingException", "Throttling error: Slow down", "rate_limit"],
  ["serviceUnavailableException", "Service unavailable: Slow down", "overloaded"],
  ["internalServerException", "Internal server error: Slow down", "server"],
  ["modelStreamErrorException", "Model stream error: Slow down", "server"],
  ["validationException", "Validation error: Slow down", "invalid_request"],
  ["modelTimeoutException", "modelTimeoutException: Slow down", "server"],
  ["somethingNew", "somethingNew: Slow down", "server"],
])("the exception %s in the middle of a stream keeps the content so far", (name, errorMessage, kind) => {
  const { message } = run(start, delta(0, { text: "so far" }), exception(name, { message: "Slow down" }));
  expect(message).toMatchObject({ content: [{ text: "so far" }], stopReason: "error", errorMessage, error: { kind } });
});

test("a service error, and an error without a reason", () => {
  const error: AwsEvent = { kind: "error", name: "InternalFailure", payload: { message: "Sorry" } };
  expect(run(start, error).message.errorMessage).toBe("InternalFailure: Sorry");
  expect(run(start, exception("", {})).message.errorMessage).toBe("Unknown error: no reason given");
});

test.each([
  [{ contentBlockDelta: {} }],
  [{ contentBlockDelta: { contentBlockIndex: 0, delta: null } }],
  [delta(0, { text: null, toolUse: null, reasoningContent: null })],
  [delta(0, { text: 7, toolUse: { input: 7 }, reasoningContent: { text: 7, signature: 7, redactedContent: 7 } })],
  [delta(9, { toolUse: { input: "{}" } })],
  [{ contentBlockStart: { start: null } }],
  [{ metadata: {} }],
])("the malformed event %j is ignored", (event) => {
  const { message } = run(start, delta(0, { text: "a" }), event, delta(0, { text: "b" }), stop("end_turn"));
  expect(message.content.map((block) => (block.type === "text" ? block.text : "?")).join("")).toBe("ab");
  expect(message.stopReason).toBe("stop");
});

test("responseModel is the model that a prompt router chose", () => {
  const trace = { promptRouter: { invokedModelId: "anthropic.claude-haiku-4-5" } };
  const { message } = run(start, delta(0, { text: "x" }), stop("end_turn"), { metadata: { trace } });
  expect(message.responseModel).toBe("anthropic.claude-haiku-4-5");
});
