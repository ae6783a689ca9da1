/** Limits one run by its budgets, and watches it for loops. */
import type { AssistantMessage, ToolResultMessage } from "pi-ai";
import type { BudgetLimit, RunStop } from "../types/limit-event.js";
import type { AgentToolCall } from "../types/message.js";
import type { ModelRequest } from "../types/model-request.js";
import type { GuardedRequest, GuardedRun, RunGuard, TurnVerdict } from "../types/run-guard.js";
import type { AnyAgentTool } from "../types/tool.js";
import type { Budget, Grant } from "./budget.js";
import { estimateRequest, type RequestEstimate, spendingOf } from "./estimate-request.js";
import { describeLoop, type LoopOptions } from "./loop-options.js";
import { LoopWatch } from "./loop-watch.js";

const NO_CALLS_LEFT = "The budget of tool calls is used up. Respond with what you have.";

/** The limits of a run. */
export interface GuardOptions {
  /** Its own budget, and those of the runs above it. */
  budgets: readonly Budget[];
  lastResponse: boolean;
  /** Undefined where loops are not watched. */
  loops: LoopOptions | undefined;
}

export class LimitsGuard implements RunGuard {
  readonly options: GuardOptions;
  readonly #run: GuardedRun;
  readonly #watch: LoopWatch | undefined;
  /** The calls of the current turn that had valid arguments. */
  #valid = new Set<string>();
  #polls = false;
  /** Set once the last response that the budget allows was requested. */
  #last: (() => RunStop) | undefined;

  constructor(options: GuardOptions, run: GuardedRun) {
    this.options = options;
    this.#run = run;
    this.#watch = options.loops && new LoopWatch(options.loops.repeats ?? 3);
    const now = run.now();
    for (const budget of options.budgets) budget.tick(now);
  }

  beforeRequest(
    request: ModelRequest,
    signal: AbortSignal | undefined,
  ): GuardedRequest | RunStop | Promise<GuardedRequest | RunStop> {
    const { budgets } = this.options;
    if (budgets.length === 0) return { request, settle: () => {} };
    const estimate = estimateRequest(request);
    const answer = this.#askAll(estimate);
    if (!(answer instanceof Promise)) return this.#toPermission(request, answer);
    return this.#askAgain(estimate, answer, signal).then((later) => this.#toPermission(request, later));
  }

  countRemembered(response: AssistantMessage): void {
    for (const budget of this.options.budgets) budget.add(spendingOf(response));
  }

  beforeToolCall({ id }: AgentToolCall, { polls }: AnyAgentTool): string | undefined {
    this.#valid.add(id);
    if (polls) this.#polls = true;
    if (this.#last) return NO_CALLS_LEFT;
    return this.options.budgets.every((budget) => budget.takeToolCall()) ? undefined : NO_CALLS_LEFT;
  }

  seeMessages(): void {
    this.#watch?.reset();
  }

  async afterTurn(
    message: AssistantMessage,
    toolResults: readonly ToolResultMessage[],
  ): Promise<TurnVerdict | undefined> {
    const now = this.#run.now();
    for (const budget of this.options.budgets)
      for (const warning of budget.takeWarnings(now)) await this.#run.emit({ type: "budget_warning", ...warning });
    const turn = { message, toolResults, valid: this.#valid, polls: this.#polls };
    this.#valid = new Set();
    this.#polls = false;
    if (this.#last) return { stop: this.#last() };
    const noticed = this.#watch?.add(turn);
    if (!noticed) return undefined;
    await this.#run.emit({ type: "loop_noticed", ...noticed });
    const { action = "nudge", nudge = describeLoop } = this.options.loops ?? {};
    if (action === "stop") return { stop: { by: "loop", ...noticed } };
    return action === "nudge" ? { nudge: nudge(noticed.loop, noticed.repeats) } : undefined;
  }

  /** Returns the grants of all budgets. If one refuses, the others are released. */
  #askAll(estimate: RequestEstimate): Grant[] | RunStop | Promise<void> {
    const grants: Grant[] = [];
    const now = this.#run.now();
    for (const budget of this.options.budgets) {
      const answer = budget.ask(estimate, now, this.options.lastResponse && !this.#last);
      if (typeof answer === "object" && "settle" in answer) {
        grants.push(answer);
        continue;
      }
      for (const grant of grants) grant.cancel();
      return answer instanceof Promise ? answer : describeStop(budget, answer);
    }
    this.#last ??= this.#findLast(grants);
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
    for (let answer: Grant[] | RunStop | Promise<void> = first; ; answer = this.#askAll(estimate)) {
      if (!(answer instanceof Promise)) return answer;
      await answer;
      signal?.throwIfAborted();
    }
  }

  #toPermission(request: ModelRequest, answer: Grant[] | RunStop): GuardedRequest | RunStop {
    if ("by" in answer) return answer;
    const settle = (response?: AssistantMessage): void => {
      const spent = response ? spendingOf(response, request) : { tokens: 0, usd: 0 };
      for (const grant of answer) grant.settle(spent);
    };
    if (!this.#last) return { request, settle };
    return { request: { ...request, options: { ...request.options, toolChoice: "none" } }, settle };
  }
}

function describeStop(budget: Budget, limit: BudgetLimit): RunStop {
  return { by: "budget", ...budget.describe(limit) };
}
