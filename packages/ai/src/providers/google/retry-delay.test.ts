import { expect, test } from "vitest";
import { codeAssistRetryDelay, googleRetryDelay } from "./retry-delay.js";

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
