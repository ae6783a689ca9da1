/** How long a server asks clients to wait. */

/** Reads the requested wait from a failed response, in milliseconds; undefined if there is none. */
export type RetryDelayReader = (headers: Headers, body: string) => number | undefined;

/**
 * Returns the milliseconds from `retry-after-ms`, or from `retry-after` in seconds or as a date; undefined if both are
 * absent or invalid.
 */
export function parseRetryAfter(headers: Headers, now: number = Date.now()): number | undefined {
  const milliseconds = positive(headers.get("retry-after-ms"));
  if (milliseconds !== undefined) return milliseconds;
  const value = headers.get("retry-after");
  if (value === null) return undefined;
  const seconds = positive(value);
  if (seconds !== undefined) return seconds * 1000;
  // Only a text with letters can be a date: Date.parse would also parse "-5".
  const date = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isFinite(date) ? Math.max(0, date - now) : undefined;
}

function positive(value: string | null): number | undefined {
  if (value === null) return undefined;
  // Signs, exponents and hexadecimal digits are invalid.
  return /^\d{1,12}(?:\.\d+)?$/.test(value.trim()) ? Number(value) : undefined;
}
