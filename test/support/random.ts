/** Random choices that repeat for the same seed. */
import { createSeededRandom } from "./seeded-random.js";

export interface Random {
  /** An integer from 0 to `limit`, `limit` excluded. */
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<TValue>(values: readonly TValue[]): TValue;
}

export function createRandom(seed: number): Random {
  const next = createSeededRandom(seed);
  return {
    below: (limit) => Math.floor(next() * limit),
    chance: (probability) => next() < probability,
    pick: (values) => values[Math.floor(next() * values.length)]!,
  };
}
