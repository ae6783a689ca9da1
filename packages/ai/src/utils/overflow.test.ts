import { expect, it } from "vitest";
import { processorTime } from "../../../../test/support/patience.js";
import { createFailure, createResponse, HOSTILE_TEXTS } from "../../test/messages.js";
import { getOverflowPatterns, isContextOverflow, matchesOverflow } from "./overflow.js";

it.each([
  "400 invalid_request_error: prompt is too long: 213462 tokens > 200000 maximum",
  '413 {"error":{"type":"request_too_large"}}',
  "Validation error: Input is too long for requested model.",
  "Your input exceeds the context window of this model. Please adjust your input and try again.",
  "Request exceeds the maximum context length of 128,000 tokens",
  "exceeds model's maximum context length of 4096 tokens",
  "litellm.ContextWindowExceededError: Context Window Exceeded",
  "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
  "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  "Please reduce the length of the messages or completion.",
  "This endpoint's maximum context length is 65536 tokens. However, you requested about 70000 tokens.",
  "The prompt is longer than the maximum context length (65536)",
  "Input (5000 tokens) is longer than the model's context length (4096 tokens).",
  "prompt token count of 130000 exceeds the limit of 128000",
  "the request exceeds the available context size. try increasing the context size",
  "The number of tokens to keep from the initial prompt is greater than the context length",
  "invalid params, context window exceeds limit",
  "Your request exceeded model token limit: 262144",
  "Prompt contains 150000 tokens, too large for model with 131072 maximum context length",
  "model_context_window_exceeded",
  "Prompt exceeds max length",
  "400 Prompt too long",
  "prompt too long; exceeded max context length by 12 tokens",
  "maximum allowed input length of 32768",
  "Prompt has 9000 tokens, but the configured context size is 8192",
  "Range of input length should be [1, 30720]",
  "400 context_length_exceeded",
  "Input does not fit in context length",
  "the prompt is longer than the context length currently available",
  "Context size has been exceeded.",
  "too_many_prompt_tokens: shorten the prompt",
  "Validation error: Input Tokens Exceeded",
  "Too many input tokens. Max input tokens: 8192, request input token count: 12345",
  "input length and `max_tokens` exceed context limit: 90402 + 116650 > 204648",
  "the input token count is 1200000 but model only supports up to 1048576. Reduce the input token count",
  "You passed 9000 input tokens. However, the model's context length is only 8192 tokens",
  "The decoder prompt (length 9000) is longer than the maximum model length of 8192.",
  "Requested token count exceeds the model's maximum context length of 8192 tokens.",
  "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 32769. Given: 40000",
  "Input validation error: `inputs` must have less than 4096 tokens. Given: 5000",
  "Request body too large for gpt-4o model. Max size: 8000 tokens.",
  "Current length is 9000 while limit is 8192",
  "The estimated number of input and maximum output tokens (9000) exceeded this model context window limit (8192).",
  "Trying to keep the first 9000 tokens when context the overflows.",
  "input length exceeds the context length",
  "context length exceeded",
  "Too many tokens in the request",
  "token limit exceeded",
  "413 Payload Too Large",
])("recognizes: %s", (text) => {
  expect(matchesOverflow(text)).toBe(true);
  expect(isContextOverflow(createFailure(text))).toBe(true);
});

it.each([
  "Throttling error: Too many tokens, please wait before trying again.",
  "ThrottlingException: Too many tokens, please wait before trying again.",
  "Service unavailable: too many tokens",
  "429 Too many tokens per day, please wait before trying again.",
  "429 rate limit reached: too many tokens per minute",
  "429 Tokens per minute limit exceeded - too many tokens processed.",
  "Too many tokens per day",
  "rate_limit_error: this request would exceed your limit; prompt is too long",
  "Too many requests, token limit exceeded",
  "400 status code (no body)",
  "error 1413",
  "",
])("is not overflow: %s", (text) => {
  expect(isContextOverflow(createFailure(text))).toBe(false);
});

it("accepts an error without a body from Cerebras only", () => {
  expect(isContextOverflow(createFailure("400 status code (no body)", { provider: "cerebras" }))).toBe(true);
  expect(matchesOverflow("400 status code (no body)")).toBe(false);
});

it("checks the kind of the error first", () => {
  expect(isContextOverflow(createFailure("nein", { error: { kind: "context_overflow" } }))).toBe(true);
  expect(isContextOverflow(createFailure("too many tokens", { error: { kind: "rate_limit" } }))).toBe(false);
  expect(isContextOverflow(createFailure("too many tokens", { error: { kind: "invalid_request" } }))).toBe(true);
});

it("detects a prompt that was silently truncated", () => {
  const response = createResponse({ usage: { input: 60, cacheRead: 41, output: 5 } });
  expect(isContextOverflow(response, 100)).toBe(true);
  expect(isContextOverflow(response, 101)).toBe(false);
  expect(isContextOverflow(response)).toBe(false);
});

it("detects an empty response to a full window", () => {
  const usage = { input: 50, cacheRead: 49 };
  expect(isContextOverflow(createResponse({ stopReason: "length", usage }), 100)).toBe(true);
  expect(isContextOverflow(createResponse({ stopReason: "length", usage }), 101)).toBe(false);
  expect(isContextOverflow(createResponse({ stopReason: "length", usage: { ...usage, output: 1 } }), 100)).toBe(false);
  expect(isContextOverflow(createResponse({ stopReason: "toolUse", usage: { input: 500 } }), 100)).toBe(false);
});

it("returns a copy of the patterns", () => {
  const patterns = getOverflowPatterns();
  expect(patterns.some((pattern) => pattern.test("prompt is too long"))).toBe(true);
  patterns.length = 0;
  expect(getOverflowPatterns().length).toBeGreaterThan(20);
});

it("takes linear time on hostile texts", async () => {
  const spent = await processorTime(() => {
    for (const text of HOSTILE_TEXTS) matchesOverflow(text, "cerebras");
  });
  expect(spent).toBeLessThan(5000);
});
