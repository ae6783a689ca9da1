/** The events of limits, and the reasons for which a limit ends a run. */

/** The quantities that a budget counts: US dollars, tokens, tool calls, requests, and milliseconds. */
export type BudgetLimit = "usd" | "tokens" | "toolCalls" | "turns" | "ms";

/**
 * How a run repeats itself. A round is the tool calls of one response with their results.
 *
 * - `same_call`: the same round again.
 * - `cycle`: the same sequence of two to four rounds again.
 * - `invalid_arguments`: rounds whose calls are all rejected before they run.
 * - `same_text`: responses with the same text, without new results.
 * - `no_progress`: rounds without new results, or whose calls all fail with the same errors.
 */
export type LoopKind = "same_call" | "cycle" | "invalid_arguments" | "same_text" | "no_progress";

/** Why a limit ended a run. `used` and `most` are in the unit of `limit`: USD, milliseconds, or a count. */
export type RunStop =
  | { by: "budget"; limit: BudgetLimit; used: number; most: number }
  | { by: "loop"; loop: LoopKind; repeats: number };

/** The events of limits. */
export type LimitEvent =
  /** A limit of a budget is nearly reached. Emitted once for each limit of a budget. */
  | { type: "budget_warning"; limit: BudgetLimit; used: number; most: number }
  /** The run repeats itself. The count then starts over, so the event can come again. */
  | { type: "loop_noticed"; loop: LoopKind; repeats: number }
  /** A limit has ended the run. Comes right before `agent_end`. */
  | { type: "run_stopped"; stop: RunStop };
