import { describe, expect, test } from "vitest";
import { createModel } from "../../../test/models.js";
import { type Assembled, assemble } from "../../../test/support/assemble.internal.js";
import { AssistantMessageBuilder } from "../../message/assistant-message-builder.js";
import { codeAssistRetryDelay, googleRetryDelay } from "./retry-delay.js";
import { createGoogleMapping } from "./stream.js";

const MODEL = createModel("google-generative-ai");

function run(...events: unknown[]): Assembled {
  return assemble(createGoogleMapping("google"), events, MODEL);
}

function chunk(parts: unknown[], fields: object = {}): object {
  return { candidates: [{ content: { role: "model", parts }, ...fields }] };
}

const STOP = chunk([], { finishReason: "STOP" });

describe("prose", () => {
  test("a thought is thinking, any other part with text is text", () => {
    const { message, events } = run(
      chunk([{ text: "Hm", thought: true }, { text: "He" }]),
      chunk([{ text: "llo" }]),
      STOP,
    );
    expect(message.content).toEqual([
      { type: "thinking", thinking: "Hm" },
      { type: "text", text: "Hello" },
    ]);
    expect(message.stopReason).toBe("stop");
    expect(events).toEqual([
      "start",
      "thinking_start",
      "thinking_delta",
      "thinking_end",
      "text_start",
      "text_delta",
      "text_delta",
      "text_end",
      "done",
    ]);
  });

  test("each signature belongs to its own part of the text", () => {
    const { message } = run(
      chunk([{ text: "a", thoughtSignature: "c2lnMQ==" }]),
      chunk([{ text: "b", thoughtSignature: "" }]),
      chunk([{ text: "c" }]),
      chunk([{ text: "", thoughtSignature: "c2lnMg==" }]),
      STOP,
    );
    const textSignature = JSON.stringify([
      { from: 0, to: 1, signature: "c2lnMQ==" },
      { from: 3, to: 3, signature: "c2lnMg==" },
    ]);
    expect(message.content).toEqual([{ type: "text", text: "abc", textSignature }]);
  });

  test("a signature of the whole text is kept unchanged", () => {
    const { message } = run(chunk([{ text: "a", thought: true, thoughtSignature: "c2ln" }]), STOP);
    expect(message.content).toEqual([{ type: "thinking", thinking: "a", thinkingSignature: "c2ln" }]);
  });

  test("a signature after a function call does not sign the text before it", () => {
    const call = { functionCall: { name: "look", args: {} } };
    const { message } = run(chunk([{ text: "a" }, call, { text: "", thoughtSignature: "c2ln" }]), STOP);
    const textSignature = JSON.stringify([{ from: 0, to: 0, signature: "c2ln" }]);
    expect(message.content).toMatchObject([
      { type: "text", text: "a" },
      { type: "toolCall", name: "look" },
      { type: "text", text: "", textSignature },
    ]);
    expect(message.content[0]).not.toHaveProperty("textSignature");
  });

  test("empty parts create no block", () => {
    const { message } = run(chunk([{ text: "" }, {}, null, { inlineData: null }]), STOP);
    expect(message.content).toEqual([]);
    expect(message.stopReason).toBe("stop");
  });

  test("only the first candidate is read", () => {
    const { message } = run({
      candidates: [
        { index: 1, content: { parts: [{ text: "B" }] }, finishReason: "MAX_TOKENS" },
        { index: 0, content: { parts: [{ text: "A" }] }, finishReason: "STOP" },
      ],
    });
    expect(message.content).toEqual([{ type: "text", text: "A" }]);
    expect(message.stopReason).toBe("stop");
  });
});

