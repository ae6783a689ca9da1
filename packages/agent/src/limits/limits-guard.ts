/** Limits one run by its budgets, and watches it for loops. */
import type { AssistantMessage, ToolResultMessage } from "pi-ai";
import type { AgentEvent } from "../types/event.js";
import type { BudgetLimit, RunStop } from "../types/limit-event.js";
import type { AgentToolCall } from "../types/message.js";
import type { ModelRequest } from "../types/model-request.js";
import type { GuardedRequest, GuardedRun, RunGuard, TurnVerdict } from "../types/run-guard.js";
import type { AnyAgentTool } from "../types/tool.js";
import type { Budget, Grant } from "./budget.js";
import { estimateRequest, NOTHING, type RequestEstimate, spendingOf } from "./estimate-request.js";
import { DEFAULT_REPEATS, describeLoop, type LoopOptions } from "./loop-options.js";
import { LoopWatch, type NoticedLoop } from "./loop-watch.js";

const NO_CALLS_LEFT = "The budget of tool calls is used up. Respond with what you have.";

/** The limits of a run. An agent without limits of its own inherits them from the run whose tool runs it. */
export interface GuardOptions {
  /** The budget of the run, and those of the runs above it. */
  budgets: readonly Budget[];
  /** As in `LimitsOptions`. Ignored for a run with an output. */
  lastResponse: boolean;
  /** Undefined if loops are not detected. */
  loops: LoopOptions | undefined;
}

/** The guard of one run. */
export class LimitsGuard implements RunGuard {
  readonly options: GuardOptions;
  readonly #run: GuardedRun;
  readonly #keepsLast: boolean;
  readonly #watch: LoopWatch | undefined;
  /** The ids of the current turn's tool calls that have valid arguments. */
  #valid: string[] = [];
  /** Whether a tool of the current turn polls. */
  #polls = false;
  /** Set when the last response that the budget allows is requested. Returns the reason for the end of the run. */
  #last: (() => RunStop) | undefined;

  constructor(options: GuardOptions, run: GuardedRun) {
    this.options = options;
    this.#run = run;
    // A last response without tools could not return the output.
    this.#keepsLast = options.lastResponse && !run.hasOutput;
    this.#watch = options.loops && new LoopWatch(options.loops.repeats ?? DEFAULT_REPEATS);
    const now = run.now();
    for (const budget of options.budgets) budget.tick(now);
  }

  beforeRequest(
    request: ModelRequest,
    signal: AbortSignal | undefined,
  ): GuardedRequest | RunStop | Promise<GuardedRequest | RunStop> {
    const { budgets } = this.options;
    if (budgets.length === 0) return { request, settle: doNothing };
    const estimate = estimateRequest(request, this.#run.peek(request.context));
    const decided = this.#askAll(estimate);
    if (!(decided instanceof Promise)) return this.#toPermission(request, decided);
    return this.#askAgain(estimate, decided, signal).then((later) => this.#toPermission(request, later));
  }

  countRemembered(response: AssistantMessage): void {
    for (const budget of this.options.budgets) budget.add(spendingOf(response));
  }

  beforeToolCall({ id }: AgentToolCall, { polls }: AnyAgentTool): string | undefined {
    this.#valid.push(id);
    if (polls) this.#polls = true;
    if (this.#last) return NO_CALLS_LEFT;
    const { budgets } = this.options;
    // A call counts only if no budget refuses it.
    for (const budget of budgets) if (!budget.allowsToolCall()) return NO_CALLS_LEFT;
    for (const budget of budgets) budget.countToolCall();
    return undefined;
  }

  seeMessages(): void {
    this.#watch?.reset();
  }

  /** Returns a promise only if it emits an event: most turns need none. */
  afterTurn(
    message: AssistantMessage,
    toolResults: readonly ToolResultMessage[],
  ): TurnVerdict | undefined | Promise<TurnVerdict | undefined> {
    const turn = { message, toolResults, valid: this.#valid, polls: this.#polls };
    const noticed = this.#last ? undefined : this.#watch?.add(turn);
    this.#valid.length = 0;
    this.#polls = false;
    const warnings = this.#takeWarnings();
    if (warnings || noticed) return this.#report(warnings ?? [], noticed);
    return this.#last && { stop: this.#last() };
  }

  async #report(warnings: readonly AgentEvent[], noticed: NoticedLoop | undefined): Promise<TurnVerdict | undefined> {
    for (const warning of warnings) await this.#run.emit(warning);
    if (this.#last) return { stop: this.#last() };
    if (!noticed) return undefined;
    await this.#run.emit({ type: "loop_noticed", ...noticed });
    const { action = "nudge", nudge = describeLoop } = this.options.loops ?? {};
    if (action === "stop") return { stop: { by: "loop", ...noticed } };
    return action === "nudge" ? { nudge: nudge(noticed.loop, noticed.repeats) } : undefined;
  }

  #takeWarnings(): AgentEvent[] | undefined {
    const now = this.#run.now();
    let events: AgentEvent[] | undefined;
    for (const budget of this.options.budgets)
      for (const warning of budget.takeWarnings(now)) {
        events ??= [];
        events.push({ type: "budget_warning", ...warning });
      }
    return events;
  }

  /** Returns a grant of each budget. If one budget refuses, the grants of the others are taken back. */
  #askAll(estimate: RequestEstimate): Grant[] | RunStop | Promise<void> {
    const { budgets } = this.options;
    const grants: Grant[] = [];
    const now = this.#run.now();
    for (const budget of budgets) {
      const decided = budget.ask(estimate, now, this.#keepsLast && !this.#last);
      if (typeof decided === "object" && "last" in decided) {
        grants.push(decided);
        continue;
      }
      for (const [index, grant] of grants.entries()) budgets[index]?.cancel(grant);
      return decided instanceof Promise ? decided : describeStop(budget, decided);
    }
    if (this.#keepsLast) this.#last ??= this.#findLast(grants);
    return grants;
  }

  #findLast(grants: readonly Grant[]): (() => RunStop) | undefined {
    const index = grants.findIndex(({ last }) => last !== undefined);
    const budget = this.options.budgets[index];
    const limit = grants[index]?.last;
    return budget && limit && (() => describeStop(budget, limit));
  }

  async #askAgain(
    estimate: RequestEstimate,
    first: Promise<void>,
    signal: AbortSignal | undefined,
  ): Promise<Grant[] | RunStop> {
    for (let decided: Grant[] | RunStop | Promise<void> = first; ; decided = this.#askAll(estimate)) {
      if (!(decided instanceof Promise)) return decided;
      await decided;
      signal?.throwIfAborted();
    }
  }

  #toPermission(request: ModelRequest, decided: Grant[] | RunStop): GuardedRequest | RunStop {
    if ("by" in decided) return decided;
    const { budgets } = this.options;
    const sent = this.#last ? { ...request, options: { ...request.options, toolChoice: "none" as const } } : request;
    const settle = (response?: AssistantMessage): void => {
      const spent = response ? spendingOf(response, sent) : NOTHING;
      for (const [index, grant] of decided.entries()) budgets[index]?.settle(grant, spent);
    };
    return { request: sent, settle };
  }
}

function doNothing(): void {}

function describeStop(budget: Budget, limit: BudgetLimit): RunStop {
  return { by: "budget", ...budget.describe(limit) };
}
