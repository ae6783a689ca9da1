/** What ended a call through a proxy, as the end of a message. */
import { cleanText, type Failure, formatThrownValue, NetworkError, PiError, toFailure } from "pi-ai/call";

const ABORTED = "Request aborted by user";

export interface ProxyFailureFacts {
  secrets: readonly string[];
  /** The signal that ended the call before it had an answer: then the words are those of the request. */
  aborted?: AbortSignal | undefined;
}

export function toProxyFailure(thrown: unknown, { secrets, aborted }: ProxyFailureFacts): Failure {
  const failure = toFailure(thrown, { secrets, attempts: 1 });
  if (failure.reason !== "aborted") return failure;
  const words = aborted?.aborted ? cleanText(formatThrownValue(aborted.reason), secrets) : ABORTED;
  return { ...failure, errorMessage: words };
}

/** In the words of the failed request. */
export function toNetworkError(error: unknown): PiError {
  return PiError.is(error) ? error : new NetworkError(formatThrownValue(error), { cause: error });
}
