/** One request of a route: makes attempts, at most two at the same time, until one succeeds. */
import { AbortedError, ConfigError } from "../../errors.js";
import { AssistantMessageBuilder, type AssistantMessageEventStream, toFailure } from "../../message/index.js";
import type { Context } from "../../types/context.js";
import type { AssistantMessageEvent } from "../../types/event.js";
import type { AssistantMessage, ErrorKind } from "../../types/message.js";
import type { Model } from "../../types/model.js";
import type { AssistantResponseStream, SimpleStreamOptions, StreamFn } from "../../types/options.js";
import { Attempt, type Beginning } from "./attempt.js";
import { AttemptLog } from "./attempt-log.js";
import { type ChosenLane, LaneChoice } from "./lane-choice.js";
import { type Breaker, isRefusal } from "./lane-health.js";
import { laneOptions, needsKey } from "./lane-options.js";
import { collectLaneSecrets, type Lane } from "./lanes.js";
import { ignoreFailure, type LimitQueues } from "./limit-queue.js";
import type { LimitStore } from "./limit-store.js";
import type { RouteClock } from "./route-options.js";
import type { WaitingLine } from "./waiting-line.js";

export interface RouteSettings {
  on: ReadonlySet<ErrorKind>;
  clock: RouteClock;
  store: LimitStore;
  queues: LimitQueues;
  line: WaitingLine;
  firstEventMs: number | undefined;
  retryAfterAtMost: number;
  restarts: boolean;
  breaker: Breaker;
  streamFn: StreamFn;
}

interface RouteInput {
  settings: RouteSettings;
  /** The lanes of each target, in the order of this request. */
  lanes: readonly (readonly Lane[])[];
  /** The model with which the stream function was called. */
  asked: Model;
  context: Context;
  options: SimpleStreamOptions;
  stream: AssistantMessageEventStream;
  /** Aborted when the stream has no reader left. */
  controller: AbortController;
  /** Limits that fit no model: the message names them. */
  idleLimits: readonly string[];
}

/** How many events may wait for the reader. */
const MAX_UNREAD = 256;

type Raced = { attempt: Attempt; failed: AssistantMessage | undefined };

export class RouteRun {
  readonly #input: RouteInput;
  readonly #settings: RouteSettings;
  readonly #choice: LaneChoice;
  readonly #log: AttemptLog;
  readonly #signal: AbortSignal;
  /** The keys that `apiKeyFor` has returned. */
  readonly #askedKeys: string[] = [];
  #failure: AssistantMessage | undefined;
  /** Whether an event has reached the reader. */
  #shown = false;

