/** One attempt of a route, and the log of all attempts of a request. */

import { AbortedError, ConfigError } from "../../errors.js";
import { AssistantMessageBuilder, type EventReader, toFailure } from "../../message/index.js";
import type { AssistantMessageEvent } from "../../types/event.js";
import type { AssistantMessage } from "../../types/message.js";
import type { AssistantResponseStream } from "../../types/options.js";
import { isObject } from "../../utils/is-object.js";
import type { ChosenLane } from "./lane-choice.js";
import type { Round } from "./lane-health.js";
import type { Lane } from "./lanes.js";
import type { Permit } from "./limit-queue.js";

/** The beginning of an attempt's stream. */
export type Beginning = { kind: "content" } | { kind: "failed"; message: AssistantMessage };

type NextEvents = readonly AssistantMessageEvent[] | undefined;

type Reader = AsyncIterator<AssistantMessageEvent> & Partial<Pick<EventReader<AssistantMessageEvent>, "takeQueued">>;

/** How to open the stream of an attempt. */
export interface AttemptSource {
  /** Aborts the attempt. It must end with the request of the route, because its listeners are not removed. */
  signal: AbortSignal;
  /** Whether other attempts may run at the same time, so that this one needs a signal of its own. */
  races: boolean;
  open(signal: AbortSignal): AssistantResponseStream | Promise<AssistantResponseStream>;
  /** Values that must not appear in the text of a failure. */
  secrets(): readonly string[];
  /** Called once, when the attempt has ended. */
  onEnd(): void;
}

/** Reads its stream up to the first content, and then on demand. */
export class Attempt {
  readonly lane: Lane;
  readonly startedAt: number;
  readonly waitedMs: number;
  /** The round of its lane. */
  readonly round: Round;
  /** Settles with the first event that is not `start`. Never rejects. */
  readonly begun: Promise<Beginning>;
  readonly #permit: Permit | undefined;
  /** Only for an attempt that races: a controller costs more than all else that a route adds to a request. */
  readonly #controller: AbortController | undefined;
  /** Set when the attempt has begun. */
  #events: Reader | undefined;
  readonly #source: AttemptSource;
  /** The events up to the first content. */
  #held: AssistantMessageEvent[] = [];
  /** The latest state of the message. */
  latest: AssistantMessage | undefined;
  #hasEnded = false;

  constructor({ lane, permit, waitedMs }: ChosenLane, startedAt: number, source: AttemptSource) {
    this.lane = lane;
    this.startedAt = startedAt;
    this.waitedMs = waitedMs;
    this.round = lane.health.start();
    this.#permit = permit;
    this.#controller = source.races ? controllerOf(source.signal) : undefined;
    this.#source = source;
    this.begun = this.#readBeginning(this.#open());
  }

  /** An error that the stream function throws at once ends the route. */
  #open(): object {
    try {
      const stream: unknown = this.#source.open(this.#signal);
      if (isObject(stream)) return stream;
      throw new ConfigError("route: streamFn must return a stream or the promise of one, not undefined");
    } catch (error) {
      this.end();
      throw error;
    }
  }

  get #signal(): AbortSignal {
    return this.#controller?.signal ?? this.#source.signal;
  }

  /** Aborts a request that races. The limits count what it has used so far. */
  abort(reason?: unknown): void {
    this.#controller?.abort(reason);
    this.end();
  }

  /**
   * Returns the next events, at first those already read; undefined after the end. The caller passes each one to
   * {@link note} when it uses it. Returns a promise only if it has to wait.
   */
  nextEvents(): NextEvents | Promise<NextEvents> {
    if (this.#held.length > 0) {
      const held = this.#held;
      this.#held = [];
      return held;
    }
    return this.#events?.takeQueued?.() ?? this.#waitForEvent();
  }

  async #waitForEvent(): Promise<NextEvents> {
    const next = await this.#events?.next();
    return !next || next.done ? undefined : [next.value];
  }

  async #readBeginning(opened: object): Promise<Beginning> {
    try {
      const stream: unknown = "then" in opened ? await unlessAborted(opened, this.#signal) : opened;
      if (!isStream(stream)) throw new ConfigError("route: streamFn must return a stream or the promise of one");
      this.#events = stream[Symbol.asyncIterator]();
      return await this.#readToContent(this.#events);
    } catch (error) {
      this.end();
      const builder = new AssistantMessageBuilder({ model: this.lane.model, emit: (event) => this.note(event) });
      return {
        kind: "failed",
        message: builder.fail(toFailure(error, { secrets: this.#source.secrets(), attempts: 1 })),
      };
    }
  }

  async #readToContent(events: Reader): Promise<Beginning> {
    for (;;) {
      const next = await events.next();
      if (next.done) throw new Error("The stream ended without a terminal event");
      const event = next.value;
      this.note(event);
      if (event.type === "error") return { kind: "failed", message: event.error };
      this.#held.push(event);
      if (event.type !== "start") return { kind: "content" };
    }
  }

  /** Keeps the state of the message, and counts the usage of a response that has ended. */
  note(event: AssistantMessageEvent): void {
    if (event.type === "done") this.latest = event.message;
    else if (event.type === "error") this.latest = event.error;
    else this.latest = event.partial;
    if (event.type === "done" || event.type === "error") this.end();
  }

  /** Gives the place of the attempt to other requests. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.lane.health.end();
    this.#permit?.release(this.latest?.usage.totalTokens || undefined);
    this.#source.onEnd();
  }
}

/** A stream function that is asynchronous may not notice the signal before it has a stream. */
async function unlessAborted(opening: object, signal: AbortSignal): Promise<unknown> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(new AbortedError());
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort);
  try {
    return await Promise.race([opening, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

function isStream(value: unknown): value is AsyncIterable<AssistantMessageEvent> {
  return isObject(value) && Symbol.asyncIterator in value;
}

/** A controller that follows a signal. Cheaper than `AbortSignal.any`, which keeps a weak reference for each request. */
function controllerOf(signal: AbortSignal): AbortController {
  const controller = new AbortController();
  if (signal.aborted) controller.abort(signal.reason);
  else signal.addEventListener("abort", () => controller.abort(signal.reason), { once: true });
  return controller;
}
