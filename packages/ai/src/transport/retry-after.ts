/** How long a server asks to wait. */

/** Reads the wait from an answer that failed: milliseconds, or undefined where none was asked for. */
export type RetryDelayReader = (headers: Headers, body: string) => number | undefined;

/**
 * Milliseconds from `retry-after-ms`, or from `retry-after` as seconds or as a date; undefined where there is none, or
 * none that makes sense.
 */
export function parseRetryAfter(headers: Headers, now: number = Date.now()): number | undefined {
  const milliseconds = positive(headers.get("retry-after-ms"));
  if (milliseconds !== undefined) return milliseconds;
  const value = headers.get("retry-after");
  if (value === null) return undefined;
  const seconds = positive(value);
  if (seconds !== undefined) return seconds * 1000;
  // Only a text with letters can be a date: Date.parse would read "-5" as one.
  const date = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isFinite(date) ? Math.max(0, date - now) : undefined;
}

function positive(value: string | null): number | undefined {
  if (value === null) return undefined;
  // Neither signs, nor exponents, nor hexadecimal digits: what is no plain number is no delay.
  return /^\d{1,12}(?:\.\d+)?$/.test(value.trim()) ? Number(value) : undefined;
}
