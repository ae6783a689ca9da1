/** Limits one run by its budgets, and watches it for loops. */
import type { AssistantMessage } from "pi-ai";
import { addUsage } from "pi-ai/count";
import { isRunStopped, RunStopped } from "../../errors.js";
import type { AgentEvent, BudgetLimit, RunStop } from "../../types/event.js";
import type { ModelRequest } from "../../types/hooks.js";
import type { AgentMessage } from "../../types/message.js";
import type { FinishedTurn, MiddlewareRun, RunHooks, TurnDecision } from "../../types/middleware.js";
import type { AgentToolCallOutcome } from "../../types/tool.js";
import type { BeforeToolCallContext, BeforeToolCallResult } from "../../types/tool-call-hooks.js";
import type { Budget, Grant } from "./budget.js";
import { DEFAULT_REPEATS, describeLoop, type LoopOptions, LoopWatch, type NoticedLoop } from "./loop-watch.js";
import {
  estimateRequest,
  isUnpriced,
  NOTHING,
  type RequestEstimate,
  type Spending,
  spendingOf,
} from "./request-estimate.js";
import { readChildCounts, readSideUsages } from "./sum-usage.js";

const NO_CALLS_LEFT: Promise<BeforeToolCallResult> = Promise.resolve({
  block: true,
  reason: "The budget of tool calls is used up. Respond with what you have.",
});
/** Shared by all calls: a promise for each would cost more than the count. */
const ALLOWED: Promise<undefined> = Promise.resolve(undefined);

/** The limits of a run. */
interface GuardOptions {
  /** The budget of the run. */
  budgets: readonly Budget[];
  /** As in `LimitsOptions`. Ignored for a run with an output. */
  lastResponse: boolean;
  /** Undefined if loops are not detected. */
  loops: LoopOptions | undefined;
}

/** The type of the diagnostic of the last response that a budget allows. A process that repeats the run finds it there. */
const LAST_RESPONSE = "last_response";

/** The type of the diagnostic of the first response whose cost a budget of dollars cannot count. */
const NO_PRICES = "budget_without_prices";

/** The limits of one run. */
export class LimitsGuard {
  readonly #options: GuardOptions;
  readonly #run: MiddlewareRun;
  readonly #keepsLast: boolean;
  readonly #watch: LoopWatch | undefined;
  /** The ids of calls of the turn that this process has counted, until it is known whether they ran. */
  readonly #counted = new Set<string>();
  /** True once the run has a warning that its model has no prices. */
  #toldPrices = false;
  /** Set when the last response that the budget allows is requested. Returns the reason for the end of the run. */
  #last: (() => RunStop) | undefined;

  constructor(options: GuardOptions, run: MiddlewareRun) {
    this.#options = options;
    this.#run = run;
    // A last response without tools could not return the output.
    this.#keepsLast = options.lastResponse && !run.hasOutput;
    this.#watch = options.loops && new LoopWatch(options.loops.repeats ?? DEFAULT_REPEATS);
    const now = run.now();
    for (const budget of options.budgets) budget.tick(now);
  }

