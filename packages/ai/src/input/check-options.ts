/** Checks the options that would fail before a stream exists. */
import { ConfigError } from "../errors.js";
import type { StreamOptions } from "../types/options.js";

/** @throws ConfigError that names what is wrong and what to write instead */
export function checkOptions(options: StreamOptions | undefined): void {
  // JavaScript callers are not bound by the type.
  const given: unknown = options;
  if (given === undefined) return;
  if (typeof given !== "object" || given === null) {
    throw new ConfigError(`The options must be an object, not ${String(given)}; leave them out where there are none`);
  }
  const signal: unknown = Reflect.get(given, "signal");
  if (signal !== undefined && !isAbortSignal(signal)) {
    throw new ConfigError("The option signal must be an AbortSignal, for example the signal of an AbortController");
  }
}

/** By its members: a signal may come from another realm or a polyfill. */
function isAbortSignal(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof Reflect.get(value, "aborted") === "boolean" &&
    typeof Reflect.get(value, "addEventListener") === "function"
  );
}
