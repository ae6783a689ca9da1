/** One request of a route: makes attempts, at most two at the same time, until one succeeds. */
import { AssistantMessageBuilder } from "../assemble/assistant-message-builder.js";
import { AbortedError } from "../errors.js";
import type { AssistantMessageEventStream } from "../event-stream/assistant-message-event-stream.js";
import { toFailure } from "../runtime/failure.js";
import type { Context } from "../types/context.js";
import type { AssistantMessageEvent } from "../types/event.js";
import type { AssistantMessage, ErrorKind } from "../types/message.js";
import type { Model } from "../types/model.js";
import type { SimpleStreamOptions, StreamFunction } from "../types/options.js";
import { Attempt } from "./attempt.js";
import { AttemptLog } from "./attempt-log.js";
import { LaneChoice } from "./lane-choice.js";
import { closeLane, type Lane } from "./lanes.js";
import { readLimitHeaders } from "./limit-headers.js";
import type { LimitQueues, Permit } from "./limit-queue.js";
import type { LimitStore } from "./limit-store.js";
import type { RouteClock } from "./route-options.js";

export interface RouteSettings {
  on: ReadonlySet<ErrorKind>;
  clock: RouteClock;
  store: LimitStore;
  queues: LimitQueues;
  firstEventMs: number | undefined;
  retryAfterAtMost: number;
  restarts: boolean;
  breaker: { failures: number; coolMs: number };
  streamFn: StreamFunction;
}

export interface RouteInput {
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
  #failure: AssistantMessage | undefined;
  /** Whether an event has reached the reader. */
  #shown = false;

  constructor(input: RouteInput) {
    const { settings, options, controller, lanes, context } = input;
    this.#input = input;
    this.#settings = settings;
    this.#signal = options.signal ? AbortSignal.any([options.signal, controller.signal]) : controller.signal;
    this.#choice = new LaneChoice(lanes.flat(), settings, context, this.#signal);
    this.#log = new AttemptLog(settings.clock);
  }

  async run(): Promise<void> {
    try {
      for (;;) {
        const lane = await this.#choice.next();
        if (!lane) break;
        const winner = await this.#race(this.#start(lane));
        if (!winner) continue;
        if (await this.#forward(winner)) return;
      }
      if (this.#signal.aborted) throw new AbortedError();
      this.#fail(this.#failure ?? this.#messageOf(new Error("No model of the route is available")));
    } catch (error) {
      this.#fail(this.#messageOf(this.#signal.aborted ? new AbortedError() : error));
    }
  }

  #start({ lane, permit }: { lane: Lane; permit: Permit | undefined }): Attempt {
    const { context, settings } = this.#input;
    const attempt = new Attempt(lane, permit, settings.clock.now(), (signal) =>
      settings.streamFn(lane.model, context, this.#optionsFor(lane, AbortSignal.any([signal, this.#signal]))),
    );
    this.#log.add(attempt);
    return attempt;
  }

  /** Sends the credentials of the request only to the provider of its model. */
  #optionsFor(lane: Lane, signal: AbortSignal): SimpleStreamOptions {
    const { options, asked, settings } = this.#input;
    const { apiKey, headers, ...shared } = options;
    const own =
      asked.provider === lane.model.provider ? { ...(apiKey && { apiKey }), ...(headers && { headers }) } : {};
    return {
      ...shared,
      ...own,
      maxRetries: 0,
      ...lane.options,
      ...(lane.apiKey === undefined ? {} : { apiKey: lane.apiKey }),
      signal,
      onResponse: async (response, model) => {
        const learned = readLimitHeaders(response.headers, settings.clock.now());
        const { limit } = lane;
        if (learned && limit) await settings.store.learn(limit.key, learned, limit.limit, settings.clock.now());
        await (lane.options.onResponse ?? options.onResponse)?.(response, model);
      },
    };
  }

  /** Returns the first attempt that starts to respond; undefined if all failed and the next model may be tried. */
  async #race(first: Attempt): Promise<Attempt | undefined> {
    const racing = new Map([[first, this.#beginning(first)]]);
    const hedge = new AbortController();
    const { firstEventMs, clock } = this.#settings;
    let slow = firstEventMs === undefined ? undefined : clock.wait(firstEventMs, hedge.signal).then(() => undefined);
    try {
      while (racing.size > 0) {
        const raced: Raced | undefined = await Promise.race([...racing.values(), ...(slow ? [slow] : [])]);
        if (!raced) {
          slow = undefined;
          const lane = await this.#choice.nextFree();
          if (lane) {
            const second = this.#start(lane);
            racing.set(second, this.#beginning(second));
          }
          continue;
        }
        racing.delete(raced.attempt);
        if (!raced.failed) return raced.attempt;
        this.#takeFailure(raced.attempt, raced.failed);
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

  async #beginning(attempt: Attempt): Promise<Raced> {
    const beginning = await attempt.begun;
    return { attempt, failed: beginning.kind === "failed" ? beginning.message : undefined };
  }

  /** @throws RouteEnd if no other model may be tried */
  #takeFailure(attempt: Attempt, message: AssistantMessage): void {
    const { clock, breaker, store } = this.#settings;
    const { lane } = attempt;
    this.#log.end(attempt, "failed", message);
    this.#failure = message;
    if (!this.#leadsOn(lane, message)) throw new RouteEnd(message);
    closeLane(lane, message.error, { breaker, now: clock.now() });
    const resetMs = message.error?.retryAfterMs;
    if (resetMs === undefined || !lane.limit) return;
    void Promise.resolve(store.learn(lane.limit.key, { resetMs }, lane.limit.limit, clock.now())).catch(() => {});
  }

  #leadsOn(lane: Lane, { stopReason, error }: AssistantMessage): boolean {
    if (stopReason !== "error" || !error || this.#signal.aborted) return false;
    const isRefused = lane.apiKey !== undefined && (error.kind === "auth" || error.kind === "permission");
    return isRefused || this.#settings.on.has(error.kind);
  }

  /** @returns whether the response has ended; false if another model starts it over */
  async #forward(attempt: Attempt): Promise<boolean> {
    attempt.lane.failures = 0;
    for await (const event of attempt.events()) {
      if (event.type === "done") {
        this.#log.end(attempt, "used");
        this.#push({ ...event, message: this.#log.complete(event.message) });
        return true;
      }
      if (event.type === "error") return this.#endEarly(attempt, event.error);
      this.#push(this.#shown && event.type === "start" ? { type: "attempt_reset", partial: event.partial } : event);
      await this.#input.stream.whenReadable(MAX_UNREAD);
    }
    throw new Error("The stream ended without a terminal event");
  }

  #endEarly(attempt: Attempt, message: AssistantMessage): boolean {
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
    return builder.fail(toFailure(thrown, { secrets: [], attempts: this.#log.length }));
  }
}

/** Ends a route with the failure of an attempt. */
class RouteEnd extends Error {
  readonly failed: AssistantMessage;

  constructor(failed: AssistantMessage) {
    super(failed.errorMessage);
    this.failed = failed;
  }
}
