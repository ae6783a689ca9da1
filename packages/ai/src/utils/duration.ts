/** Checks the durations, in milliseconds, and the counts that callers pass, and starts timers. `Infinity` means no limit. */
import { ConfigError } from "../errors.js";
import { nameValue } from "./name-value.js";

/** The longest delay that a platform timer supports. With a longer one, it fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Validates and returns a duration.
 *
 * @param name the option's name, for the error
 * @throws ConfigError for a negative number and for anything that is not a number
 */
export function checkDuration(name: string, milliseconds: number): number {
  if (typeof milliseconds === "number" && milliseconds >= 0) return milliseconds;
  throw new ConfigError(
    `${name} must be a number of milliseconds that is not negative (Infinity means no limit), got ${nameValue(milliseconds)}`,
  );
}

/**
 * Calls `onTime` after a duration that {@link checkDuration} accepts; never after `Infinity`. Returns a function that
 * cancels it.
 */
export function startTimer(onTime: () => void, milliseconds: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (left: number): void => {
    if (left === Number.POSITIVE_INFINITY) return;
    const next = left > MAX_TIMER_MS ? () => wait(left - MAX_TIMER_MS) : onTime;
    timer = setTimeout(next, Math.min(left, MAX_TIMER_MS));
  };
  wait(milliseconds);
  return () => clearTimeout(timer);
}

/**
 * Validates and returns a count, such as the number of retries.
 *
 * @param name the option, for the error
 * @throws ConfigError for a value that is neither a whole number of at least 0 nor `Infinity`
 */
export function checkCount(name: string, count: number): number {
  if (count === Number.POSITIVE_INFINITY || (Number.isInteger(count) && count >= 0)) return count;
  throw new ConfigError(
    `${name} must be a whole number that is not negative (Infinity means no limit), got ${nameValue(count)}`,
  );
}
