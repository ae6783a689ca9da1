/** Creates ChatGPT's errors, and says when the user can try again. */
import { PiError, ProviderError } from "../../errors.js";
import { isObject } from "../../utils/is-object.js";
import { tryParseJson } from "../../utils/read-text.js";
import { createResponsesError } from "./responses-error.js";
import { fieldOf } from "./wire-items.js";

interface WireLimit {
  code?: unknown;
  type?: unknown;
  plan_type?: unknown;
  /** Unix time in seconds. */
  resets_at?: unknown;
}

const LIMIT_CODES = /usage_limit_reached|usage_not_included|rate_limit_exceeded/i;

/** An error event of a stream. */
export function createCodexEventError(event: object, provider: string, now: number = Date.now()): ProviderError {
  return withLimit(createResponsesError(event, provider), event, now);
}

/** Adds the limit to an HTTP error response; other thrown values stay unchanged. */
export function explainCodexFailure(error: unknown, now: number = Date.now()): unknown {
  if (!PiError.is(error) || !(error instanceof ProviderError)) return error;
  return withLimit(error, tryParseJson(error.body ?? ""), now);
}

function withLimit(error: ProviderError, body: unknown, now: number): ProviderError {
  const limit = limitOf(body);
  const names = [limit.code, limit.type].filter((name) => typeof name === "string").join(" ");
  // A plan limit, unlike a rate limit, has one of these codes, or a plan or a reset time.
  if (!LIMIT_CODES.test(names) && limit.plan_type === undefined && limit.resets_at === undefined) return error;
  const plan = typeof limit.plan_type === "string" ? ` (${limit.plan_type.toLowerCase()} plan)` : "";
  const wait = typeof limit.resets_at === "number" ? Math.max(0, limit.resets_at * 1000 - now) : undefined;
  const when = wait === undefined ? "" : ` Try again in ~${Math.round(wait / 60_000)} min.`;
  const { status, provider, requestId, retryable } = error;
  return new ProviderError({
    kind: /rate_limit_exceeded/i.test(names) ? "rate_limit" : "quota",
    message: `You have hit your ChatGPT usage limit${plan}.${when}`,
    status,
    provider,
    requestId,
    retryAfterMs: error.retryAfterMs ?? wait,
    body: error.body,
    retryable,
    cause: error,
  });
}

function limitOf(body: unknown): WireLimit {
  const error = fieldOf(body, "error") ?? fieldOf(fieldOf(body, "response"), "error");
  // Every field is optional, and each is checked where it is read.
  return isObject(error) ? (error as WireLimit) : {};
}
