/** Chooses the lane of the next attempt, and keeps the line of the requests that wait for one. */

import { type PiError, ProviderError, type ProviderErrorKind } from "../../errors.js";
import { estimateTokens } from "../../tokens/index.js";
import type { Context } from "../../types/context.js";
import type { Lane } from "./lanes.js";
import type { LimitQueues, Permit } from "./limit-queue.js";
import type { RouteClock } from "./route-options.js";
import type { Place, WaitingLine } from "./waiting-line.js";

interface ChoiceSettings {
  clock: RouteClock;
  queues: LimitQueues;
  line: WaitingLine;
}

/** The request for which a lane is chosen. */
interface ChoiceRequest {
  context: Context;
  signal: AbortSignal;
  /** How long it may wait for a lane, in milliseconds. */
  patienceMs: number;
}

export interface ChosenLane {
  lane: Lane;
  permit: Permit | undefined;
  /** How long the request waited for the lane and its limit, in milliseconds. */
  waitedMs: number;
}

/** How often a request may fail on each lane on average, refusals apart. */
const MAX_ROUNDS = 3;
/** The wait in milliseconds after a request has failed on all open lanes; doubled after the second time. */
const BACKOFF_MS = 500;

export class LaneChoice {
  readonly #lanes: readonly Lane[];
  readonly #settings: ChoiceSettings;
  readonly #request: ChoiceRequest;
  readonly #tried = new Set<Lane>();
  /** Lanes that this request does not try again. */
  readonly #leftOut = new Set<Lane>();
  /** Failed attempts, those apart that the server refused for its load. */
  #faults = 0;
  /** The waits that followed attempts of this request, in milliseconds. */
  #restedMs = 0;

  constructor(lanes: readonly Lane[], settings: ChoiceSettings, request: ChoiceRequest) {
    this.#lanes = lanes;
    this.#settings = settings;
    this.#request = request;
  }

