/** Counts the usage of runs, and decides whether another request may be sent. */
import type { BudgetLimit } from "../types/limit-event.js";
import type { RequestEstimate, Spending } from "./estimate-request.js";

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

/** A request that the budget allows. */
export interface Grant {
  /** Set if the request should be the last one: the limit that the next request would exceed. */
  last: BudgetLimit | undefined;
  /** Counts the response. */
  settle(spent: Spending): void;
  /** Releases the grant of a request that was not sent. */
  cancel(): void;
}

const LIMITS: readonly BudgetLimit[] = ["usd", "tokens", "toolCalls", "turns", "ms"];
const NOTHING: Spending = { tokens: 0, usd: 0 };

/**
 * A budget that several runs and agents share. `limits({ budget: { usd: 1 } })` creates one for each run.
 *
 * A request is sent only if the usage so far plus the estimate of its prompt fits into the budget. Concurrent requests
 * count at their maximum cost, and a request that does not fit beside them waits until they end. So one response at most
 * exceeds the budget, provided that the estimates are right.
 */
export class Budget {
  readonly #most: BudgetOptions;
  readonly #used: Record<BudgetLimit, number> = { usd: 0, tokens: 0, toolCalls: 0, turns: 0, ms: 0 };
  readonly #reserved = new Set<Spending>();
  readonly #warned = new Set<BudgetLimit>();
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
    this.#most = { ...most };
  }

  /** The usage so far. */
  get used(): BudgetUse {
    return { ...this.#used };
  }

  /** @internal Updates the elapsed time, which starts with the first call. */
  tick(now: number): void {
    this.#startedAt ??= now;
    this.#used.ms = now - this.#startedAt;
  }

  /**
   * @internal Returns the grant for a request, the limit that refuses it, or a promise after which to call this again.
   * @param keepsLast whether to mark the last request that fits; that one may exceed the budget
   */
  ask({ least, most }: RequestEstimate, now: number, keepsLast: boolean): Grant | BudgetLimit | Promise<void> {
    this.tick(now);
    const spent = LIMITS.find((limit) => this.#isSpent(limit) && !(keepsLast && limit === "toolCalls"));
    if (spent) return spent;
    let needed = least;
    for (const reserved of this.#reserved) needed = add(needed, reserved);
    const exceeded = MONEY.find((limit) => this.#used[limit] + needed[limit] > this.#mostOf(limit));
    if (exceeded && this.#reserved.size > 0) {
      this.#changed ??= Promise.withResolvers<void>();
      return this.#changed.promise;
    }
    if (exceeded) return keepsLast ? this.#grant(most, exceeded) : exceeded;
    const last = keepsLast ? this.#findLast(needed, least, now) : undefined;
    this.#grantedAt = now;
    return this.#grant(most, last);
  }

  /** @internal Counts a tool call. Returns false if none is left. */
  takeToolCall(): boolean {
    this.#refusedCalls = this.#used.toolCalls >= this.#mostOf("toolCalls");
    if (!this.#refusedCalls) this.#used.toolCalls++;
    return !this.#refusedCalls;
  }

  /** @internal Counts a response that another process requested. */
  add(spent: Spending): void {
    this.#used.turns++;
    this.#count(spent);
  }

  /** @internal Returns the limits that have reached `warnAt` since the last call. */
  takeWarnings(now: number): { limit: BudgetLimit; used: number; most: number }[] {
    this.tick(now);
    const { warnAt = DEFAULT_WARN_AT } = this.#most;
    const due = LIMITS.filter((limit) => this.#used[limit] >= this.#mostOf(limit) * warnAt && !this.#warned.has(limit));
    return due.map((limit) => {
      this.#warned.add(limit);
      return this.describe(limit);
    });
  }

  /** @internal */
  describe(limit: BudgetLimit): { limit: BudgetLimit; used: number; most: number } {
    return { limit, used: this.#used[limit], most: this.#mostOf(limit) };
  }

  #mostOf(limit: BudgetLimit): number {
    return this.#most[limit] ?? Number.POSITIVE_INFINITY;
  }

  /** The model may still respond to the last tool call that fits. */
  #isSpent(limit: BudgetLimit): boolean {
    if (limit === "toolCalls") return this.#refusedCalls;
    return this.#used[limit] >= this.#mostOf(limit);
  }

  /** The limit that would refuse the next request if this one uses as much as the previous one. */
  #findLast(needed: Spending, least: Spending, now: number): BudgetLimit | undefined {
    const after: Record<BudgetLimit, number> = {
      usd: needed.usd + Math.max(least.usd, this.#latest.usd),
      tokens: needed.tokens + Math.max(least.tokens, this.#latest.tokens),
      toolCalls: 0,
      turns: 1,
      ms: this.#used.turns > 0 ? now - this.#grantedAt : 0,
    };
    if (this.#refusedCalls) return "toolCalls";
    return LIMITS.find((limit) => {
      const sum = this.#used[limit] + after[limit];
      return limit === "usd" || limit === "tokens" ? sum > this.#mostOf(limit) : sum >= this.#mostOf(limit);
    });
  }

  #grant(reserve: Spending, last: BudgetLimit | undefined): Grant {
    // A copy: two requests may have the same estimate.
    const reserved = { ...reserve };
    this.#reserved.add(reserved);
    this.#used.turns++;
    const free = (): void => {
      this.#reserved.delete(reserved);
      this.#changed?.resolve();
      this.#changed = undefined;
    };
    return {
      last,
      settle: (spent) => {
        this.#count(spent);
        free();
      },
      cancel: () => {
        this.#used.turns--;
        free();
      },
    };
  }

  #count(spent: Spending): void {
    this.#latest = spent;
    for (const limit of MONEY) this.#used[limit] += spent[limit];
  }
}

const MONEY = ["usd", "tokens"] as const;
const DEFAULT_WARN_AT = 0.8;

function add(one: Spending, other: Spending): Spending {
  return { tokens: one.tokens + other.tokens, usd: one.usd + other.usd };
}
