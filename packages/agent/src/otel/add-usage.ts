/** Adds up what the responses of a run used. */
import type { AssistantMessage, Usage } from "pi-ai";
import { createAssistantMessage } from "pi-ai/call";

/** The sums of the counts; the cost is the total only. */
export function addUsage(responses: readonly AssistantMessage[]): Usage {
  const { usage: sum } = createAssistantMessage({ api: "", provider: "", id: "" });
  for (const { usage } of responses) {
    sum.input += usage.input;
    sum.output += usage.output;
    sum.cacheRead += usage.cacheRead;
    sum.cacheWrite += usage.cacheWrite;
    sum.cost.total += usage.cost.total;
    if (usage.reasoning !== undefined) sum.reasoning = (sum.reasoning ?? 0) + usage.reasoning;
  }
  return sum;
}
