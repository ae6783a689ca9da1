/** The one place where something thrown becomes the end of a message. */
import type { Failure } from "../assemble/failure.js";
import { cutText, MAX_ERROR_TEXT, PiError } from "../errors.js";
import { redact } from "../transport/redact.js";
import type { ErrorInfo } from "../types/message.js";
import { formatThrownValue } from "../utils/diagnostics.js";

const UNKNOWN: ErrorInfo = { kind: "unknown" };

/** What is known of a call that failed. */
export interface FailureFacts {
  /** Values that must appear in no text. */
  secrets: readonly string[];
  /** How many requests were sent. */
  attempts: number;
}

/** Anything that was thrown as the end of a message, without secrets. Never throws. */
export function toFailure(thrown: unknown, facts: FailureFacts): Failure {
  const { requestId, ...info } = PiError.is(thrown) ? thrown.info : UNKNOWN;
  const text = PiError.is(thrown) ? thrown.message : formatThrownValue(thrown);
  return {
    reason: info.kind === "aborted" ? "aborted" : "error",
    errorMessage: cleanText(text, facts.secrets),
    error: {
      ...info,
      ...(requestId === undefined ? {} : { requestId: cleanText(requestId, facts.secrets) }),
      ...(facts.attempts > 1 ? { attempts: facts.attempts } : {}),
    },
  };
}

/** A text of a server, bounded and without the values that must not be seen. */
export function cleanText(text: string, secrets: readonly string[]): string {
  return redact(cutText(text, MAX_ERROR_TEXT), secrets);
}
