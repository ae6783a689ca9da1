/** The times of one record, in Unix milliseconds. */

/**
 * Returns a clock that begins with the time of the system and does not follow when that is set, so that the differences of
 * its times are durations.
 */
export function startClock(): () => number {
  const start = Date.now();
  const begun = performance.now();
  return () => start + Math.round(performance.now() - begun);
}
