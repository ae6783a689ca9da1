/** Checks the options of a route: a misspelled one would silently turn a protection off. */
import { ConfigError, ERROR_KINDS } from "../../errors.js";
import type { ErrorKind } from "../../types/message.js";
import { checkDuration } from "../../utils/duration.js";
import { isObject } from "../../utils/is-object.js";
import { nameValue } from "../../utils/name-value.js";
import { checkOptionNames, type OptionNames } from "../../utils/nearest-names.js";
import type { RouteLimit } from "./limit-store.js";
import type { RouteOptions } from "./route-options.js";

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
    throw new ConfigError(`route: midStream must be "restart" or absent, not ${nameValue(midStream)}.`);
  }
  if (breaker) {
    checkOptionNames("route: breaker", breaker, { failures: true, coolMs: true });
    checkDuration("route: breaker.coolMs", breaker.coolMs);
    checkPositive("breaker.failures", breaker.failures);
  }
  if (!(maxQueue >= 0))
    throw new ConfigError(`route: maxQueue must be a number of 0 or more, not ${nameValue(maxQueue)}.`);
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
  throw new ConfigError(`route: ${name} must be a number above 0, not ${nameValue(value)}.`);
}
