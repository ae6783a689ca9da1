/** The targets and options of a route, and their checks. */

import { ConfigError, ERROR_KINDS } from "../../errors.js";
import type { ErrorKind } from "../../types/message.js";
import type { Model } from "../../types/model.js";
import type { SimpleStreamOptions, StreamFn } from "../../types/options.js";
import { checkDuration } from "../../utils/duration.js";
import { isObject } from "../../utils/is-object.js";
import { checkOptionNames, type OptionNames } from "../../utils/nearest-names.js";
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

// The checks: a misspelled option would silently turn a protection off.

/** The user has stopped the request, or any model should refuse it. */
const MUST_NOT_LEAD_ON: readonly ErrorKind[] = ["aborted", "invalid_request"];

const NAMES: OptionNames<RouteOptions> = {
  on: true,
  firstEventMs: true,
  retryAfterAtMost: true,
  midStream: true,
  limits: true,
  breaker: true,
  maxQueue: true,
  store: true,
  streamFn: true,
  clock: true,
};

/** @throws ConfigError that names the option and what it may be */
export function checkRouteOptions(options: RouteOptions): void {
  if (!isObject(options)) throw new ConfigError("route: the options must be an object.");
  checkOptionNames("route", options, NAMES);
  const { on = [], firstEventMs = 0, retryAfterAtMost = 0, midStream, breaker, limits = {}, maxQueue = 0 } = options;
  checkKinds(on);
  checkDuration("route: firstEventMs", firstEventMs);
  checkDuration("route: retryAfterAtMost", retryAfterAtMost);
  if (midStream !== undefined && midStream !== "restart") {
    throw new ConfigError(`route: midStream must be "restart" or absent, not ${String(midStream)}.`);
  }
  if (breaker) {
    checkOptionNames("route: breaker", breaker, { failures: true, coolMs: true });
    checkDuration("route: breaker.coolMs", breaker.coolMs);
    checkPositive("breaker.failures", breaker.failures);
  }
  if (!(maxQueue >= 0))
    throw new ConfigError(`route: maxQueue must be a number of 0 or more, not ${String(maxQueue)}.`);
  const { streamFn, store } = options;
  if (store !== undefined && typeof Object(store).take !== "function")
    throw new ConfigError("route: store must be a store of limits, such as createRedisLimitStore(client) returns.");
  if (streamFn !== undefined && typeof streamFn !== "function")
    throw new ConfigError("route: streamFn must be a function.");
  if (!isObject(limits) || Array.isArray(limits))
    throw new ConfigError('route: limits must be an object such as { "anthropic/*": { rpm: 50 } }.');
  for (const [pattern, limit] of Object.entries(limits)) checkLimit(pattern, limit);
}

function checkKinds(kinds: readonly ErrorKind[]): void {
  if (!Array.isArray(kinds)) throw new ConfigError("route: `on` must be a list of kinds of errors.");
  for (const kind of kinds as readonly ErrorKind[]) {
    if (!ERROR_KINDS.includes(kind))
      throw new ConfigError(
        `route: "${String(kind)}" is not a kind of error. The kinds are ${ERROR_KINDS.join(", ")}.`,
      );
    if (MUST_NOT_LEAD_ON.includes(kind))
      throw new ConfigError(`route: "${kind}" must not lead to another model. Remove it from \`on\`.`);
  }
}

const LIMIT_NAMES = ["rpm", "tpm", "concurrency"];

function checkLimit(pattern: string, limit: RouteLimit): void {
  for (const [name, value] of Object.entries(limit)) {
    if (!LIMIT_NAMES.includes(name))
      throw new ConfigError(
        `route: limits["${pattern}"] has the unknown field "${name}". The fields are ${LIMIT_NAMES.join(", ")}.`,
      );
    if (value !== undefined) checkPositive(`limits["${pattern}"].${name}`, value);
  }
}

function checkPositive(name: string, value: number): void {
  if (typeof value === "number" && value > 0) return;
  throw new ConfigError(`route: ${name} must be a number above 0, not ${String(value)}.`);
}
