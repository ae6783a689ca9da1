/** Counts what runs use, and decides whether the next request may be sent. */

import { nearestName, processState } from "pi-ai/call";
import { type Check, type Checks, checkOptions, describeValue } from "../../checks.js";
import type { BudgetLimit } from "../../types/event.js";
import { NOTHING, type RequestEstimate, type Spending } from "./request-estimate.js";

/** The limits of a budget. An omitted field means no limit; 0 allows nothing. */
export interface BudgetOptions {
  /** The cost in US dollars, at the prices of the model. A model without prices costs nothing. */
  usd?: number | undefined;
  /** Tokens of prompts and responses, including those that are read from or written to a cache. */
  tokens?: number | undefined;
  /** Tool calls that run. Further calls get an error result, and the next request is not sent. */
  toolCalls?: number | undefined;
  /** Requests to the model, including those that fail. */
  turns?: number | undefined;
  /** Milliseconds since the first run with this budget began. Only checked before a request: none is cut off. */
  ms?: number | undefined;
  /** The share of a limit at which the event `budget_warning` is emitted, 0 or more. Default 0.8. */
  warnAt?: number | undefined;
}

/** The use of each limit so far, including that of agents that tools ran. */
export type BudgetUse = Readonly<Record<BudgetLimit, number>>;

/** A permission to send one request. It reserves the maximum cost of the request until {@link Budget.settle}. */
export interface Grant extends Spending {
  /** The limit that the next request would exceed; undefined unless this request should be the last one. */
  readonly last: BudgetLimit | undefined;
}

/** A limit, and what has been used of it. */
interface Meter {
  readonly limit: BudgetLimit;
  readonly most: number;
  /** The usage at which to warn; infinite after the warning. */
  warnFrom: number;
  used: number;
}

const mustBeAmount: Check = (name, value) => {
  if (!(typeof value === "number" && value >= 0))
    throw new TypeError(`${name} must be a number of 0 or more, not ${describeValue(value)}`);
};
const OPTIONS: Checks<keyof BudgetOptions> = {
  usd: mustBeAmount,
  tokens: mustBeAmount,
  toolCalls: mustBeAmount,
  turns: mustBeAmount,
  ms: mustBeAmount,
  warnAt: mustBeAmount,
};
/** The names of a limit in other libraries. */
const OTHER_NAMES: Readonly<Record<string, keyof BudgetOptions>> = {
  cost: "usd",
  dollars: "usd",
  price: "usd",
  steps: "turns",
  requests: "turns",
  calls: "toolCalls",
  timeoutms: "ms",
  time: "ms",
};

/** The limit that a name means, such as `usd` for `maxCost`; undefined if it means none. */
export function budgetNameOf(name: string): string | undefined {
  const short = name.replace(/^max_?/i, "").replace(/_?usd$/i, "") || "usd";
  const known = Object.keys(OPTIONS);
  return Object.hasOwn(OTHER_NAMES, short.toLowerCase()) ? OTHER_NAMES[short.toLowerCase()] : nearestName(short, known);
}

const NO_WARNINGS: readonly [] = [];
const DEFAULT_WARN_AT = 0.8;

const budgets = /* @__PURE__ */ processState("budgets", () => new WeakSet<object>());

/**
 * A budget that several runs and agents share. `limits({ budget: { usd: 1 } })` creates one for each run.
 *
 * A request is sent only if its estimated prompt fits into what is left of the budget. Requests under way count at their
 * maximum cost. A request that does not fit beside them waits until one of them ends. If the estimates are right, the
 * budget is therefore exceeded by one response at most.
 */
export class Budget {
  /** True for a budget of another copy of this package, too: a program may load it as CommonJS as well. */
  static [Symbol.hasInstance](value: unknown): value is Budget {
    return budgets.has(Object(value));
  }

