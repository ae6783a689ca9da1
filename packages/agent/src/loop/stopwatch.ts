/** The duration of a call. */

/** Returns a function that returns the time since now. A clock that throws leaves it out. */
export function startStopwatch(now: () => number = () => performance.now()): () => { durationMs?: number } {
  const read = (): number => {
    try {
      return now();
    } catch {
      return Number.NaN;
    }
  };
  const started = read();
  return () => {
    const durationMs = toMicroseconds(read() - started);
    return Number.isNaN(durationMs) ? {} : { durationMs };
  };
}

/** Milliseconds, rounded to the microsecond: the digits beyond it are noise and would be stored. */
function toMicroseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
