/** Checks the options whose errors must surface before a stream exists. */
import { ConfigError } from "../errors.js";
import type { StreamOptions } from "../types/options.js";

/** @throws ConfigError that names the problem and the fix */
export function checkOptions(options: StreamOptions | undefined): void {
  // JavaScript callers may pass anything.
  const given: unknown = options;
  if (given === undefined) return;
  if (typeof given !== "object" || given === null) {
    throw new ConfigError(`The options must be an object, not ${String(given)}; omit them if there are none`);
  }
  const signal: unknown = Reflect.get(given, "signal");
  if (signal !== undefined && !isAbortSignal(signal)) {
    throw new ConfigError("The option signal must be an AbortSignal, for example the signal of an AbortController");
  }
}

/** Checked by its members, because a signal may come from another realm or a polyfill. */
function isAbortSignal(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof Reflect.get(value, "aborted") === "boolean" &&
    typeof Reflect.get(value, "addEventListener") === "function"
  );
}
