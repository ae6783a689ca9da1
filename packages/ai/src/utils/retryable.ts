/** Telling whether the same request may succeed when it is sent again later. */
import type { AssistantMessage, ErrorKind } from "../types/message.js";
import { isContextOverflow } from "./overflow.js";

const PASSING_KINDS: ReadonlySet<ErrorKind> = new Set([
  "rate_limit",
  "overloaded",
  "server",
  "network",
  "timeout",
  "protocol",
]);

/** Limits that waiting a moment does not lift: money and quotas. */
const LASTING_TEXTS: readonly RegExp[] = [
  /insufficient[_ ](?:quota|funds|balance|credits?)/i,
  /quota (?:has been )?exceeded|exceeded your current quota/i,
  /\bbilling/i,
  /out of budget/i,
  /usage[_ ](?:limit|not[_ ]included)/i,
  // z.ai: the plan's limit for a period is used up.
  /\b1308\b/,
];

/** Repetitions are bounded: the texts are hostile. */
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
 * Whether a failed answer is worth asking for again. The kind of the error decides where it names a cause, its text
 * otherwise. Never for overflow, for used-up quotas and budgets, and for what the caller aborted.
 */
export function isRetryableAssistantError(message: AssistantMessage): boolean {
  if (message.stopReason !== "error" || isContextOverflow(message)) return false;
  const text = message.errorMessage ?? "";
  if (LASTING_TEXTS.some((pattern) => pattern.test(text))) return false;
  const kind = message.error?.kind ?? "unknown";
  return kind === "unknown" ? PASSING_TEXTS.some((pattern) => pattern.test(text)) : PASSING_KINDS.has(kind);
}
