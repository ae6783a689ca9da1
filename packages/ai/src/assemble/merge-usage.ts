/** Token counts of the wire, added to those known so far. */
import type { Usage } from "../types/message.js";
import type { Model } from "../types/model.js";
import { calculateCost } from "./cost.js";
import type { UsageCounts } from "./message-sink.js";

/** New counts replace old ones, what is missing keeps its value; total and cost are made anew. */
export function mergeUsage(model: Pick<Model, "cost">, before: Usage, counts: UsageCounts): Usage {
  const input = counts.input ?? before.input;
  const output = counts.output ?? before.output;
  const cacheRead = counts.cacheRead ?? before.cacheRead;
  const cacheWrite = counts.cacheWrite ?? before.cacheWrite;
  const cacheWrite1h = counts.cacheWrite1h ?? before.cacheWrite1h;
  const reasoning = counts.reasoning ?? before.reasoning;
  const usage: Usage = {
    input,
    output,
    cacheRead,
    cacheWrite,
    ...(cacheWrite1h === undefined ? {} : { cacheWrite1h }),
    ...(reasoning === undefined ? {} : { reasoning }),
    totalTokens: input + output + cacheRead + cacheWrite,
    cost: { ...before.cost },
  };
  calculateCost(model, usage, counts.costFactor);
  return usage;
}
