/** Creates the options of an agent whose run another process can continue. */

import { processState } from "pi-ai/call";
import type { AgentOptions } from "../types/options.js";
import type { AnyAgentTool } from "../types/tool.js";
import type { DurableLedger } from "./durable-ledger.js";
import { type ApproveHook, DurableRun, type Inbox } from "./durable-run.js";
import type { DurableSteps } from "./durable-steps.js";
import { StepJournal } from "./step-journal.js";

/** The options of an agent and of its durable run. */
export interface DurableOptions extends Omit<AgentOptions, "runSteps"> {
  /** The engine. Agents of one run share it. */
  steps: DurableSteps;
  /** Identifies the run in all processes. Default: the `runId` of `steps`. */
  runId?: string;
  /** The tools. Default: those of `initialState`. */
  tools?: readonly AnyAgentTool[];
  /** Decides which calls wait for an approval. An error counts as yes. Default: none. */
  approve?: ApproveHook;
  /** Messages from other processes, in addition to those of `steer()` and `followUp()`. Default: none. */
  inbox?: Inbox;
  /**
   * Rejects the run with a {@link StepMismatchError} if another model, system prompt or prompt began it. Default true. Set it
   * to false if they may differ between processes, such as a system prompt with the date.
   */
  detectChanges?: boolean;
  /** The clock of the steps, in Unix milliseconds. Default: the time of the system at the start of the process, and the time since. */
  now?: () => number;
}

/** The options for an agent of a durable run, and the state of the run. */
export interface DurableAgentOptions extends AgentOptions {
  /** The costs of the responses so far. Live. */
  readonly ledger: DurableLedger;
  /** Whether the run is repeating steps of an earlier process. The events of that time are marked as `replayed`. */
  isReplaying(): boolean;
}

/** A journal belongs to the steps, not to an agent: two agents of one run must not take the same positions. */
const journals = /* @__PURE__ */ processState("journals", () => new WeakMap<DurableSteps, StepJournal>());

/**
 * Makes every request, tool call, hook and poll of an agent a step of an engine. After a crash, run the same code again,
 * in any process: finished steps return their stored values, and the transcript is the same as without the crash.
 *
 * - `transformContext`, `convertToLlm` and `getApiKey` are part of their request's step. A key is never remembered.
 * - `afterToolCall` is part of the tool's step; the other hooks are steps of their own. Hooks and tools must return
 *   values that survive JSON.
 * - A tool that was running when its process died runs again only with `replay: "safe"`.
 * - `prompt()` and `continue()` reject with an error of the engine and with {@link StepMismatchError}.
 *
 * @example
 * const agent = new Agent(durable({ steps, tools, approve: ({ tool }) => tool.replay !== "safe" }));
 *
 * @throws TypeError without steps or a run id, or if `approve` is set and the engine cannot wait
 */
export function durable(options: DurableOptions): DurableAgentOptions {
  // An object without `run` is usually the promise of `sessionSteps`.
  if (typeof options.steps?.run !== "function")
    throw new TypeError("durable needs steps, such as { steps: await sessionSteps(file) }");
  const {
    steps,
    runId = steps.runId,
    tools,
    approve,
    inbox,
    detectChanges = true,
    now = systemTime,
    ...agentOptions
  } = options;
  if (!runId) throw new TypeError("durable needs a runId: these steps have none");
  if (approve && !steps.waitFor)
    throw new TypeError("approve needs steps with waitFor: this engine cannot wait for an answer");
  const journal = journals.get(steps) ?? new StepJournal(steps, now);
  journals.set(steps, journal);
  const run = new DurableRun(journal, runId, { approve, inbox, detectChanges });
  return {
    ...agentOptions,
    ...(tools && { initialState: { ...options.initialState, tools } }),
    runSteps: run,
    ledger: run.ledger,
    isReplaying: () => run.isReplaying,
  };
}

/** Does not follow when the time of the system is set, because budgets count durations by it. */
function systemTime(): number {
  return Math.round(performance.timeOrigin + performance.now());
}
