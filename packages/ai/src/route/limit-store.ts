/** Counts requests and tokens against limits. */

/** What one key may use. */
export interface RouteLimit {
  /** Requests per minute. Default: no limit. */
  rpm?: number;
  /** Tokens per minute, prompt and response together. Default: no limit. */
  tpm?: number;
  /** Requests at the same time. Default: no limit. */
  concurrency?: number;
}

/** What a server said about its own limit. */
export interface LearnedLimit {
  /** Requests that are left. */
  requestsLeft?: number;
  /** Tokens that are left. */
  tokensLeft?: number;
  /** Milliseconds until there is more. */
  resetMs?: number;
}

/** Keeps the counts of limits. Each operation is atomic, also between processes if the store is shared by them. */
export interface LimitStore {
  /**
   * Takes one request and its tokens. Returns 0 if there was room, else the milliseconds after which to ask again; nothing
   * is taken then.
   */
  take(key: string, tokens: number, limit: RouteLimit, now: number): number | Promise<number>;
  /** The request has ended. `tokens`: what it used beyond what it took; negative if it used less. */
  release(key: string, tokens: number, limit: RouteLimit, now: number): void | Promise<void>;
  /** The server has said what is left. */
  learn(key: string, learned: LearnedLimit, limit: RouteLimit, now: number): void | Promise<void>;
}

const MINUTE = 60_000;
/** How soon to ask again where only the end of another request makes room. */
const POLL_MS = 50;

interface Counts {
  requests: number;
  tokens: number;
  running: number;
  at: number;
  blockedUntil: number;
}

/** Counts in the memory of this process. */
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
  // A request that is larger than the whole limit goes through when the bucket is full.
  const forTokens = tpm === undefined ? 0 : missing(Math.min(tokens, tpm) - counts.tokens, tpm);
  return Math.max(forRequest, forTokens);
}

/** The milliseconds until so much has been refilled. */
function missing(amount: number, perMinute: number): number {
  // Adding many small shares leaves an error in the last digits.
  return amount <= 1e-9 ? 0 : Math.max(1, Math.ceil((amount / perMinute) * MINUTE));
}
