/** Converts a thrown value to the failure of a message; nothing else does. */

import { cutText, MAX_ERROR_TEXT, PiError } from "../errors.js";
import type { ErrorInfo } from "../types/message.js";
import { formatThrownValue } from "../utils/diagnostics.js";
import { redact } from "../utils/redact.js";
import { visibleText } from "../utils/visible-text.js";
import type { Failure } from "./message-sink.js";

const UNKNOWN: ErrorInfo = { kind: "unknown" };

/** Facts about the failed request. */
export interface FailureFacts {
  /** Values that must not appear in any text. */
  secrets: readonly string[];
  /** How many requests were sent. */
  attempts: number;
}

/** Converts any thrown value to a failure without secrets. Never throws. */
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

/** Makes a text from a server visible, cuts it to the length of an error text and redacts the secrets. */
export function cleanText(text: string, secrets: readonly string[]): string {
  return redact(cutText(visibleText(text), MAX_ERROR_TEXT), secrets);
}