describe("calls", () => {
  test("a complete function call is one block with one delta", () => {
    const { message, events } = run(
      chunk([{ functionCall: { id: "c1", name: "look", args: { x: [1] } }, thoughtSignature: "c2ln" }]),
      STOP,
    );
    expect(message.content).toEqual([
      { type: "toolCall", id: "c1", name: "look", arguments: { x: [1] }, thoughtSignature: "c2ln" },
    ]);
    expect(message.stopReason).toBe("toolUse");
    expect(events).toEqual(["start", "toolcall_start", "toolcall_delta", "toolcall_end", "done"]);
  });

  test.each([
    ["missing", undefined],
    ["null", null],
    ["empty", {}],
  ])("%s arguments are an empty object", (_name, args) => {
    const { message } = run(chunk([{ functionCall: { name: "look", args } }]), STOP);
    expect(message.content).toMatchObject([{ name: "look", arguments: {} }]);
    expect(message.content[0]).not.toHaveProperty("argumentsError");
  });

  test("missing and repeated ids are replaced by unique ones", () => {
    const { message } = run(
      chunk([
        { functionCall: { id: "same", name: "a" } },
        { functionCall: { id: "same", name: "b" } },
        { functionCall: { name: "c" } },
        { functionCall: { id: 7, name: "d" } },
      ]),
      STOP,
    );
    const ids = message.content.map((block) => (block.type === "toolCall" ? block.id : ""));
    expect(ids[0]).toBe("same");
    expect(new Set(ids).size).toBe(4);
    expect(ids.every((id) => id !== "")).toBe(true);
  });

  test("arguments that are a list or not JSON get an argumentsError", () => {
    const { message } = run(
      chunk([{ functionCall: { name: "a", args: [1] } }, { functionCall: { name: "b", args: "{x" } }]),
      STOP,
    );
    expect(message.content).toMatchObject([
      { name: "a", argumentsError: expect.any(String) },
      { name: "b", argumentsError: expect.any(String) },
    ]);
  });

  test("a streamed call grows piece by piece and ends with the piece without willContinue", () => {
    const { message, events } = run(
      chunk([{ functionCall: { name: "write", willContinue: true }, thoughtSignature: "c2ln" }]),
      chunk([
        {
          functionCall: {
            partialArgs: [{ jsonPath: "$.t", stringValue: "Bos", willContinue: true }],
            willContinue: true,
          },
        },
      ]),
      chunk([{ functionCall: { partialArgs: [{ jsonPath: "$.t", stringValue: "ton" }], willContinue: true } }]),
      chunk([{ functionCall: {} }]),
      chunk([{ functionCall: { name: "next" } }]),
      STOP,
    );
    expect(message.content).toMatchObject([
      { name: "write", arguments: { t: "Boston" }, thoughtSignature: "c2ln" },
      { name: "next", arguments: {} },
    ]);
    expect(events.filter((event) => event === "toolcall_delta")).toHaveLength(3);
  });

  test("a truncated streamed tool call is marked as incomplete", () => {
    const { message } = run(
      chunk([{ functionCall: { name: "write", willContinue: true } }]),
      chunk([
        {
          functionCall: {
            partialArgs: [{ jsonPath: "$.t", stringValue: "Bos", willContinue: true }],
            willContinue: true,
          },
        },
      ]),
      chunk([], { finishReason: "MAX_TOKENS" }),
    );
    expect(message.content).toMatchObject([{ name: "write", argumentsError: expect.any(String) }]);
    expect(message.stopReason).toBe("length");
  });

  test("complete arguments at the end of a streamed call are used", () => {
    const { message } = run(
      chunk([{ functionCall: { name: "write", willContinue: true } }]),
      chunk([{ functionCall: { args: { t: 1 } } }]),
      STOP,
    );
    expect(message.content).toMatchObject([{ name: "write", arguments: { t: 1 } }]);
  });

  test("an empty function call that continues nothing is ignored", () => {
    expect(run(chunk([{ functionCall: {} }]), STOP).message.content).toEqual([]);
  });
});

describe("usage", () => {
  test("counts are disjoint, and a count that a chunk omits keeps its value", () => {
    const { message } = run(
      { usageMetadata: { promptTokenCount: 100, cachedContentTokenCount: 40, toolUsePromptTokenCount: 7 } },
      { usageMetadata: { candidatesTokenCount: 20, thoughtsTokenCount: 5, trafficType: "ON_DEMAND" } },
      STOP,
    );
    expect(message.usage).toMatchObject({ input: 67, cacheRead: 40, output: 25, reasoning: 5, totalTokens: 132 });
  });

  test("malformed counts are ignored", () => {
    const { message } = run({ usageMetadata: { promptTokenCount: "9", candidatesTokenCount: -1 } }, STOP);
    expect(message.usage).toMatchObject({ input: 0, output: 0, totalTokens: 0 });
  });
});

