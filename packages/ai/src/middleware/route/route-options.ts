/** The targets and options of a route, and their checks. */

import type { ErrorKind } from "../../types/message.js";
import type { Model } from "../../types/model.js";
import type { SimpleStreamOptions, StreamFn } from "../../types/options.js";
import type { LimitStore, RouteLimit } from "./limit-store.js";

/** One model of a route. */
export interface RouteTarget {
  /** The model. */
  model: Model;
  /** Options for this model alone. They replace those of the request. */
  options?: SimpleStreamOptions;
  /**
   * API keys, used in rotation. A key that the provider refuses is not used again. Default: the key of the request if it is
   * for the same provider, else what its `apiKeyFor` returns for the provider (an agent passes its `getApiKey`), else the
   * one from the environment.
   */
  apiKeys?: readonly string[];
}

/** The clock, for tests. */
export interface RouteClock {
  /** Milliseconds since any moment. They must not go back, even if the time of the system is set back. */
  now(): number;
  /** Unix milliseconds, by which dates in headers are read. Default `Date.now`. */
  date?: (() => number) | undefined;
  /** Resolves after this many milliseconds, or immediately when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** Options of `route`. Durations are milliseconds. */
export interface RouteOptions {
  /**
   * The kinds of errors after which the next model is tried; `content_filter` are refusals of a model or of its provider.
   * `aborted` and `invalid_request` are not allowed. Default: `quota`, `rate_limit`, `overloaded`, `server`, `timeout`, `network`.
   */
  on?: readonly ErrorKind[] | undefined;
  /**
   * Starts the next model in parallel if nothing has arrived after this time. The first to respond is used, and the other
   * is aborted; the provider may still charge for it. Default: never.
   */
  firstEventMs?: number | undefined;
  /**
   * How long a request waits for a model, because servers ask for it or models cool down. After a refusal, its waits count
   * together; a request that waits for its turn has patience as long as the models respond to others. The request's
   * `timeoutMs` also bounds its waits. Then it fails as `quota`, `rate_limit` or `overloaded`, and `error.retryAfterMs` says when a
   * model will be available. Default 60,000, twice the `coolMs` of the breaker; 0 = no wait.
   */
  retryAfterAtMost?: number | undefined;
  /**
   * `"restart"`: if a response fails after its first event, the next model starts it over, and an `attempt_reset` event
   * voids everything before it. Default: the response ends with the error.
   */
  midStream?: "restart" | undefined;
  /** Limits by model, such as `anthropic/claude-sonnet-5-5` or `anthropic/*`. Each key of a target has its own. */
  limits?: Readonly<Record<string, RouteLimit>> | undefined;
  /**
   * After this many failures in a row, a model is skipped for `coolMs`, and then gets one request. Failures of requests
   * that ran at the same time count once, and failures with a `retry-after` do not count: they delay the model by that
   * time. Default: `{ failures: 5, coolMs: 30_000 }`.
   */
  breaker?: { failures: number; coolMs: number } | undefined;
  /** The maximum number of requests that wait for one limit. Others fail with the kind `rate_limit`. Default 1,000. */
  maxQueue?: number | undefined;
  /** The store that counts limits. Default: the memory of this process, shared by all routes. */
  store?: LimitStore | undefined;
  /** Sends the requests: any stream function, also an asynchronous one. Default: `streamSimple`. */
  streamFn?: StreamFn | undefined;
  /** Default: the monotonic clock of the system. */
  clock?: RouteClock | undefined;
}
