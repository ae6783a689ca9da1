/** Medians, ranges and growth. */

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export interface Summary {
  median: number;
  least: number;
  most: number;
}

export function summarize(values: readonly number[]): Summary {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

/** The ratio of the medians; the range comes from the interleaved pairs of runs. */
export function compare(costs: readonly number[], floors: readonly number[]): Summary {
  const pairs = costs.flatMap((cost, index) => {
    const floor = floors[index];
    return floor === undefined ? [] : [cost / floor];
  });
  return { ...summarize(pairs), median: median(costs) / median(floors) };
}

/** The exponent of the growth from one size to another: 1 is linear. */
export function growth(small: { size: number; cost: number }, large: { size: number; cost: number }): number {
  return Math.log(large.cost / small.cost) / Math.log(large.size / small.size);
}
