/**
 * When a lane may be used again, judged by its recent requests.
 *
 * A server that refuses a request is alive, so its lane is delayed and then takes fewer requests at the same time. How many
 * follows CUBIC (RFC 9438): four fifths of those that ran when it refused, back to that number within seconds, and then
 * carefully beyond it. A lane that fails in other ways is left out by the breaker, and starts with one request.
 */
import type { ErrorInfo, ErrorKind } from "../../types/message.js";

/** When the breaker opens, and for how long. */
export interface Breaker {
  failures: number;
  coolMs: number;
}

/** The kinds of errors by which a server asks for fewer requests. */
const REFUSALS: ReadonlySet<ErrorKind> = new Set(["rate_limit", "overloaded"]);
/** Whether a server asks for fewer requests. */
export function isRefusal(error: ErrorInfo | undefined): boolean {
  return error !== undefined && REFUSALS.has(error.kind);
}

/** Kinds that are caused by the request, so that they say nothing about the next one. */
const OF_THE_REQUEST: ReadonlySet<ErrorKind> = new Set([
  "content_filter",
  "context_overflow",
  "invalid_output",
  "length",
  "tool_use",
]);
/** The longest wait that a server can impose. One request an hour is cheap, and a server may name a wait by mistake. */
const MAX_WAIT_MS = 3_600_000;
/** The first wait after a refusal without one, doubled up to the longest. */
const BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 16_000;
/** How far a refusal reduces the concurrent requests. Not RFC 9438's 0.7: the wait has relieved the server already. */
const REDUCTION = 0.8;
/** How fast the number grows, in requests per second cubed: from 1 to 64 in nine seconds. */
const GROWTH = 0.1;

/** Marks the start of a request, so that its failure is not counted beside others that ran at the same time. */
export type Round = number;

export class LaneHealth {
  /** The provider rejected the key. */
  isRefused = false;
  /** The kind of the latest failure. */
  latest: ErrorKind | undefined;
  #running = 0;
  /** Counted failures since the last response. */
  #failures = 0;
  /** Refusals without a wait since the last response. */
  #refusals = 0;
  /** Grows with each counted failure. */
  #round: Round = 0;
  /** Until when the server or the breaker closes the lane, by the route's clock. */
  closedUntil = 0;
  /** The requests that ran when the lane refused one. */
  #peak = Number.POSITIVE_INFINITY;

  /** The time at which the lane takes one more request, by the route's clock. */
  get opensAt(): number {
    if (this.#peak === Number.POSITIVE_INFINITY) return this.closedUntil;
    const reduced = Math.max(1, this.#peak * REDUCTION);
    const seconds = Math.cbrt((this.#peak - reduced) / GROWTH) + Math.cbrt((this.#running + 1 - this.#peak) / GROWTH);
    // Rounding errors of the cube roots are far below a microsecond.
    return this.closedUntil + Math.max(0, Math.ceil(seconds * 1e6) / 1e3);
  }

  start(): Round {
    this.#running++;
    return this.#round;
  }

  end(): void {
    this.#running--;
  }

  /** Notes that a response has begun. */
  respond(): void {
    this.#failures = 0;
    this.#refusals = 0;
  }

  /** Notes a failure. Failures of requests under way at the same time count once. */
  fail(started: Round, error: ErrorInfo | undefined, breaker: Breaker, now: number): void {
    const kind = error?.kind ?? "unknown";
    const asksForLess = REFUSALS.has(kind);
    if (OF_THE_REQUEST.has(kind)) return;
    this.latest = kind;
    const asked = Math.min(error?.retryAfterMs ?? 0, MAX_WAIT_MS);
    this.#close(now + asked);
    if (started !== this.#round) return;
    this.#round++;
    if (asksForLess) this.#peak = Math.max(1, this.#running);
    // A wait of 0 does not say when the server has room.
    if (asksForLess && asked === 0) this.#close(now + this.#backOff());
    if (error?.retryAfterMs === undefined) this.#count(breaker, now);
  }

  #backOff(): number {
    return Math.min(BACKOFF_MS * 2 ** this.#refusals++, MAX_BACKOFF_MS);
  }

  #count(breaker: Breaker, now: number): void {
    this.#failures++;
    if (this.#failures < breaker.failures) return;
    this.#close(now + breaker.coolMs);
    this.#peak = 1;
  }

  #close(until: number): void {
    this.closedUntil = Math.max(this.closedUntil, until);
  }
}