  /**
   * Returns the first open lane, or else waits for one or for its limit; undefined if that takes too long or all lanes have
   * failed. Returns a promise only if there are limits or nothing is open.
   */
  next(): ChosenLane | undefined | Promise<ChosenLane | undefined> {
    if (this.#faults >= MAX_ROUNDS * this.#usable().length) return undefined;
    const [first] = this.#untried();
    if (!first || first.limit || !this.#settings.line.isEmpty) return this.#waitForNext();
    return this.#take(first, undefined);
  }

  /** Notes an attempt that failed for another reason than the load of the server. */
  noteFault(): void {
    this.#faults++;
  }

  /** Never tries a lane again for this request. Another request may come with another key. */
  leaveOut(lane: Lane): void {
    this.#leftOut.add(lane);
  }

  async #waitForNext(): Promise<ChosenLane | undefined> {
    const { clock, line } = this.#settings;
    const from = clock.now();
    while (line.isEmpty) {
      const lane = (await this.nextFree()) ?? (await this.#takeLimited());
      if (lane) return { ...lane, waitedMs: clock.now() - from };
      if (!this.#hasFailedOnAll()) break;
      if (!(await this.#backOff())) return undefined;
    }
    const place = this.#join();
    if (!place) return undefined;
    try {
      const lane = (await this.#stand(place, from)) ?? this.#takeFull();
      return lane && { ...lane, waitedMs: clock.now() - from };
    } finally {
      place.leave();
    }
  }

  /** Waits in the line; undefined if no lane has responded to any request for too long. */
  async #stand(place: Place, from: number): Promise<ChosenLane | undefined> {
    const { clock, line } = this.#settings;
    const { signal, patienceMs } = this.#request;
    while (!signal.aborted && this.#usable().length > 0) {
      const lane = place.isFirst ? ((await this.nextFree()) ?? (await this.#takeLimited(place))) : undefined;
      if (lane) return lane;
      const wait = this.waitMs();
      if (clock.now() + wait - Math.max(from, line.respondedAt) > patienceMs) return undefined;
      if (!place.isFirst || wait > 0) await place.pause(wait, signal);
    }
    return undefined;
  }

  /** Waits for the limit of the first open lane. The limit has a queue of its own, so the request leaves the line. */
  async #takeLimited(place?: Place): Promise<ChosenLane | undefined> {
    const [lane] = this.#untried();
    if (!lane?.limit) return undefined;
    place?.leave();
    const { key, limit } = lane.limit;
    const permit = await this.#settings.queues.take(key, this.#tokensOf(lane), limit, this.#request.signal);
    return this.#take(lane, permit);
  }

  /**
   * Returns a lane that no server has closed, for a request without patience left: how many requests a lane takes at the
   * same time is only an estimate.
   */
  #takeFull(): ChosenLane | undefined {
    if (this.#request.signal.aborted) return undefined;
    const now = this.#settings.clock.now();
    const lane = this.#usable().find(({ health }) => health.closedUntil <= now);
    return lane && !lane.limit ? this.#take(lane, undefined) : undefined;
  }

  /** Returns the first lane that can be used without a wait. */
  async nextFree(): Promise<ChosenLane | undefined> {
    const { queues } = this.#settings;
    for (const lane of this.#untried()) {
      if (!lane.limit) return this.#take(lane, undefined);
      const { key, limit } = lane.limit;
      const permit = queues.isBusy(key) ? 1 : await queues.tryTake(key, this.#tokensOf(lane), limit);
      if (typeof permit !== "number") return this.#take(lane, permit);
    }
    return undefined;
  }

  /** Why no lane is left, if this request has not failed itself. */
  explain(): PiError {
    const usable = this.#usable();
    const names = (usable.length > 0 ? usable : this.#lanes).map(({ model, health }) => {
      return `${model.provider}/${model.id} (${health.latest ?? "busy"})`;
    });
    const list = [...new Set(names)].join(", ");
    if (usable.length === 0)
      return new ProviderError({ kind: "auth", message: `The providers have refused all keys of the route: ${list}` });
    const soonest = soonestOf(usable);
    // The kinds of a provider's errors are known; those of other errors say only that the model is not there.
    const { latest } = soonest.health;
    const kind: ProviderErrorKind = latest === "rate_limit" || latest === "quota" ? latest : "overloaded";
    const retryAfterMs = this.waitMs();
    const message = `No model of the route is available for ${Math.ceil(retryAfterMs / 1000)} s: ${list}`;
    return new ProviderError({ kind, message, retryAfterMs, provider: soonest.model.provider });
  }

  /** The milliseconds until a lane opens. */
  waitMs(): number {
    const usable = this.#usable();
    if (usable.length === 0) return 0;
    return Math.max(0, soonestOf(usable).health.opensAt - this.#settings.clock.now());
  }

  #take(lane: Lane, permit: Permit | undefined): ChosenLane {
    this.#tried.add(lane);
    return { lane, permit, waitedMs: permit?.waitedMs ?? 0 };
  }

  #usable(): Lane[] {
    return this.#lanes.filter((lane) => !lane.health.isRefused && !this.#leftOut.has(lane));
  }

  #untried(): Lane[] {
    const now = this.#settings.clock.now();
    return this.#usable().filter((lane) => lane.health.opensAt <= now && !this.#tried.has(lane));
  }

  /** Whether a lane is open, and each open one has failed in this round. */
  #hasFailedOnAll(): boolean {
    return this.#tried.size > 0 && this.waitMs() === 0 && this.#untried().length === 0;
  }

  /** Waits before the next round. Returns false if that takes too long. */
  async #backOff(): Promise<boolean> {
    const round = Math.max(1, Math.floor(this.#faults / this.#usable().length));
    const wait = BACKOFF_MS * 2 ** (round - 1);
    if (!this.#mayRest(wait)) return false;
    await this.#settings.clock.wait(wait, this.#request.signal);
    this.#tried.clear();
    return !this.#request.signal.aborted;
  }

  #join(): Place | undefined {
    if (this.#usable().length === 0 || (this.#tried.size > 0 && !this.#mayRest(this.waitMs()))) return undefined;
    this.#tried.clear();
    return this.#settings.line.join();
  }

  #mayRest(wait: number): boolean {
    if (this.#restedMs + wait > this.#request.patienceMs) return false;
    this.#restedMs += wait;
    return true;
  }

  #tokensOf({ limit, model }: Lane): number {
    return limit?.limit.tpm === undefined ? 0 : estimateTokens(this.#request.context, model);
  }
}

function soonestOf([first, ...rest]: readonly Lane[]): Lane {
  return rest.reduce((best, lane) => (lane.health.opensAt < best.health.opensAt ? lane : best), first as Lane); // Never empty.
}
