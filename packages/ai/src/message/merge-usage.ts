/** Merges token counts of the wire with earlier ones. */

import type { Usage } from "../types/message.js";
import type { Model } from "../types/model.js";
import { calculateCost } from "./cost.js";
import type { CountName, UsageCounts } from "./message-sink.js";

// A record, so that a new count fails to compile here instead of being lost.
const COUNTS: Readonly<Record<CountName, true>> = {
  input: true,
  output: true,
  cacheRead: true,
  cacheWrite: true,
  cacheWrite1h: true,
  reasoning: true,
  contextTokens: true,
};
// Object.keys has no narrower type; the record names exactly these keys.
const COUNT_NAMES = /* @__PURE__ */ Object.keys(COUNTS) as readonly CountName[];

/** The counts of the prompt. */
const PROMPT: ReadonlySet<CountName> = new Set(["input", "cacheRead", "cacheWrite", "cacheWrite1h"]);

/**
 * New counts replace old ones, and a missing count keeps its value. The total and the cost are recomputed. A prompt has at
 * least one token, so counts of a prompt that are all 0 are not known: some servers send them in their last event. Then a
 * response of 0 tokens beside them is not known either.
 */
export function mergeUsage(model: Pick<Model, "cost">, before: Usage, counts: UsageCounts): Usage {
  const usage: Usage = { ...before, cost: { ...before.cost } };
  const isKnown = before.input + before.cacheRead + before.cacheWrite > 0;
  const keepsPrompt = isKnown && !COUNT_NAMES.some((name) => PROMPT.has(name) && counts[name]);
  for (const name of COUNT_NAMES) {
    const count = counts[name];
    const isKept = keepsPrompt && (PROMPT.has(name) || (count === 0 && counts.input !== undefined));
    if (count !== undefined && !isKept) usage[name] = count;
  }
  // Some servers estimate reasoning separately and report slightly more than the output.
  if (usage.reasoning !== undefined) usage.reasoning = Math.min(usage.reasoning, usage.output);
  usage.totalTokens = usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
  const extra = counts.extraCost ?? extraOf(before.cost);
  calculateCost(model, usage, counts.costFactor).total += extra;
  if (counts.reportedCost !== undefined) usage.cost.reported = counts.reportedCost;
  return usage;
}

/** The part of the total that is not for tokens. Less than a billionth of a dollar is a rounding error. */
function extraOf({ input, output, cacheRead, cacheWrite, total }: Usage["cost"]): number {
  const extra = total - (input + output + cacheRead + cacheWrite);
  return extra > 1e-9 ? extra : 0;
}
