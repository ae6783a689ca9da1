/** Fits the weights of a family to the counts of its tokenizer. */
import { estimateText, type TextWeights } from "../../../packages/ai/src/tokens/token-families.ts";
import type { Sample } from "./corpus.ts";

/** The initial weights, which apply to character classes that few texts contain. */
const START: TextWeights = [100, 100, 100, 90, 60, 75, 80, 35, 45, 50, 60, 70, 80, 80, 80, 30, 25, 30, 10, 70, 60];
/** The strength of the regularization towards the initial weights. */
const HOLD = 2e-4;
/** A text with a larger error is an outlier: it counts less, the larger its error is. */
const OUTLIER = 0.2;
const ROUNDS = 12;
const STEPS = 150;

interface Row {
  features: number[];
  tokens: number;
  share: number;
}

/** Least squares of the relative error, by coordinate descent. Every kind of text has the same share. */
export function fitWeights(samples: readonly Sample[], count: (text: string) => number): number[] {
  const perKind = Map.groupBy(samples, ({ kind }) => kind);
  const rows: Row[] = samples.map(({ text, kind }) => ({
    features: START.map((_, index) => featureOf(text, index)),
    tokens: count(text),
    share: 1 / (perKind.get(kind)?.length ?? 1),
  }));
  const weights: number[] = START.map((weight) => weight / 100);
  let trust = rows.map(({ share }) => share);
  for (let round = 0; round < ROUNDS; round++) {
    for (let step = 0; step < STEPS; step++) descend(weights, rows, trust);
    trust = rows.map((row) => {
      const error = Math.abs(predict(weights, row) / row.tokens - 1);
      return error < OUTLIER ? row.share : (row.share * OUTLIER) / error;
    });
  }
  return weights.map((weight) => Math.round(weight * 100));
}

function featureOf(text: string, index: number): number {
  const unit = START.map((_, place) => (place === index ? 100 : 0));
  return estimateText(text, unit as unknown as TextWeights); // as long as the start
}

function descend(weights: number[], rows: readonly Row[], trust: readonly number[]): void {
  for (const [index, start] of START.entries()) {
    let [above, below] = [(HOLD * start) / 100, HOLD];
    for (const [place, row] of rows.entries()) {
      const slope = (row.features[index] ?? 0) / row.tokens;
      if (slope === 0) continue;
      const rest = 1 - predict(weights, row) / row.tokens + slope * (weights[index] ?? 0);
      above += (trust[place] ?? 0) * slope * rest;
      below += (trust[place] ?? 0) * slope * slope;
    }
    weights[index] = Math.max(0, above / below);
  }
}

function predict(weights: readonly number[], { features }: Row): number {
  return features.reduce((sum, feature, index) => sum + feature * (weights[index] ?? 0), 0);
}
