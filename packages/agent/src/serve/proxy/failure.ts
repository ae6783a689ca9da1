/** Converts the error that ended a request to a relay to the failure of the message. */
import { cleanText, type Failure, formatThrownValue, NetworkError, PiError, toFailure } from "pi-ai/call";

const ABORTED = "Request aborted by user";

export interface ProxyFailureFacts {
  secrets: readonly string[];
  /** The caller's signal, for an abort before the response: its reason is the error text, as it is for `fetch`. */
  aborted?: AbortSignal | undefined;
}

export function toProxyFailure(thrown: unknown, { secrets, aborted }: ProxyFailureFacts): Failure {
  const failure = toFailure(thrown, { secrets, attempts: 1 });
  if (failure.reason !== "aborted") return failure;
  const words = aborted?.aborted ? cleanText(formatThrownValue(aborted.reason), secrets) : ABORTED;
  return { ...failure, errorMessage: words };
}

/** Keeps the text of the failed `fetch`. In Node only its cause names the address, or why there was no connection. */
export function toNetworkError(error: unknown): PiError {
  if (PiError.is(error)) return error;
  const { message, code } = Object(Object(error).cause);
  const reason = message || code;
  return new NetworkError(`${formatThrownValue(error)}${reason ? `: ${reason}` : ""}`, { cause: error });
}
