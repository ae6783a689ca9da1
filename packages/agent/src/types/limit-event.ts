/** The events and types of limits. */

/** The quantities that a budget counts: US dollars, tokens, tool calls, responses, and milliseconds. */
export type BudgetLimit = "usd" | "tokens" | "toolCalls" | "turns" | "ms";

/**
 * How a run repeats itself: `same_call` is the same calls with the same results, `cycle` a repeated sequence of rounds,
 * `invalid_arguments` calls that are rejected before they run, `same_text` the same text without new results, and
 * `no_progress` rounds without new results.
 */
export type LoopKind = "same_call" | "cycle" | "invalid_arguments" | "same_text" | "no_progress";

/** Why a run was ended before the model was done. `used` and `most` are in the unit of `limit`. */
export type RunStop =
  | { by: "budget"; limit: BudgetLimit; used: number; most: number }
  | { by: "loop"; loop: LoopKind; repeats: number };

/** The events of limits. */
export type LimitEvent =
  /** A budget is nearly used up. Once for each of its limits. */
  | { type: "budget_warning"; limit: BudgetLimit; used: number; most: number }
  /** The run repeats itself. Emitted again if it repeats itself as often once more. */
  | { type: "loop_noticed"; loop: LoopKind; repeats: number }
  /** A limit ended the run. Comes before `agent_end`. */
  | { type: "run_stopped"; stop: RunStop };