  readonly #meters: Readonly<Record<BudgetLimit, Meter>>;
  /** All meters. If several limits are reached, the first one is reported. */
  readonly #all: readonly Meter[];
  /** One for each request under way. */
  readonly #grants: Grant[] = [];
  /** The usage of the latest response, as an estimate of the next one. */
  #latest: Spending = NOTHING;
  #startedAt: number | undefined;
  #grantedAt = 0;
  #refusedCalls = false;
  /** Resolves when a request under way ends; created when the first request waits for that. */
  #changed: PromiseWithResolvers<void> | undefined;

  /** @throws TypeError for a limit or a `warnAt` that is not a number of 0 or more, and for any other field */
  constructor(most: BudgetOptions) {
    for (const name of Object.keys(Object(most))) {
      const meant = Object.hasOwn(OPTIONS, name) ? undefined : budgetNameOf(name);
      if (meant) throw new TypeError(`Unknown option "budget.${name}": did you mean "budget.${meant}"?`);
    }
    checkOptions(most, OPTIONS, "budget.");
    budgets.add(this);
    const { warnAt = DEFAULT_WARN_AT } = most;
    const createMeter = (limit: BudgetLimit): Meter => {
      const { [limit]: value = Number.POSITIVE_INFINITY } = most;
      return { limit, most: value, warnFrom: value * warnAt, used: 0 };
    };
    this.#meters = {
      usd: createMeter("usd"),
      tokens: createMeter("tokens"),
      toolCalls: createMeter("toolCalls"),
      turns: createMeter("turns"),
      ms: createMeter("ms"),
    };
    this.#all = Object.values(this.#meters);
  }

  /** The use of each limit so far. `ms` is as of the last check. */
  get used(): BudgetUse {
    const { usd, tokens, toolCalls, turns, ms } = this.#meters;
    return { usd: usd.used, tokens: tokens.used, toolCalls: toolCalls.used, turns: turns.used, ms: ms.used };
  }

  /** @internal Whether it limits dollars. */
  get limitsUsd(): boolean {
    return this.#meters.usd.most < Number.POSITIVE_INFINITY;
  }

  /** @internal Updates the elapsed time, which is counted from the first call on. */
  tick(now: number): void {
    // A process that repeats a durable run begins later than the run did.
    this.#startedAt = Math.min(this.#startedAt ?? now, now);
    this.#meters.ms.used = now - this.#startedAt;
  }

  /**
   * @internal Returns a grant for the request, the limit that refuses it, or a promise: ask again when it resolves.
   * @param keepsLast whether to mark the last request. If not even that one fits, it is granted nevertheless, unless
   * nothing is left
   */
  ask(estimate: RequestEstimate, now: number, keepsLast: boolean): Grant | BudgetLimit | Promise<void> {
    this.tick(now);
    const spent = this.#findSpent(keepsLast);
    if (spent) return spent;
    let { tokens, usd } = estimate;
    for (const grant of this.#grants) {
      tokens += grant.tokens;
      usd += grant.usd;
    }
    const exceeded = this.#findExceeded(tokens, usd);
    if (exceeded && this.#grants.length > 0) {
      this.#changed ??= Promise.withResolvers<void>();
      return this.#changed.promise;
    }
    if (exceeded) return keepsLast ? this.#grant(estimate, exceeded) : exceeded;
    const latest = this.#latest;
    const last = keepsLast
      ? this.#findLast(tokens + Math.max(estimate.tokens, latest.tokens), usd + Math.max(estimate.usd, latest.usd), now)
      : undefined;
    this.#grantedAt = now;
    return this.#grant(estimate, last);
  }

  /** @internal Counts the response to a request. */
  settle(grant: Grant, spent: Spending): void {
    this.#count(spent);
    this.#remove(grant);
    this.#changed?.resolve();
    this.#changed = undefined;
  }

  /**
   * @internal Takes back a grant at once, because another budget refuses the request. Wakes no waiting request: it cannot
   * have waited for this grant, and two requests that wake each other would never end.
   */
  cancel(grant: Grant): void {
    this.#meters.turns.used--;
    this.#remove(grant);
  }

  /** @internal Whether another tool call may run. If not, the run ends before its next request. */
  allowsToolCall(): boolean {
    this.#refusedCalls = this.#meters.toolCalls.used >= this.#meters.toolCalls.most;
    return !this.#refusedCalls;
  }

  /** @internal Counts a tool call. */
  countToolCall(): void {
    this.#meters.toolCalls.used++;
  }

  /** @internal Takes a tool call back: after it was allowed, something else kept it from running. */
  forgetToolCall(): void {
    const { toolCalls } = this.#meters;
    toolCalls.used--;
    // A request that was refused beside it would be allowed now, so the run may go on.
    this.#refusedCalls &&= toolCalls.used >= toolCalls.most;
  }

  /** @internal Counts responses that an earlier process of a durable run received. */
  add(spent: Spending, requests = 1): void {
    this.#meters.turns.used += requests;
    this.#count(spent);
  }

  /** @internal Returns the limits that have reached `warnAt` since the last call. */
  takeWarnings(now: number): readonly { limit: BudgetLimit; used: number; most: number }[] {
    this.tick(now);
    let due: { limit: BudgetLimit; used: number; most: number }[] | undefined;
    for (const meter of this.#all) {
      if (!(meter.used >= meter.warnFrom)) continue;
      meter.warnFrom = Number.POSITIVE_INFINITY;
      due ??= [];
      due.push(describe(meter));
    }
    return due ?? NO_WARNINGS;
  }

  /** @internal Returns the state of a limit for an event. */
  describe(limit: BudgetLimit): { limit: BudgetLimit; used: number; most: number } {
    return describe(this.#meters[limit]);
  }

  #findSpent(keepsLast: boolean): BudgetLimit | undefined {
    for (const meter of this.#all) {
      // Reaching the limit of tool calls is not enough: the model may still respond to the last results.
      const isSpent = meter === this.#meters.toolCalls ? this.#refusedCalls && !keepsLast : meter.used >= meter.most;
      if (isSpent) return meter.limit;
    }
    return undefined;
  }

  #findExceeded(tokens: number, usd: number): BudgetLimit | undefined {
    if (this.#meters.usd.used + usd > this.#meters.usd.most) return "usd";
    return this.#meters.tokens.used + tokens > this.#meters.tokens.most ? "tokens" : undefined;
  }

  /**
   * The limit that would refuse the next request.
   *
   * @param tokens what this request and the prompt of the next one are expected to use
   * @param usd as `tokens`
   */
  #findLast(tokens: number, usd: number, now: number): BudgetLimit | undefined {
    if (this.#refusedCalls) return "toolCalls";
    const exceeded = this.#findExceeded(tokens, usd);
    if (exceeded) return exceeded;
    if (this.#meters.toolCalls.used >= this.#meters.toolCalls.most) return "toolCalls";
    if (this.#meters.turns.used + 1 >= this.#meters.turns.most) return "turns";
    const ms = this.#meters.turns.used > 0 ? now - this.#grantedAt : 0;
    return this.#meters.ms.used + ms >= this.#meters.ms.most ? "ms" : undefined;
  }

  #grant({ tokens, usd, outputTokens, outputUsd }: RequestEstimate, last: BudgetLimit | undefined): Grant {
    const grant = { last, tokens: tokens + outputTokens, usd: usd + outputUsd };
    this.#grants.push(grant);
    this.#meters.turns.used++;
    return grant;
  }

  #remove(grant: Grant): void {
    const place = this.#grants.lastIndexOf(grant);
    if (place < 0) return;
    const latest = this.#grants.pop();
    if (latest && latest !== grant) this.#grants[place] = latest;
  }

  #count(spent: Spending): void {
    this.#latest = spent;
    this.#meters.usd.used += spent.usd;
    this.#meters.tokens.used += spent.tokens;
  }
}

function describe({ limit, used, most }: Meter): { limit: BudgetLimit; used: number; most: number } {
  return { limit, used, most };
}
