/** Decides whether and when to retry a failed request. Independent of vendors. */
import { PiError, ProviderError } from "../errors.js";

export interface RetryPolicy {
  /** The maximum number of retries of a request. */
  maxRetries: number;
  /** The longest wait that a server may request, in milliseconds; 0 = no limit. */
  maxRetryDelayMs: number;
}

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 8000;
/** The largest random reduction of a delay, as a fraction. It keeps clients from retrying at the same moment. */
const JITTER = 0.25;

/**
 * Returns the wait before the next attempt in milliseconds, or undefined if the failure is final.
 *
 * @param attempt number of requests sent so far, from 1
 * @throws ProviderError if the server requests a longer wait than allowed; its text contains both times
 */
export function retryDelay(
  error: unknown,
  attempt: number,
  policy: RetryPolicy,
  random: () => number = Math.random,
): number | undefined {
  if (!PiError.is(error) || !error.retryable || attempt > policy.maxRetries) return undefined;
  const requested = error instanceof ProviderError ? error.retryAfterMs : undefined;
  if (requested === undefined) {
    const backoff = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), MAX_DELAY_MS);
    return backoff * (1 - JITTER * random());
  }
  if (policy.maxRetryDelayMs > 0 && requested > policy.maxRetryDelayMs)
    throw tooLong(error as ProviderError, requested, policy); // `requested` came from one
  return requested;
}

function tooLong(error: ProviderError, requested: number, policy: RetryPolicy): ProviderError {
  const message = `${error.message} (the server asks to wait ${requested} ms, longer than maxRetryDelayMs ${policy.maxRetryDelayMs})`;
  const { kind, status, provider, requestId, retryAfterMs, body } = error;
  // The kinds of ProviderError are the only ones its constructor takes.
  const facts = { kind: kind as ConstructorParameters<typeof ProviderError>[0]["kind"], message, status, provider };
  return new ProviderError({ ...facts, requestId, retryAfterMs, body, retryable: false, cause: error });
}