  get hooks(): RunHooks {
    return {
      ...(this.#options.budgets.length > 0 && {
        wrapModelCall: (request, send, signal) => this.#send(request, send, signal),
        beforeToolCall: (call) => this.#askForToolCall(call),
      }),
      beforeMessages: () => this.#watch?.reset(),
      onRemembered: (response, isRefused) => this.#countRemembered(response, isRefused),
      onRememberedCall: (outcome) => this.#countChild(outcome),
      afterTurn: (turn) => this.#afterTurn(turn),
      end: ({ messages }) => this.#forgetCalls(messages),
    };
  }

  /** @throws RunStopped if a budget refuses the request */
  async #send(
    request: ModelRequest,
    send: (request: ModelRequest) => Promise<AssistantMessage>,
    signal: AbortSignal | undefined,
  ): Promise<AssistantMessage> {
    const asked = this.#askForRequest(request, signal);
    const grants = asked instanceof Promise ? await asked : asked;
    if ("by" in grants) throw new RunStopped(grants);
    const isLast = this.#last !== undefined && request.origin === undefined;
    const allowed = isLast ? { ...request, options: { ...request.options, toolChoice: "none" as const } } : request;
    try {
      const response = await send(allowed);
      this.#settle(grants, spendingOf(response, allowed));
      const priced = this.#notePrices(response, allowed);
      return isLast ? this.#mark(priced) : priced;
    } catch (error) {
      // Another limit refused the request, so it was not sent.
      if (isRunStopped(error)) this.#cancel(grants);
      else {
        const partial = this.#run.partialOf(error);
        this.#settle(grants, partial ? spendingOf(partial, allowed) : NOTHING);
      }
      throw error;
    }
  }

  #askForRequest(
    request: ModelRequest,
    signal: AbortSignal | undefined,
  ): Grant[] | RunStop | Promise<Grant[] | RunStop> {
    const estimate = estimateRequest(request, this.#run.peek(request.context));
    // A request beside the conversation is not its last response.
    const keepsLast = this.#keepsLast && request.origin === undefined;
    const decided = this.#askAll(estimate, keepsLast);
    return decided instanceof Promise ? this.#askAgain({ estimate, keepsLast }, decided, signal) : decided;
  }

  #settle(grants: readonly Grant[], spent: Spending): void {
    for (let index = 0; index < grants.length; index++) {
      const grant = grants[index];
      if (grant) this.#options.budgets[index]?.settle(grant, spent);
    }
  }

  #cancel(grants: readonly Grant[]): void {
    for (const [index, grant] of grants.entries()) this.#options.budgets[index]?.cancel(grant);
  }

  #mark(response: AssistantMessage): AssistantMessage {
    return this.#note(response, LAST_RESPONSE, { ...this.#last?.() });
  }

  #notePrices(response: AssistantMessage, request: ModelRequest): AssistantMessage {
    const counts = this.#options.budgets.some(({ limitsUsd }) => limitsUsd);
    if (this.#toldPrices || !counts || !isUnpriced(response, request)) return response;
    this.#toldPrices = true;
    const { provider, id } = request.model;
    return this.#note(response, NO_PRICES, { provider, model: id, missing: "model.cost" });
  }

  #note(response: AssistantMessage, type: string, details: Record<string, unknown>): AssistantMessage {
    const note = { type, timestamp: this.#run.now(), details };
    return { ...response, diagnostics: [...(response.diagnostics ?? []), note] };
  }

  #countRemembered(response: AssistantMessage, isRefused: boolean): void {
    const last = response.diagnostics?.find(({ type }) => type === LAST_RESPONSE)?.details;
    // This module has stored it.
    if (last) this.#last = () => last as RunStop;
    const beside = readSideUsages(response, true);
    const { totalTokens: tokens, cost } = addUsage(beside);
    for (const budget of this.#options.budgets) {
      budget.tick(this.#run.startedAt);
      budget.tick(this.#run.now());
      budget.add({ tokens, usd: cost.total }, beside.length);
      // A response of an earlier attempt, if one was sent, has left its usage.
      if (!isRefused || response.usage.totalTokens > 0) budget.add(spendingOf(response));
    }
  }

  #askForToolCall({ toolCall: { id } }: BeforeToolCallContext): Promise<BeforeToolCallResult | undefined> {
    if (this.#last) return NO_CALLS_LEFT;
    const { budgets } = this.#options;
    // A call counts only if no budget refuses it.
    for (const budget of budgets) if (!budget.allowsToolCall()) return NO_CALLS_LEFT;
    for (const budget of budgets) budget.countToolCall();
    this.#counted.add(id);
    return ALLOWED;
  }

  /** Counts what the agent of a call has used in an earlier process. */
  #countChild({ result }: AgentToolCallOutcome): void {
    const { usage, requests, toolCalls } = readChildCounts(result);
    for (const budget of this.#options.budgets) {
      for (let count = 0; count < toolCalls; count++) budget.countToolCall();
      budget.add({ tokens: usage.totalTokens, usd: usage.cost.total }, requests);
    }
  }

  /** Counts the calls of a turn about which an earlier process has asked. */
  #checkCalls(toolResults: FinishedTurn["toolResults"]): void {
    for (const result of toolResults)
      if (result.durationMs !== undefined && !this.#counted.has(result.toolCallId) && this.#isOwn(result))
        for (const budget of this.#options.budgets) budget.countToolCall();
    this.#forgetCalls(toolResults);
  }

  /** Takes back counted calls that did not run: another middleware, or an abort, kept them from it. */
  #forgetCalls(messages: readonly AgentMessage[]): void {
    if (this.#counted.size === 0) return;
    for (const message of messages)
      if (message.role === "toolResult" && message.durationMs !== undefined) this.#counted.delete(message.toolCallId);
    if (this.#counted.size === 0) return;
    for (const _ of this.#counted) for (const budget of this.#options.budgets) budget.forgetToolCall();
    this.#counted.clear();
  }

  /** Middleware has tools of its own, which do not count. */
  #isOwn({ toolName }: FinishedTurn["toolResults"][number]): boolean {
    const { hasOutput, context } = this.#run;
    return !hasOutput || (context.tools?.some(({ name }) => name === toolName) ?? false);
  }

  /** Returns a promise only if it emits an event: most turns need none. */
  #afterTurn(turn: FinishedTurn): TurnDecision | undefined | Promise<TurnDecision | undefined> {
    this.#checkCalls(turn.resumedResults ? [...turn.resumedResults, ...turn.toolResults] : turn.toolResults);
    const noticed = this.#last ? undefined : this.#watch?.add(turn);
    const warnings = this.#takeWarnings();
    if (warnings || noticed) return this.#report(warnings ?? [], noticed);
    return this.#last && { stop: this.#last() };
  }

  async #report(warnings: readonly AgentEvent[], noticed: NoticedLoop | undefined): Promise<TurnDecision | undefined> {
    for (const warning of warnings) await this.#run.emit(warning);
    if (this.#last) return { stop: this.#last() };
    if (!noticed) return undefined;
    await this.#run.emit({ type: "loop_noticed", ...noticed });
    const { action = "nudge", nudge = describeLoop } = this.#options.loops ?? {};
    if (action === "stop") return { stop: { by: "loop", ...noticed } };
    if (action !== "nudge") return undefined;
    const content = nudge(noticed.loop, noticed.repeats);
    return { messages: [{ role: "user", content, timestamp: this.#run.now() }] };
  }

  #takeWarnings(): AgentEvent[] | undefined {
    const now = this.#run.now();
    let events: AgentEvent[] | undefined;
    for (const budget of this.#options.budgets)
      for (const warning of budget.takeWarnings(now)) {
        events ??= [];
        events.push({ type: "budget_warning", ...warning });
      }
    return events;
  }

  /** Returns a grant of each budget. If one budget refuses, the grants of the others are taken back. */
  #askAll(estimate: RequestEstimate, keepsLast: boolean): Grant[] | RunStop | Promise<void> {
    const { budgets } = this.#options;
    const grants: Grant[] = [];
    const now = this.#run.now();
    for (const budget of budgets) {
      const decided = budget.ask(estimate, now, keepsLast && !this.#last);
      if (typeof decided === "object" && "last" in decided) {
        grants.push(decided);
        continue;
      }
      this.#cancel(grants);
      return decided instanceof Promise ? decided : describeStop(budget, decided, estimate);
    }
    if (keepsLast) this.#last ??= this.#findLast(grants);
    return grants;
  }

  #findLast(grants: readonly Grant[]): (() => RunStop) | undefined {
    const index = grants.findIndex(({ last }) => last !== undefined);
    const budget = this.#options.budgets[index];
    const limit = grants[index]?.last;
    return budget && limit && (() => describeStop(budget, limit));
  }

  async #askAgain(
    { estimate, keepsLast }: { estimate: RequestEstimate; keepsLast: boolean },
    first: Promise<void>,
    signal: AbortSignal | undefined,
  ): Promise<Grant[] | RunStop> {
    for (let decided: Grant[] | RunStop | Promise<void> = first; ; decided = this.#askAll(estimate, keepsLast)) {
      if (!(decided instanceof Promise)) return decided;
      await decided;
      signal?.throwIfAborted();
    }
  }
}

function describeStop(budget: Budget, limit: BudgetLimit, estimate?: RequestEstimate): RunStop {
  const stop = budget.describe(limit);
  const estimated = limit === "usd" || limit === "tokens" ? estimate?.[limit] : undefined;
  const exceeds = estimated !== undefined && stop.used < stop.most;
  return { by: "budget", ...stop, ...(exceeds && { estimated }) };
}
