/** The one place where something thrown becomes the end of a message. */
import type { Failure } from "../assemble/assistant-message-builder.js";
import { cutText, MAX_ERROR_TEXT, PiError } from "../errors.js";
import { redact } from "../transport/redact.js";
import { formatThrownValue } from "../utils/diagnostics.js";

export interface FailureFacts {
  /** Values that must appear in no text. */
  secrets: readonly string[];
  /** How many requests were sent. */
  attempts: number;
}

export function toFailure(thrown: unknown, facts: FailureFacts): Failure {
  const error = PiError.is(thrown) ? thrown.info : { kind: "unknown" as const };
  const text = PiError.is(thrown) ? thrown.message : formatThrownValue(thrown);
  return {
    reason: error.kind === "aborted" ? "aborted" : "error",
    errorMessage: redact(cutText(text, MAX_ERROR_TEXT), facts.secrets),
    error: facts.attempts > 1 ? { ...error, attempts: facts.attempts } : error,
  };
}
