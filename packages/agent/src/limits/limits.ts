/** Options for an agent whose runs have a budget and are watched for loops. */
import type { AgentOptions } from "../types/options.js";
import { Budget, type BudgetOptions } from "./budget.js";
import { LimitsGuard } from "./limits-guard.js";
import type { LoopOptions } from "./loop-options.js";

/** Options of {@link limits}. */
export interface LimitsOptions {
  /** The budget of each run. Pass a {@link Budget} to share one among several runs and agents. Default: no limit. */
  budget?: BudgetOptions | Budget;
  /**
   * Whether a run whose budget is nearly used up ends with one last response without tools instead of an error message.
   * Applies only while some of the budget is left, and not to an agent with an `output`. Default false.
   */
  lastResponse?: boolean;
  /** When a run counts as repeating itself, and what happens then. Default `{ repeats: 3, action: "nudge" }`. */
  loops?: LoopOptions | false;
}

/**
 * Adds limits to the options of an agent. They also apply to the agents that its tools run with `agentTool`: the budgets
 * of all runs above such an agent include its usage.
 *
 * When a limit ends a run, the run emits `run_stopped`, sets `state.stopped`, and ends with an error message unless
 * `lastResponse` is set.
 *
 * @example
 * const agent = new Agent(limits({ budget: { usd: 0.5, turns: 40 } }, { initialState: { model, tools } }));
 *
 * @throws TypeError for a limit that is not a number of 0 or more, or fewer than 2 `repeats`
 */
export function limits(options: LimitsOptions, agentOptions: AgentOptions = {}): AgentOptions {
  const { budget, lastResponse = false } = options;
  const loops = options.loops === false ? undefined : (options.loops ?? {});
  const { repeats = 3 } = loops ?? {};
  if (!(repeats >= 2)) throw new TypeError("loops.repeats must be 2 or more");
  // Validates the numbers now instead of in the first run.
  if (budget && !(budget instanceof Budget)) new Budget(budget);
  return {
    ...agentOptions,
    runLimits: {
      begin: (run, parent) => {
        const own = budget instanceof Budget ? [budget] : budget ? [new Budget(budget)] : [];
        const above = parent instanceof LimitsGuard ? parent.options.budgets : [];
        const budgets = [...new Set([...own, ...above])];
        return new LimitsGuard({ budgets, lastResponse: lastResponse && !run.hasOutput, loops }, run);
      },
    },
  };
}
