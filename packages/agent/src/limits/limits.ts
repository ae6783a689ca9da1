/** Adds a budget and the detection of loops to the options of an agent. */
import type { AgentOptions } from "../types/options.js";
import { Budget, type BudgetOptions } from "./budget.js";
import { LimitsGuard } from "./limits-guard.js";
import { DEFAULT_REPEATS, type LoopOptions } from "./loop-options.js";

/** Options of {@link limits}. */
export interface LimitsOptions {
  /** The budget of each run, or a {@link Budget} that several runs and agents share. Default: no limit. */
  budget?: BudgetOptions | Budget;
  /**
   * Whether a run whose budget is nearly used up gets one last response without tools instead of an error message. That
   * response may exceed the budget. There is none if nothing is left, or if the agent has an `output`. Default false.
   */
  lastResponse?: boolean;
  /** The detection of loops; `false` turns it off. Default `{ repeats: 3, action: "nudge" }`. */
  loops?: LoopOptions | false;
}

/**
 * Adds limits to the options of an agent, in place of limits that the options already have. They also apply to agents that
 * its tools run with `agentTool`: what such an agent uses counts for the budgets of all runs above it.
 *
 * When a limit ends a run, the run emits `run_stopped`, sets `state.stopped`, and ends with an error message unless
 * `lastResponse` is set.
 *
 * @example
 * const agent = new Agent(limits({ budget: { usd: 0.5, turns: 40 } }, { initialState: { model, tools } }));
 *
 * @throws TypeError for a limit that is not a number of 0 or more, fewer than 2 `repeats`, or an unknown \`action\`
 */
export function limits(options: LimitsOptions, agentOptions: AgentOptions = {}): AgentOptions {
  const { budget, lastResponse = false } = options;
  const loops = options.loops === false ? undefined : (options.loops ?? {});
  const { repeats = DEFAULT_REPEATS, action = "nudge" } = loops ?? {};
  if (!(repeats >= 2)) throw new TypeError("loops.repeats must be 2 or more");
  if (!["nudge", "stop", "none"].includes(action))
    throw new TypeError('loops.action must be "nudge", "stop" or "none"');
  // Throws now instead of in the first run.
  if (budget && !(budget instanceof Budget)) new Budget(budget);
  return {
    ...agentOptions,
    runLimits: {
      begin: (run, parent) => {
        const own = budget instanceof Budget ? [budget] : budget ? [new Budget(budget)] : [];
        const above = parent instanceof LimitsGuard ? parent.options.budgets : [];
        const budgets = [...new Set([...own, ...above])];
        return new LimitsGuard({ budgets, lastResponse, loops }, run);
      },
    },
  };
}
