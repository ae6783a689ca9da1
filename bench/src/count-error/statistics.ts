/** Computes and prints relative errors. */

export interface Errors {
  count: number;
  median: number;
  /** The 95th percentile. */
  high: number;
}

/** Summarizes absolute relative errors, for example 0.1 for an estimate that is 10 % too high or too low. */
export function summarize(errors: readonly number[]): Errors {
  const sorted = errors.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, median: at(0.5), high: at(0.95) };
}

/** `3 / 9`: median and 95th percentile in percent. */
export function show({ count, median, high }: Errors): string {
  return count === 0 ? "-" : `${Math.round(median * 100)} / ${Math.round(high * 100)}`;
}
