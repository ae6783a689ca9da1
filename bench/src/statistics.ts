/** Medians and growth. */

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** The exponent with which a cost grows from one size to another: 1 is linear. */
export function growth(small: { size: number; cost: number }, large: { size: number; cost: number }): number {
  return Math.log(large.cost / small.cost) / Math.log(large.size / small.size);
}
