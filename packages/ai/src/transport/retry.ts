/** Whether and when a failed request is sent again. Knows nothing of vendors. */
import { PiError, ProviderError } from "../errors.js";

export interface RetryPolicy {
  /** How often a request is sent again. */
  maxRetries: number;
  /** Longest wait that a server may ask for, in milliseconds; 0 = no bound. */
  maxRetryDelayMs: number;
}

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8000;
/** Up to this part is taken off at random, so that clients that failed together do not come back together. */
const JITTER = 0.25;

/**
 * The wait before the next attempt in milliseconds, or undefined when the failure is final.
 *
 * @param attempt how many requests were sent, from 1
 * @throws ProviderError when the server asks for a longer wait than allowed; its text tells both
 */
export function retryDelay(
  error: unknown,
  attempt: number,
  policy: RetryPolicy,
  random: () => number = Math.random,
): number | undefined {
  if (!PiError.is(error) || !error.retryable || attempt > policy.maxRetries) return undefined;
  const wanted = error instanceof ProviderError ? error.retryAfterMs : undefined;
  if (wanted === undefined) {
    const backoff = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS);
    return backoff * (1 - JITTER * random());
  }
  if (policy.maxRetryDelayMs > 0 && wanted > policy.maxRetryDelayMs)
    throw tooLong(error as ProviderError, wanted, policy); // `wanted` came from one
  return wanted;
}

function tooLong(error: ProviderError, wanted: number, policy: RetryPolicy): ProviderError {
  const message = `${error.message} (the server asks to wait ${wanted} ms, longer than maxRetryDelayMs ${policy.maxRetryDelayMs})`;
  const { kind, status, provider, requestId, retryAfterMs, body } = error;
  // The kinds of ProviderError are the only ones its constructor takes.
  const facts = { kind: kind as ConstructorParameters<typeof ProviderError>[0]["kind"], message, status, provider };
  return new ProviderError({ ...facts, requestId, retryAfterMs, body, retryable: false, cause: error });
}
