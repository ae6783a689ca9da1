/** Counts that callers pass as options, such as the number of retries. */
import { ConfigError } from "../errors.js";

/**
 * Returns the count.
 *
 * @param name the option, for the error
 * @throws ConfigError for a value that is neither a whole number of at least 0 nor `Infinity`
 */
export function checkCount(name: string, count: number): number {
  if (count === Number.POSITIVE_INFINITY || (Number.isInteger(count) && count >= 0)) return count;
  throw new ConfigError(`${name} must be a whole number that is not negative (Infinity means no limit), got ${count}`);
}
