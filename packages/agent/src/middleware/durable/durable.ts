/** Creates the steps of a run that another process can continue. */

import { type Checks, checkOptions, mayBeAnything, mustBeFlag, mustBeFunction, mustBeText } from "../../checks.js";
import { DurableRun, type DurableRunSteps, type Inbox } from "./durable-run-steps.js";
import type { DurableSteps } from "./durable-steps.js";

/** Options of {@link durable}. */
export interface DurableOptions {
  /** Identifies the run in all processes. Default: the `runId` of the engine. */
  runId?: string | undefined;
  /** Messages from other processes, in addition to those of `steer()` and `followUp()`. Default: none. */
  inbox?: Inbox | undefined;
  /**
   * Rejects the run with a {@link StepMismatchError} if another model, system prompt, prompt or list of middleware began it. Default
   * true. Set it
   * to false if they may differ between processes, such as a system prompt with the date.
   */
  detectChanges?: boolean | undefined;
  /** The clock of the steps, in Unix milliseconds. Default: the time of the system at the start of the process, and the time since. */
  now?: (() => number) | undefined;
}

const OPTIONS: Checks<keyof DurableOptions> = {
  runId: mustBeText,
  inbox: mayBeAnything,
  detectChanges: mustBeFlag,
  now: mustBeFunction,
};

/**
 * Makes every request, tool call, hook and poll of an agent a step of an engine. After a crash, run the same code again,
 * in any process: finished steps return their stored values, and the transcript is the same as without the crash.
 *
 * - `transformContext`, `convertToLlm`, `getApiKey` and the hooks around a request are part of its step. A key is never
 *   remembered.
 * - `wrapToolCall` and `afterToolCall` are part of the tool's step; the other hooks are steps of their own. Hooks and tools
 *   must return values that survive JSON.
 * - A tool that was running when its process died runs again only with `replay: "safe"`.
 * - `prompt()` and `continue()` reject with an error of the engine and with {@link StepMismatchError}.
 *
 * @param engine stores the steps. Agents of one run share it
 *
 * @example
 * const steps = durable(engine);
 * const agent = new Agent({ steps, initialState: { model, tools } });
 * await agent.prompt("Book a hotel.");
 * console.log(steps.ledger.completed.cost);
 *
 * @throws TypeError without an engine or a run id
 */
export function durable(engine: DurableSteps, options: DurableOptions = {}): DurableRunSteps {
  // An object without `run` is usually the promise of `sessionSteps`.
  if (typeof engine?.run !== "function")
    throw new TypeError("durable needs an engine, such as durable(await sessionSteps(file))");
  checkOptions(options, OPTIONS);
  const { runId = engine.runId, inbox, detectChanges = true, now = systemTime } = options;
  if (!runId) throw new TypeError("durable needs a runId: this engine has none");
  return new DurableRun(engine, runId, { inbox, detectChanges, now });
}

/** Does not follow when the time of the system is set, because budgets count durations by it. */
function systemTime(): number {
  return Math.round(performance.timeOrigin + performance.now());
}
