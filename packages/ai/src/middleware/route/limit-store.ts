/** Counts the requests and tokens of a limit, and learns from the headers of responses what is left of it. */

/** The limits of one key. */
export interface RouteLimit {
  /** Requests per minute. Default: no limit. */
  rpm?: number;
  /** Tokens per minute, prompt and response together. Default: no limit. */
  tpm?: number;
  /** Requests at the same time. Default: no limit. */
  concurrency?: number;
}

/** The state of a limit, as the server reports it. */
export interface LearnedLimit {
  /** Requests that are left. */
  requestsLeft?: number;
  /** Tokens that are left. */
  tokensLeft?: number;
  /** Milliseconds until the limit resets. */
  resetMs?: number;
}

/**
 * Counts usage against limits. Each operation is atomic, even among processes that share the store. `now` is the time of the
 * route's clock in milliseconds: it never goes back, and processes differ in its zero, so a shared store needs its own.
 */
export interface LimitStore {
  /**
   * Takes one request and its tokens. Returns 0 on success; otherwise takes nothing, and returns the milliseconds after
   * which to try again.
   */
  take(key: string, tokens: number, limit: RouteLimit, now: number): number | Promise<number>;
  /** Called at the end of a request. `tokens` is its usage minus the tokens taken before; negative if it used less. */
  release(key: string, tokens: number, limit: RouteLimit, now: number): void | Promise<void>;
  /** Called with the state of a limit that a server reported. */
  learn(key: string, learned: LearnedLimit, limit: RouteLimit, now: number): void | Promise<void>;
}

const MINUTE = 60_000;
/** How soon to try again, in milliseconds, if only the end of another request makes room. */
const POLL_MS = 50;

interface Counts {
  requests: number;
  tokens: number;
  running: number;
  at: number;
  blockedUntil: number;
}

/** Counts limits in memory, for one process. */
export class MemoryLimitStore implements LimitStore {
  readonly #counts = new Map<string, Counts>();

  take(key: string, tokens: number, limit: RouteLimit, now: number): number {
    const counts = this.#refill(key, limit, now);
    const wait = waitFor(counts, tokens, limit, now);
    if (wait > 0) return wait;
    counts.requests -= 1;
    counts.tokens -= tokens;
    counts.running += 1;
    return 0;
  }

  release(key: string, tokens: number, limit: RouteLimit, now: number): void {
    const counts = this.#refill(key, limit, now);
    counts.running = Math.max(0, counts.running - 1);
    counts.tokens = Math.min(limit.tpm ?? 0, counts.tokens - tokens);
  }

  learn(key: string, { requestsLeft, tokensLeft, resetMs }: LearnedLimit, limit: RouteLimit, now: number): void {
    const counts = this.#refill(key, limit, now);
    if (requestsLeft !== undefined) counts.requests = Math.min(counts.requests, requestsLeft);
    if (tokensLeft !== undefined) counts.tokens = Math.min(counts.tokens, tokensLeft);
    const isEmpty = requestsLeft === 0 || tokensLeft === 0 || (requestsLeft === undefined && tokensLeft === undefined);
    if (isEmpty && resetMs !== undefined) counts.blockedUntil = Math.max(counts.blockedUntil, now + resetMs);
  }

  #refill(key: string, { rpm = 0, tpm = 0 }: RouteLimit, now: number): Counts {
    const counts = this.#counts.get(key) ?? { requests: rpm, tokens: tpm, running: 0, at: now, blockedUntil: 0 };
    this.#counts.set(key, counts);
    const passed = Math.max(0, now - counts.at) / MINUTE;
    counts.requests = Math.min(rpm, counts.requests + rpm * passed);
    counts.tokens = Math.min(tpm, counts.tokens + tpm * passed);
    counts.at = Math.max(now, counts.at);
    return counts;
  }
}

function waitFor(counts: Counts, tokens: number, { rpm, tpm, concurrency }: RouteLimit, now: number): number {
  if (counts.blockedUntil > now) return counts.blockedUntil - now;
  if (concurrency !== undefined && counts.running >= concurrency) return POLL_MS;
  const forRequest = rpm === undefined ? 0 : missing(1 - counts.requests, rpm);
  // A request that is larger than the whole limit is permitted when the bucket is full.
  const forTokens = tpm === undefined ? 0 : missing(Math.min(tokens, tpm) - counts.tokens, tpm);
  return Math.max(forRequest, forTokens);
}

/** Returns the milliseconds until this amount is refilled. */
function missing(amount: number, perMinute: number): number {
  // Adding many small shares leaves an error in the last digits.
  return amount <= 1e-9 ? 0 : Math.max(1, Math.ceil((amount / perMinute) * MINUTE));
}
