/** A budget and the detection of loops, as middleware. */

import { type Checks, checkOptions, describeValue, mustBeFlag, mustBeObject } from "../../checks.js";
import { findPausedResponse } from "../../pause/index.js";
import type { AgentMiddleware, MiddlewareRun } from "../../types/middleware.js";
import { Budget, type BudgetOptions, budgetNameOf } from "./budget.js";
import { LimitsGuard } from "./limits-guard.js";
import { LOOP_CHECKS, type LoopOptions } from "./loop-watch.js";
import { countChild } from "./sum-usage.js";

/** Options of {@link limits}. */
export interface LimitsOptions {
  /** The budget of each run, or a {@link Budget} that several runs and agents share. Default: no limit. */
  budget?: BudgetOptions | Budget | undefined;
  /**
   * Whether a run whose budget is nearly used up gets one last response without tools instead of an error message. That
   * response may exceed the budget. There is none if nothing is left, or if the agent has an `output`. Default false.
   */
  lastResponse?: boolean | undefined;
  /** The detection of loops; `false` turns it off. Default `{ repeats: 3, action: "nudge" }`. */
  loops?: LoopOptions | false | undefined;
}

// A record, so that a new option fails to compile here.
const OPTIONS: Checks<keyof LimitsOptions> = {
  budget: (name, value) => {
    // Throws now instead of in the first run.
    if (!(value instanceof Budget)) new Budget(toBudgetOptions(name, value));
  },
  lastResponse: mustBeFlag,
  loops: (name, value) => {
    if (value === false) return;
    mustBeObject(name, value);
    checkOptions(Object(value), LOOP_CHECKS, "loops.");
  },
};

function toBudgetOptions(name: string, value: unknown): BudgetOptions {
  if (typeof value !== "object" || value === null)
    throw new TypeError(`${name} must be an object, such as { usd: 1 }, or a Budget, not ${describeValue(value)}`);
  // Its fields are checked by `Budget`.
  return value as BudgetOptions;
}

function checkLimits(options: LimitsOptions): void {
  // JavaScript callers may pass anything.
  const given: unknown = options;
  if (typeof given !== "object" || given === null)
    throw new TypeError(
      `limits needs an object of options, such as { budget: { usd: 1 } }, not ${describeValue(given)}`,
    );
  for (const name of Object.keys(given)) if (!Object.hasOwn(OPTIONS, name)) refuseInnerName(name);
  checkOptions(given, OPTIONS);
}

/** A limit of the budget, or an option of the loops, one level too high. */
function refuseInnerName(name: string): void {
  const limit = budgetNameOf(name);
  const place = Object.hasOwn(LOOP_CHECKS, name) ? `loops: { ${name} }` : limit && `budget: { ${limit} }`;
  if (place) throw new TypeError(`${name} is not an option of limits. Write limits({ ${place} })`);
}

/**
 * Limits each run by a budget, and detects loops. Several in one list add up. Agents that tools run with `agentTool` have the
 * limits, too: what such an agent uses counts for the budgets of all runs above it.
 *
 * When a limit ends a run, the run emits `run_stopped`, sets `state.stopped`, and ends with an error message unless
 * `lastResponse` is set. Place it inside of what may answer a request itself, such as a cache, send it again, or refuse its
 * response, so that each request that is sent counts once. Calls that other middleware declines do not count, wherever it stands.
 *
 * @example
 * const agent = new Agent({ initialState: { model, tools }, middleware: [limits({ budget: { usd: 0.5, turns: 40 } })] });
 *
 * @throws TypeError that names an unknown option, a limit that is not a number of 0 or more, fewer than 2 `repeats`, or an
 *   unknown `action`
 */
export function limits(options: LimitsOptions): AgentMiddleware {
  checkLimits(options);
  const { budget, lastResponse = false } = options;
  const loops = options.loops === false ? undefined : (options.loops ?? {});
  /** The budgets of the runs that this began, for runs below them. */
  const begun = new WeakMap<object, readonly Budget[]>();
  return {
    name: "limits",
    inherit: true,
    isRepeatable: true,
    begin: (run) => {
      const own = budget instanceof Budget ? [budget] : budget ? [createBudget(budget, run)] : [];
      const budgets = (run.parent && begun.get(run.parent)) ?? own;
      begun.set(run.root, budgets);
      return new LimitsGuard({ budgets, lastResponse, loops }, run).hooks;
    },
  };
}

/** The budget of a run. One that goes on after a pause has what was used since the prompt. */
function createBudget(options: BudgetOptions, { context: { messages } }: MiddlewareRun): Budget {
  const budget = new Budget(options);
  if (!findPausedResponse(messages)) return budget;
  const prompt = messages.findLastIndex((message) => message.role === "user" && message.origin === undefined);
  const { usage, requests, toolCalls } = countChild(messages.slice(prompt + 1), []);
  budget.add({ tokens: usage.totalTokens, usd: usage.cost.total }, requests);
  for (let count = 0; count < toolCalls; count++) budget.countToolCall();
  return budget;
}
