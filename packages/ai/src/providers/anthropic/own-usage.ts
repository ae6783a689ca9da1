/** Reads the model runs of a response, which few servers report. */
import { calculateCost, emptyUsage, type MessageSink, type UsageCounts } from "../../message/index.js";
import type { Model } from "../../types/model.js";

/** One of the runs, with its counts. */
export interface ModelRun {
  iteration: { type?: unknown; model?: unknown };
  counts: UsageCounts;
}

type PricedModel = Pick<Model, "id" | "cost"> | undefined;

/** Adds a diagnostic with the runs. */
export function noteRuns(runs: readonly ModelRun[], model: PricedModel, sink: MessageSink): void {
  sink.note("usage_iterations", { iterations: runs.map((run) => toIteration(run, model)) });
}

/** The price of another model, such as an advisor, is unknown here. */
function toIteration({ iteration, counts }: ModelRun, model: PricedModel): Record<string, unknown> {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, cacheWrite1h } = counts;
  const shown = { input, output, cacheRead, cacheWrite, ...(cacheWrite1h ? { cacheWrite1h } : {}) };
  const id = typeof iteration.model === "string" ? iteration.model : undefined;
  const isPriced = model !== undefined && (id === undefined || id === model.id);
  return {
    type: typeof iteration.type === "string" ? iteration.type : "message",
    ...(id === undefined ? {} : { model: id }),
    ...shown,
    ...(isPriced ? { cost: calculateCost(model, { ...emptyUsage(), ...shown }).total } : {}),
  };
}
