/** Reads Google's retry delay from headers or error details. */
import { parseRetryAfter } from "../../transport/index.js";

/** In error bodies: `google.rpc.RetryInfo`, a duration in seconds (google.aip.dev/193, 2026-11). */
const RETRY_INFO = /"retryDelay"\s*:\s*"(\d{1,9}(?:\.\d{1,9})?)s"/;

/** Milliseconds; undefined if the response has no delay. */
export function googleRetryDelay(headers: Headers, body: string): number | undefined {
  return parseRetryAfter(headers) ?? retryInfo(body);
}

/**
 * The same for Cloud Code Assist, which also sends when its rate limit resets: `retry-after` comes first, then
 * `x-ratelimit-reset` (Unix time in seconds), then `x-ratelimit-reset-after` (seconds), then the body.
 */
export function codeAssistRetryDelay(headers: Headers, body: string, now: number = Date.now()): number | undefined {
  return (
    parseRetryAfter(headers, now) ??
    untilReset(headers.get("x-ratelimit-reset"), now) ??
    secondsOf(headers.get("x-ratelimit-reset-after")) ??
    retryInfo(body)
  );
}

function retryInfo(body: string): number | undefined {
  return secondsOf(RETRY_INFO.exec(body)?.[1]);
}

/** A time in the past is not a delay. */
function untilReset(value: string | null, now: number): number | undefined {
  const time = secondsOf(value);
  return time !== undefined && time > now ? time - now : undefined;
}

function secondsOf(value: string | null | undefined): number | undefined {
  if (value === null || value === undefined || value.trim() === "") return undefined;
  const seconds = Number(value);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.round(seconds * 1000) : undefined;
}
