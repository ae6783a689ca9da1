/** Decides whether the same request may succeed if it is sent again later. */
import type { AssistantMessage, ErrorKind } from "../types/message.js";
import { isContextOverflow } from "./overflow.js";
import { saysCreditUsedUp, saysPlanUsedUp } from "./used-up.js";

const PASSING_KINDS: ReadonlySet<ErrorKind> = new Set([
  "rate_limit",
  "overloaded",
  "server",
  "network",
  "timeout",
  "protocol",
]);

/** z.ai's code for the exhausted limit of a plan. */
const EXHAUSTED_PLAN = /\b1308\b/;

/** Texts that mean a used-up quota, unless the provider names a delay: then Gemini and Azure mean a rate limit. */
const LASTING_TEXTS: readonly RegExp[] = [/quota (?:has been )?exceeded|exceeded your current quota/i, /\bbilling/i];

/** Daily quotas. A provider may still name a short delay, which does not lift the quota. */
const DAILY_QUOTA = /per[ _-]?day|daily/i;

/** Endings that the same request would reach again: unknown stop reasons, and content filters. */
const FINAL_ENDING =
  /^(?:Unhandled stop reason|Unknown response status|Provider finish_reason|Provider stopped with|Incomplete response): /;

/** Repetitions are bounded, because the texts are untrusted. */
const PASSING_TEXTS: readonly RegExp[] = [
  /overloaded/i,
  /rate[ _-]limit|too many requests|throttl/i,
  /\b(?:429|500|502|503|504|520|524)\b/,
  /service (?:is )?(?:currently |temporarily )?unavailable/i,
  /(?:server|internal|model stream)[ _]error/i,
  /provider returned error/i,
  /upstream (?:error|fail|connect|request|timeout)/i,
  /network[ _]?error|connection (?:error|reset|refused|closed|lost|aborted|terminated|timed out)/i,
  /fetch failed|getaddrinfo|\bDNS\b|\b(?:ENOTFOUND|EAI_AGAIN|ECONNRESET|ECONNREFUSED|ETIMEDOUT|EPIPE|ENETUNREACH|EHOSTUNREACH)\b/i,
  /socket (?:hang up|closed|connection was closed)|other side closed/i,
  /timed? ?out/i,
  /\bterminated\b/i,
  /websocket (?:was )?(?:closed|error)/i,
  /ended without|stream ended before|stream disconnected before completion/i,
  /http2.{0,40}(?:no response|did not get a response|cancell?ed)|ERR_HTTP2_STREAM_CANCEL/i,
  /retry delay|please (?:retry|try again)|(?:retry|try) (?:your|the) request(?: again)?/i,
  /resource[_ ]?exhausted/i,
];

/**
 * Whether a failed response should be retried. A delay that the provider named decides first, unless the quota is
 * daily or used up; then the kind of the error if it identifies a cause, and otherwise its text. Never true for overflow,
 * exhausted quotas and budgets, deterministic endings, and aborts.
 */
export function isRetryableAssistantError(message: AssistantMessage): boolean {
  if (message.stopReason !== "error" || isContextOverflow(message)) return false;
  const text = message.errorMessage ?? "";
  const kind = message.error?.kind ?? "unknown";
  // Some providers name a delay even then. It fills no account.
  if (DAILY_QUOTA.test(text) || EXHAUSTED_PLAN.test(text) || saysCreditUsedUp(text) || saysPlanUsedUp(text))
    return false;
  if (message.error?.retryAfterMs !== undefined && (kind === "unknown" || PASSING_KINDS.has(kind))) return true;
  if (LASTING_TEXTS.some((pattern) => pattern.test(text))) return false;
  if ((kind === "protocol" || kind === "unknown") && FINAL_ENDING.test(text)) return false;
  return kind === "unknown" ? PASSING_TEXTS.some((pattern) => pattern.test(text)) : PASSING_KINDS.has(kind);
}
