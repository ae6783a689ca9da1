/** Adds up the usage of the responses of a run. */
import type { AssistantMessage, Usage } from "pi-ai";
import { createAssistantMessage } from "pi-ai/call";

/** Adds up the counts. Of the cost, only the total. */
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
