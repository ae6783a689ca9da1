/** Chooses the lane of the next attempt. */
import type { Context } from "../types/context.js";
import { estimateTokens } from "../utils/estimate-tokens.js";
import type { Lane } from "./lanes.js";
import type { LimitQueues, Permit } from "./limit-queue.js";
import type { RouteClock } from "./route-options.js";

interface ChoiceSettings {
  clock: RouteClock;
  queues: LimitQueues;
  retryAfterAtMost: number;
}

export interface ChosenLane {
  lane: Lane;
  permit: Permit | undefined;
}

/** The maximum number of rounds over all lanes. */
const MAX_ROUNDS = 3;
/** The wait before the second round in milliseconds, if no server requested another; doubled before the third. */
const BACKOFF_MS = 500;

export class LaneChoice {
  readonly #lanes: readonly Lane[];
  readonly #settings: ChoiceSettings;
  readonly #context: Context;
  readonly #signal: AbortSignal;
  readonly #tried = new Set<Lane>();
  #round = 0;
  #waitedMs = 0;

  constructor(lanes: readonly Lane[], settings: ChoiceSettings, context: Context, signal: AbortSignal) {
    this.#lanes = lanes;
    this.#settings = settings;
    this.#context = context;
    this.#signal = signal;
  }

  /**
   * Returns the first free lane, or else waits for the limit of the first usable one; undefined if there is none. Returns a
   * promise only if there are limits or nothing is free.
   */
  next(): ChosenLane | Promise<ChosenLane | undefined> {
    const [first] = this.#open();
    if (!first || first.limit) return this.#waitForNext();
    this.#tried.add(first);
    return { lane: first, permit: undefined };
  }

  async #waitForNext(): Promise<ChosenLane | undefined> {
    for (;;) {
      const free = await this.nextFree();
      if (free) return free;
      const [first] = this.#open();
      if (first?.limit) {
        this.#tried.add(first);
        const { key, limit } = first.limit;
        return {
          lane: first,
          permit: await this.#settings.queues.take(key, this.#tokensOf(first), limit, this.#signal),
        };
      }
      if (!(await this.#rest())) return undefined;
    }
  }

  /** Returns the first lane that can be used without a wait. */
  async nextFree(): Promise<ChosenLane | undefined> {
    const { queues } = this.#settings;
    for (const lane of this.#open()) {
      if (!lane.limit) {
        this.#tried.add(lane);
        return { lane, permit: undefined };
      }
      const { key, limit } = lane.limit;
      const permit = queues.isBusy(key) ? 1 : await queues.tryTake(key, this.#tokensOf(lane), limit);
      if (typeof permit === "number") continue;
      this.#tried.add(lane);
      return { lane, permit };
    }
    return undefined;
  }

  #open(): Lane[] {
    const now = this.#settings.clock.now();
    return this.#lanes.filter((lane) => !lane.refused && lane.closedUntil <= now && !this.#tried.has(lane));
  }

  /** Waits until a lane may be tried again. Returns false if that would take too long, or after the last round. */
  async #rest(): Promise<boolean> {
    const { clock, retryAfterAtMost } = this.#settings;
    const usable = this.#lanes.filter(({ refused }) => !refused);
    this.#round++;
    if (usable.length === 0 || this.#round >= MAX_ROUNDS || this.#signal.aborted) return false;
    const soonest = Math.min(...usable.map(({ closedUntil }) => closedUntil)) - clock.now();
    const wait = Math.max(soonest, BACKOFF_MS * 2 ** (this.#round - 1));
    if (this.#waitedMs + wait > retryAfterAtMost) return false;
    this.#waitedMs += wait;
    await clock.wait(wait, this.#signal);
    this.#tried.clear();
    return !this.#signal.aborted;
  }

  #tokensOf({ limit, model }: Lane): number {
    return limit?.limit.tpm === undefined ? 0 : estimateTokens(this.#context, model);
  }
}
