/** Random numbers that a seed repeats. */

export interface Random {
  /** 0 up to, and without, `limit`. */
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<TValue>(values: readonly TValue[]): TValue;
}

/** The generator known as mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    below: (limit) => Math.floor(next() * limit),
    chance: (probability) => next() < probability,
    pick: (values) => values[Math.floor(next() * values.length)]!,
  };
}
