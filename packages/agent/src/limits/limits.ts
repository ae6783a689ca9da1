/** Options for an agent whose runs have a budget and are watched for loops. */
import type { AgentOptions } from "../types/options.js";
import { Budget, type BudgetOptions } from "./budget.js";
import { LimitsGuard } from "./limits-guard.js";
import type { LoopOptions } from "./loop-options.js";

/** What limits the runs of an agent. */
export interface LimitsOptions {
  /** The most that each run may use; a {@link Budget} is shared by all runs and agents that have it. Default: no limit. */
  budget?: BudgetOptions | Budget;
  /**
   * Whether a run whose budget is nearly used up gets a response without tools to conclude with, instead of an error message.
   * Only while something is left of the budget, and not for an agent with an `output`. Default false.
   */
  lastResponse?: boolean;
  /** Whether, and when, a run that repeats itself is noticed. Default `{ repeats: 3, action: "nudge" }`. */
  loops?: LoopOptions | false;
}

/**
 * Adds limits to the options of an agent. Agents that its tools run with `agentTool` share them: each has the budgets of all
 * runs above it.
 *
 * A run that a limit ends has the event `run_stopped`, `state.stopped`, and an error message unless `lastResponse` is set.
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
  // Checks the numbers now instead of in the first run.
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