describe("endings", () => {
  test.each([
    ["MAX_TOKENS", "length", undefined],
    ["SAFETY", "error", "content_filter"],
    ["RECITATION", "error", "content_filter"],
    ["ESCALATION", "error", "content_filter"],
    ["PUP_LIMITED_DISABLED", "error", "permission"],
    ["MISSING_THOUGHT_SIGNATURE", "error", "invalid_request"],
    ["MALFORMED_FUNCTION_CALL", "error", "protocol"],
    ["toString", "error", "protocol"],
  ])("%s is %s", (finishReason, stopReason, kind) => {
    const { message } = run(chunk([{ text: "a" }], { finishReason, finishMessage: "because" }));
    expect(message.stopReason).toBe(stopReason);
    expect(message.error?.kind).toBe(kind);
    if (kind) expect(message.errorMessage).toBe(`Provider stopped with: ${finishReason}: because`);
  });

  test("a blocked prompt is one error that names the reason", () => {
    const { message, events, overAt } = run({
      promptFeedback: { blockReason: "SAFETY", blockReasonMessage: "Reasons" },
    });
    expect(message.errorMessage).toBe("The prompt was blocked: SAFETY (Reasons)");
    expect(message.error).toEqual({ kind: "content_filter" });
    expect(events).toEqual(["start", "error"]);
    expect(overAt).toBe(0);
  });

  test("an error in the stream keeps the content so far", () => {
    const { message } = run(chunk([{ text: "a" }]), {
      error: { code: 503, status: "UNAVAILABLE", message: "The model is overloaded." },
    });
    expect(message.content).toEqual([{ type: "text", text: "a" }]);
    expect(message.errorMessage).toBe("The model is overloaded.");
    expect(message.error).toMatchObject({ kind: "overloaded", status: 503 });
  });

  test("content after STOP is part of the response", () => {
    const { message } = run(
      chunk([{ text: "a" }], { finishReason: "STOP" }),
      chunk([{ text: "b" }], { finishReason: "STOP" }),
    );
    expect(message.content).toEqual([{ type: "text", text: "ab" }]);
  });

  test("a response that stops during code execution continues until the body ends", () => {
    const code = chunk([{ executableCode: { code: "6*7" } }], { finishReason: "STOP" });
    const result = chunk([{ codeExecutionResult: { output: "42", outcome: "OUTCOME_OK" } }]);
    const mapping = createGoogleMapping("google");
    const builder = new AssistantMessageBuilder({ model: MODEL, emit: () => {} });
    mapping(code, builder);
    mapping(result, builder);
    expect(builder.stopped).toBe(false);
    mapping.end?.(builder);
    expect(builder.stopped).toBe(true);
  });

  test("a response without a finishReason is an error", () => {
    expect(run(chunk([{ text: "a" }])).message.stopReason).toBe("error");
  });
});

test("the response's id and model are kept", () => {
  const { message } = run({ responseId: "r1", modelVersion: "gemini-2.5-flash-001" }, STOP);
  expect(message).toMatchObject({ responseId: "r1", responseModel: "gemini-2.5-flash-001" });
});

test.each([
  [{ candidates: "x" }],
  [{ candidates: [null, 3] }],
  [{ candidates: [{ content: { parts: [{ functionCall: { name: {}, partialArgs: [null, 5, {}] } }] } }] }],
  [{ candidates: [{ content: { parts: [5, "x", { text: 5, thoughtSignature: {} }] } }] }],
  [{ usageMetadata: 5, promptFeedback: "x" }],
  [{ candidates: [{ content: "x", finishReason: { toString: 1 } }] }],
])("malformed chunks are ignored: %j", (event) => {
  expect(run(event, STOP).message.stopReason).toMatch(/^(stop|toolUse)$/);
});

const NOW = Date.UTC(2026, 0, 1);
const ALL = {
  "retry-after": "5",
  "x-ratelimit-reset": String(NOW / 1000 + 20),
  "x-ratelimit-reset-after": "30",
};
const BODY = '{"error":{"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}';

function without(...names: (keyof typeof ALL)[]): Headers {
  const headers = new Headers(ALL);
  for (const name of names) headers.delete(name);
  return headers;
}

test.each<[string, Headers, number | undefined]>([
  ["seconds first", without(), 5000],
  ["then the time of the reset", without("retry-after"), 20_000],
  ["then the time until the reset", without("retry-after", "x-ratelimit-reset"), 30_000],
  ["then the body", new Headers(), 34_500],
  ["a date", new Headers({ ...ALL, "retry-after": new Date(NOW + 9000).toUTCString() }), 9000],
  [
    "a reset that has passed says nothing",
    new Headers({ ...ALL, "retry-after": "", "x-ratelimit-reset": "1" }),
    30_000,
  ],
  ["nonsense says nothing", new Headers({ "x-ratelimit-reset": "soon", "x-ratelimit-reset-after": "-1" }), 34_500],
])("Cloud Code Assist: %s", (_name, headers, expected) => {
  expect(codeAssistRetryDelay(headers, BODY, NOW)).toBe(expected);
});

test("the Gemini API: the header, then the body, and no other header", () => {
  expect(googleRetryDelay(without(), BODY)).toBe(5000);
  expect(googleRetryDelay(without("retry-after"), BODY)).toBe(34_500);
  expect(googleRetryDelay(without("retry-after"), "no JSON")).toBeUndefined();
});
