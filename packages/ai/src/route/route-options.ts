/** The targets and options of a route. */
import type { ErrorKind } from "../types/message.js";
import type { Model } from "../types/model.js";
import type { SimpleStreamOptions, StreamFunction } from "../types/options.js";
import type { LimitStore, RouteLimit } from "./limit-store.js";

/** One model of a route. */
export interface RouteTarget {
  /** The model that is asked. */
  model: Model;
  /** Options for this model alone. They replace those of the request. */
  options?: SimpleStreamOptions;
  /**
   * Keys that take turns. A key that the provider refuses is not used again. Default: the key of the request if it is for
   * the same provider, else the one from the environment.
   */
  apiKeys?: readonly string[];
}

/** The time, for tests. */
export interface RouteClock {
  /** Unix milliseconds. */
  now(): number;
  /** Resolves after so many milliseconds, or at once when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** Options of `route`. Durations are milliseconds. */
export interface RouteOptions {
  /**
   * The kinds of errors after which the next model is asked. `aborted`, `invalid_request` and `content_filter` are not
   * allowed. Default: `rate_limit`, `overloaded`, `server`, `timeout`, `network`.
   */
  on?: readonly ErrorKind[];
  /**
   * Asks the next model too if nothing has arrived after this time. The first to respond is used, and the other is aborted;
   * the provider may still charge for it. Default: never.
   */
  firstEventMs?: number;
  /** Longest wait for a model of the route to become free again once all have failed. Default 20,000; 0 = no wait. */
  retryAfterAtMost?: number;
  /**
   * `"restart"`: a response that fails after its first event begins again with the next model. An `attempt_reset` event says
   * that everything before it is void. Default: the response ends with the error.
   */
  midStream?: "restart";
  /** Limits by model, such as `anthropic/claude-sonnet-4-5` or `anthropic/*`. Each key of a target has its own. */
  limits?: Readonly<Record<string, RouteLimit>>;
  /** After so many failures in a row a model is left out for `coolMs`. Default: `{ failures: 5, coolMs: 30_000 }`. */
  breaker?: { failures: number; coolMs: number };
  /** Most requests that wait for one limit. One more fails with the kind `rate_limit`. Default 1,000. */
  maxQueue?: number;
  /** Where limits are counted. Default: in this process, shared by all routes. */
  store?: LimitStore;
  /** Sends the requests. Default: `streamSimple`. */
  streamFn?: StreamFunction;
  /** Default: the system's time. */
  clock?: RouteClock;
}
