/** Checks the options of a route, because a misspelled one would silently turn a protection off. */
import { ConfigError } from "../errors.js";
import type { ErrorKind } from "../types/message.js";
import { checkDuration } from "../utils/duration.js";
import type { RouteLimit } from "./limit-store.js";
import type { RouteOptions } from "./route-options.js";

/**
 * Every kind of error, and whether another model may be tried after it. It is not if the user has stopped the request, or
 * if any model should refuse it.
 */
const MAY_LEAD_ON: Readonly<Record<ErrorKind, boolean>> = {
  config: true,
  auth_missing: true,
  auth: true,
  permission: true,
  not_found: true,
  invalid_request: false,
  context_overflow: true,
  content_filter: false,
  rate_limit: true,
  overloaded: true,
  server: true,
  network: true,
  timeout: true,
  protocol: true,
  aborted: false,
  invalid_output: true,
  length: true,
  tool_use: true,
  unknown: true,
};

/** @throws ConfigError that names the option and what it may be */
export function checkRouteOptions(options: RouteOptions): void {
  const { on = [], firstEventMs = 0, retryAfterAtMost = 0, midStream, breaker, limits = {}, maxQueue = 0 } = options;
  checkKinds(on);
  checkDuration("route: firstEventMs", firstEventMs);
  checkDuration("route: retryAfterAtMost", retryAfterAtMost);
  if (midStream !== undefined && midStream !== "restart") {
    throw new ConfigError(`route: midStream must be "restart" or absent, not ${String(midStream)}.`);
  }
  if (breaker) {
    checkDuration("route: breaker.coolMs", breaker.coolMs);
    checkPositive("breaker.failures", breaker.failures);
  }
  if (!(maxQueue >= 0))
    throw new ConfigError(`route: maxQueue must be a number of 0 or more, not ${String(maxQueue)}.`);
  for (const [pattern, limit] of Object.entries(limits)) checkLimit(pattern, limit);
}

function checkKinds(kinds: readonly ErrorKind[]): void {
  if (!Array.isArray(kinds)) throw new ConfigError("route: `on` must be a list of kinds of errors.");
  for (const kind of kinds as readonly ErrorKind[]) {
    if (!Object.hasOwn(MAY_LEAD_ON, kind)) {
      const known = Object.keys(MAY_LEAD_ON).join(", ");
      throw new ConfigError(`route: "${String(kind)}" is not a kind of error. The kinds are ${known}.`);
    }
    if (!MAY_LEAD_ON[kind]) {
      throw new ConfigError(`route: "${kind}" must not lead to another model. Remove it from \`on\`.`);
    }
  }
}

function checkLimit(pattern: string, limit: RouteLimit): void {
  for (const name of ["rpm", "tpm", "concurrency"] as const) {
    if (limit[name] !== undefined) checkPositive(`limits["${pattern}"].${name}`, limit[name]);
  }
}

function checkPositive(name: string, value: number): void {
  if (typeof value === "number" && value > 0) return;
  throw new ConfigError(`route: ${name} must be a number above 0, not ${String(value)}.`);
}