  constructor(input: RouteInput) {
    const { settings, controller, lanes, context, options } = input;
    this.#input = input;
    this.#settings = settings;
    this.#signal = controller.signal;
    this.#choice = new LaneChoice(lanes.flat(), settings, {
      context,
      signal: this.#signal,
      patienceMs: Math.min(settings.retryAfterAtMost, options.timeoutMs || Number.POSITIVE_INFINITY),
    });
    this.#log = new AttemptLog(settings.clock, input.idleLimits);
  }

  async run(): Promise<void> {
    const { signal } = this.#input.options;
    const abort = (): void => this.#input.controller.abort(signal?.reason);
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
    try {
      await this.#run();
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  async #run(): Promise<void> {
    try {
      for (;;) {
        const chosen = this.#choice.next();
        const lane = chosen instanceof Promise ? await chosen : chosen;
        if (!lane) break;
        const winner = await this.#race(this.#start(lane));
        if (!winner) continue;
        if (await this.#forward(winner)) return;
      }
      if (this.#signal.aborted) throw new AbortedError();
      this.#fail(this.#giveUp());
    } catch (error) {
      this.#fail(this.#messageOf(this.#signal.aborted ? new AbortedError() : error));
    }
  }

  /** The failure of this request, or why no lane was left for it, with the time at which one opens. */
  #giveUp(): AssistantMessage {
    const failed = this.#failure;
    if (!failed?.error) return this.#messageOf(this.#choice.explain());
    const retryAfterMs = this.#choice.waitMs();
    const others = this.#log.describeFailures();
    return {
      ...failed,
      ...(others !== undefined && { errorMessage: `${failed.errorMessage} (${others})` }),
      error: { ...failed.error, ...(retryAfterMs > 0 && { retryAfterMs }) },
    };
  }

  #start(chosen: ChosenLane): Attempt {
    const { settings } = this.#input;
    const attempt = new Attempt(chosen, settings.clock.now(), {
      signal: this.#signal,
      races: settings.firstEventMs !== undefined,
      secrets: () => collectLaneSecrets(this.#input, this.#askedKeys),
      onEnd: () => settings.line.wake(),
      open: (signal) => this.#open(chosen.lane, signal),
    });
    this.#log.add(attempt);
    return attempt;
  }

  #open(lane: Lane, signal: AbortSignal): AssistantResponseStream | Promise<AssistantResponseStream> {
    const { context, settings, options } = this.#input;
    const send = (key?: string) =>
      settings.streamFn(lane.model, context, laneOptions(this.#input, lane, { signal, key }));
    if (!needsKey(this.#input, lane)) return send();
    return Promise.resolve(options.apiKeyFor?.(lane.model.provider)).then((key) => {
      // A key is never shown.
      if (key !== undefined && key !== null && typeof key !== "string")
        throw new ConfigError(`apiKeyFor must return a string or undefined, not a value of the type ${typeof key}.`);
      if (key) this.#askedKeys.push(key);
      return send(key);
    });
  }

  /** Returns the first attempt that starts to respond; undefined if all failed and the next model may be tried. */
  async #race(first: Attempt): Promise<Attempt | undefined> {
    const { firstEventMs, clock } = this.#settings;
    if (firstEventMs === undefined) return this.#finish(toRaced(first, await first.begun));
    const racing = new Map([[first, begin(first)]]);
    const hedge = new AbortController();
    let slow: Promise<undefined> | undefined = clock.wait(firstEventMs, hedge.signal).then(() => undefined);
    try {
      while (racing.size > 0) {
        const raced: Raced | undefined = await Promise.race([...racing.values(), ...(slow ? [slow] : [])]);
        if (!raced) {
          slow = undefined;
          const lane = await this.#choice.nextFree();
          if (lane) {
            const second = this.#start(lane);
            racing.set(second, begin(second));
          }
          continue;
        }
        racing.delete(raced.attempt);
        const winner = this.#finish(raced);
        if (winner) return winner;
      }
      return undefined;
    } finally {
      hedge.abort();
      for (const attempt of racing.keys()) {
        attempt.abort(new AbortedError());
        this.#log.end(attempt, "too_slow");
      }
    }
  }

  /** Returns the attempt if it has started to respond. */
  #finish({ attempt, failed }: Raced): Attempt | undefined {
    if (!failed) return attempt;
    this.#takeFailure(attempt, failed);
    return undefined;
  }

  /** @throws RouteEnd if no other model may be tried */
  #takeFailure(attempt: Attempt, message: AssistantMessage): void {
    const { clock, breaker, store } = this.#settings;
    const { lane } = attempt;
    this.#log.end(attempt, "failed", message);
    this.#failure = message;
    if (!this.#leadsOn(lane, message)) throw new RouteEnd(message);
    const { error } = message;
    if (lane.apiKey !== undefined && (error?.kind === "auth" || error?.kind === "permission"))
      lane.health.isRefused = true;
    else if (error?.kind === "quota") this.#choice.leaveOut(lane);
    else if (error?.kind === "content_filter") this.#leaveOutModel(lane);
    else if (!isRefusal(error)) this.#choice.noteFault();
    lane.health.fail(attempt.round, error, breaker, clock.now());
    const resetMs = error?.retryAfterMs;
    if (resetMs === undefined || !lane.limit) return;
    const { key, limit } = lane.limit;
    void ignoreFailure(() => store.learn(key, { resetMs }, limit, clock.now()));
  }

  /** With another key the model would refuse the conversation, too. */
  #leaveOutModel({ model }: Lane): void {
    for (const lane of this.#input.lanes.flat()) if (lane.model === model) this.#choice.leaveOut(lane);
  }

  #leadsOn(lane: Lane, { stopReason, error }: AssistantMessage): boolean {
    if (stopReason !== "error" || !error || this.#signal.aborted) return false;
    const isRefused = lane.apiKey !== undefined && (error.kind === "auth" || error.kind === "permission");
    return isRefused || this.#settings.on.has(error.kind);
  }

  /** @returns whether the response has ended; false if another model starts it over */
  async #forward(attempt: Attempt): Promise<boolean> {
    attempt.lane.health.respond();
    this.#settings.line.respondedAt = this.#settings.clock.now();
    try {
      return await this.#read(attempt);
    } finally {
      attempt.end();
    }
  }

  async #read(attempt: Attempt): Promise<boolean> {
    for (;;) {
      // Without a wait no tick of the microtask queue is spent.
      const next = attempt.nextEvents();
      const events = next instanceof Promise ? await next : next;
      if (!events) break;
      for (const event of events) {
        attempt.note(event);
        if (event.type === "done" || event.type === "error") return this.#end(attempt, event);
        const readable = this.#show(event);
        if (readable) await readable;
      }
    }
    throw new Error("The stream ended without a terminal event");
  }

  /** Returns a promise only if the reader has to catch up. */
  #show(event: Exclude<AssistantMessageEvent, { type: "done" | "error" }>): Promise<void> | undefined {
    this.#push(this.#shown && event.type === "start" ? { type: "attempt_reset", partial: event.partial } : event);
    return this.#input.stream.whenReadable(MAX_UNREAD);
  }

  #end(attempt: Attempt, event: AssistantMessageEvent & { type: "done" | "error" }): boolean {
    if (event.type === "done") {
      this.#log.end(attempt, "used");
      this.#push({ ...event, message: this.#log.complete(event.message) });
      return true;
    }
    const message = event.error;
    if (this.#settings.restarts) {
      this.#takeFailure(attempt, message);
      return false;
    }
    this.#log.end(attempt, "failed", message);
    this.#fail(message);
    return true;
  }

  #push(event: AssistantMessageEvent): void {
    this.#shown = true;
    this.#input.stream.push(event);
  }

  #fail(message: AssistantMessage): void {
    const reason = message.stopReason === "aborted" ? "aborted" : "error";
    this.#push({ type: "error", reason, error: this.#log.complete(message) });
  }

  #messageOf(thrown: unknown): AssistantMessage {
    if (thrown instanceof RouteEnd) return thrown.failed;
    const builder = new AssistantMessageBuilder({ model: this.#input.asked, emit: () => {} });
    return builder.fail(
      toFailure(thrown, { secrets: collectLaneSecrets(this.#input, this.#askedKeys), attempts: this.#log.length }),
    );
  }
}

async function begin(attempt: Attempt): Promise<Raced> {
  return toRaced(attempt, await attempt.begun);
}

function toRaced(attempt: Attempt, beginning: Beginning): Raced {
  return { attempt, failed: beginning.kind === "failed" ? beginning.message : undefined };
}

/** Ends a route with the failure of an attempt. */
class RouteEnd extends Error {
  readonly failed: AssistantMessage;

  constructor(failed: AssistantMessage) {
    super(failed.errorMessage);
    this.failed = failed;
  }
}
