import { type ErrorKind, isRetryableAssistantError } from "pi-ai";
import { expect, it } from "vitest";
import { processorTime } from "../../../../test/support/patience.js";
import { createFailure, createResponse, HOSTILE_TEXTS } from "../../test/messages.js";

it.each([
  "overloaded_error: Overloaded",
  "429 Too Many Requests",
  "Rate limit reached",
  "HTTP 502 Bad Gateway",
  "520",
  "524 a timeout occurred",
  "Service unavailable: try later",
  "The service is temporarily unavailable",
  "Internal server error: oops",
  "Model stream error: broken",
  "api_error: Internal error encountered",
  "Provider returned error",
  "upstream connect error or disconnect/reset before headers",
  "network error",
  "Connection error.",
  "connection refused",
  "fetch failed",
  "getaddrinfo EAI_AGAIN api.example.com",
  "read ECONNRESET",
  "socket hang up",
  "other side closed",
  "Request timed out.",
  "Timeout while waiting",
  "terminated",
  "WebSocket closed 1006",
  "WebSocket error",
  "Stream ended without finish_reason",
  "stream ended before message_stop",
  "stream disconnected before completion",
  "http2 request did not get a response",
  "http2 stream cancelled",
  "exceeded the maximum retry delay",
  "An error occurred. You can retry your request",
  "Please try again later",
  "ResourceExhausted: out of slots",
  "Throttling error: slow down",
])("retries after: %s", (text) => {
  expect(isRetryableAssistantError(createFailure(text))).toBe(true);
});

it.each([
  "429 insufficient_quota: You exceeded your current quota",
  "429 Quota exceeded for metric",
  "402 please check your billing details, or try again",
  "429 key is out of budget",
  "429 usage_limit_reached",
  "The usage limit has been reached, please try again",
  "429 usage_not_included",
  "429 [1308] limit reached",
  "429 GoUsageLimitError: 5 hour limit reached, please try again",
  "429 FreeUsageLimitError: please try again later",
  "429 Your available balance is too low. Please try again",
  "429 Your credit balance is too low to access the API",
  "429 Your quota has been exhausted, please retry",
  "prompt is too long: 500 tokens; please try again",
  "400 invalid request",
  "Model 5000x not found",
  "determined",
  "",
])("does not retry after: %s", (text) => {
  expect(isRetryableAssistantError(createFailure(text))).toBe(false);
});

it.each([
  ["rate_limit", true],
  ["overloaded", true],
  ["server", true],
  ["network", true],
  ["timeout", true],
  ["protocol", true],
  ["unknown", false],
  ["quota", false],
  ["auth", false],
  ["permission", false],
  ["invalid_request", false],
  ["context_overflow", false],
  ["content_filter", false],
  ["config", false],
] satisfies [ErrorKind, boolean][])("checks the kind %s first", (kind, retryable) => {
  expect(isRetryableAssistantError(createFailure("no known words", { error: { kind } }))).toBe(retryable);
});

it("lets exhausted quotas and overflow override the kind, and the kind override the text", () => {
  expect(isRetryableAssistantError(createFailure("insufficient_quota", { error: { kind: "rate_limit" } }))).toBe(false);
  expect(isRetryableAssistantError(createFailure("prompt is too long", { error: { kind: "server" } }))).toBe(false);
  expect(isRetryableAssistantError(createFailure("500", { error: { kind: "auth" } }))).toBe(false);
  expect(isRetryableAssistantError(createFailure("500", { error: { kind: "unknown" } }))).toBe(true);
});

it("follows a delay that the provider names, unless the quota is daily", () => {
  const minute = "429 You exceeded your current quota. Quota exceeded for metric: requests_per_minute";
  const error = { kind: "rate_limit", retryAfterMs: 34_500 } as const;
  expect(isRetryableAssistantError(createFailure(minute, { error }))).toBe(true);
  expect(isRetryableAssistantError(createFailure(`${minute} GenerateRequestsPerDay`, { error }))).toBe(false);
  expect(isRetryableAssistantError(createFailure("no", { error: { ...error, kind: "auth" } }))).toBe(false);
  for (const text of ["429 insufficient_quota", "429 The usage limit has been reached", "429 GoUsageLimitError"])
    expect(isRetryableAssistantError(createFailure(text, { error }))).toBe(false);
});

it.each([
  "Unhandled stop reason: banana",
  "Unknown response status: odd",
  "Provider finish_reason: banana",
  "Provider stopped with: MALFORMED_FUNCTION_CALL",
])("does not retry a request that would end the same way: %s", (text) => {
  expect(isRetryableAssistantError(createFailure(text, { error: { kind: "protocol" } }))).toBe(false);
});

it("never retries successful or aborted responses", () => {
  expect(isRetryableAssistantError(createResponse({ errorMessage: "overloaded" }))).toBe(false);
  expect(isRetryableAssistantError(createFailure("overloaded", { stopReason: "aborted" }))).toBe(false);
});

it("takes linear time on hostile texts", async () => {
  const spent = await processorTime(() => {
    for (const text of HOSTILE_TEXTS) isRetryableAssistantError(createFailure(text));
  });
  expect(spent).toBeLessThan(5000);
});
