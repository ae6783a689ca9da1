/** Counts the usage of runs, and decides whether another request may be sent. */
import type { BudgetLimit } from "../types/limit-event.js";
import { NOTHING, type RequestEstimate, type Spending } from "./estimate-request.js";

/** The limits of a budget. An omitted field means no limit; 0 allows nothing. */
export interface BudgetOptions {
  /** US dollars, at the catalogue's prices. */
  usd?: number;
  /** Tokens of requests and responses, those of a cache included. */
  tokens?: number;
  /** Tool calls. Calls above the limit get an error result. */
  toolCalls?: number;
  /** Responses. */
  turns?: number;
  /** Milliseconds since the first run began. A request under way is not cut off. */
  ms?: number;
  /** The share of a limit at which the event `budget_warning` is emitted. Default 0.8. */
  warnAt?: number;
}

/** The usage so far, including that of child agents. */
export type BudgetUse = Readonly<Record<BudgetLimit, number>>;

/** A request that the budget allows. It counts at its maximum cost until {@link Budget.settle}. */
export interface Grant extends Spending {
  /** Set if the request should be the last one: the limit that the next request would exceed. */
  readonly last: BudgetLimit | undefined;
}

/** A limit, and the usage that counts towards it. */
interface Meter {
  readonly limit: BudgetLimit;
  readonly most: number;
  /** The usage to warn at; infinite once that was done. */
  warnFrom: number;
  used: number;
}

const LIMITS: readonly BudgetLimit[] = ["usd", "tokens", "toolCalls", "turns", "ms"];
const NO_WARNINGS: readonly [] = [];
const DEFAULT_WARN_AT = 0.8;

/**
 * A budget that several runs and agents share. `limits({ budget: { usd: 1 } })` creates one for each run.
 *
 * A request is sent only if the usage so far plus the estimate of its prompt fits into the budget. Concurrent requests
 * count at their maximum cost, and a request that does not fit beside them waits until they end. So one response at most
 * exceeds the budget, provided that the estimates are right.
 */
export class Budget {
  readonly #meters: Readonly<Record<BudgetLimit, Meter>>;
  /** All meters, in the order in which they are checked. */
  readonly #all: readonly Meter[];
  /** The requests under way. */
  readonly #grants: Grant[] = [];
  #latest: Spending = NOTHING;
  #startedAt: number | undefined;
  #grantedAt = 0;
  #refusedCalls = false;
  /** Settles when a reservation ends; exists only while a request waits for that. */
  #changed: PromiseWithResolvers<void> | undefined;

  /** @throws TypeError for a limit that is not a number of 0 or more */
  constructor(most: BudgetOptions) {
    for (const name of [...LIMITS, "warnAt"] as const) {
      const value: unknown = most[name];
      if (value !== undefined && !(typeof value === "number" && value >= 0))
        throw new TypeError(`budget.${name} must be a number of 0 or more`);
    }
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

  /** The usage so far. */
  get used(): BudgetUse {
    const { usd, tokens, toolCalls, turns, ms } = this.#meters;
    return { usd: usd.used, tokens: tokens.used, toolCalls: toolCalls.used, turns: turns.used, ms: ms.used };
  }

  /** @internal Updates the elapsed time, which starts with the first call. */
  tick(now: number): void {
    this.#startedAt ??= now;
    this.#meters.ms.used = now - this.#startedAt;
  }

  /**
   * @internal Returns the grant for a request, the limit that refuses it, or a promise after which to call this again.
   * @param keepsLast whether to mark the last request that fits; that one may exceed the budget
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
    this.#release(grant);
  }

  /** @internal Releases the grant of a request that was not sent. */
  cancel(grant: Grant): void {
    this.#meters.turns.used--;
    this.#release(grant);
  }

  /** @internal Counts a tool call. Returns false if none is left. */
  takeToolCall(): boolean {
    this.#refusedCalls = this.#meters.toolCalls.used >= this.#meters.toolCalls.most;
    if (!this.#refusedCalls) this.#meters.toolCalls.used++;
    return !this.#refusedCalls;
  }

  /** @internal Counts a response that another process requested. */
  add(spent: Spending): void {
    this.#meters.turns.used++;
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

  /** @internal */
  describe(limit: BudgetLimit): { limit: BudgetLimit; used: number; most: number } {
    return describe(this.#meters[limit]);
  }

  #findSpent(keepsLast: boolean): BudgetLimit | undefined {
    for (const meter of this.#all) {
      // The model may still respond to the last tool call that fits.
      const isSpent = meter === this.#meters.toolCalls ? this.#refusedCalls && !keepsLast : meter.used >= meter.most;
      if (isSpent) return meter.limit;
    }
    return undefined;
  }

  #findExceeded(tokens: number, usd: number): BudgetLimit | undefined {
    if (this.#meters.usd.used + usd > this.#meters.usd.most) return "usd";
    return this.#meters.tokens.used + tokens > this.#meters.tokens.most ? "tokens" : undefined;
  }

  /** The limit that would refuse the next request if this one uses as much as the previous one. */
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

  #release(grant: Grant): void {
    const place = this.#grants.lastIndexOf(grant);
    if (place < 0) return;
    const latest = this.#grants.pop();
    if (latest && latest !== grant) this.#grants[place] = latest;
    this.#changed?.resolve();
    this.#changed = undefined;
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
