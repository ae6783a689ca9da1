/** Watches or changes a response on its way to the reader. */
import { ConfigError } from "../errors.js";
import { AssistantMessageEventStream, type EventReader } from "../message/index.js";
import type { AssistantMessageEvent } from "../types/event.js";
import type { AssistantMessage } from "../types/message.js";
import type { AssistantResponseStream } from "../types/options.js";
import { startTimer } from "../utils/duration.js";
import { attemptsOf, noteAttempts } from "../utils/message-facts.js";
import { DEFAULT_IDLE_TIMEOUT_MS } from "../utils/request-guard.js";

type EndEvent = Extract<AssistantMessageEvent, { type: "done" | "error" }>;

/** An event of a response before its last one. */
export type ProgressEvent = Exclude<AssistantMessageEvent, { type: "done" | "error" }>;

/** Functions for the events of a response and for its message. Each is called once for what it gets. */
export interface StreamMapping {
  /**
   * Called for each event except the last one, even if only the result is read. It may return another event in place of
   * this one. It runs for every delta, so it should take constant time.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a function that only watches returns nothing.
  onEvent?(event: ProgressEvent): ProgressEvent | undefined | void;
  /**
   * Called with the final message, also if the request failed, was aborted or was left by its reader. It may return another
   * one, which becomes the message of the last event and the result.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: as above.
  final?(message: AssistantMessage): AssistantMessage | undefined | void;
  /** Called if there is no final message: the promise of the stream was rejected, or reading it or a function failed. */
  onError?(error: unknown): void;
}

/** How many events may wait for the reader. */
const MAX_UNREAD = 64;

/**
 * Returns the stream with its events and its final message passed through functions. A reader that leaves the new stream
 * leaves the source, which aborts its request; a slow one slows it down. The promise of a stream remains a promise. What
 * the source throws while it is read is thrown to the reader, and what a function throws, too.
 *
 * @throws ConfigError if the source is not a stream
 *
 * @example
 * const logged: StreamMiddleware = (next) => (model, context, options) =>
 *   mapStream(next(model, context, options), { final: ({ usage }) => console.log(usage.totalTokens) });
 */
export function mapStream(source: AssistantResponseStream, mapping: StreamMapping): AssistantMessageEventStream;
export function mapStream(
  source: Promise<AssistantResponseStream>,
  mapping: StreamMapping,
): Promise<AssistantMessageEventStream>;
export function mapStream(
  source: AssistantResponseStream | Promise<AssistantResponseStream>,
  mapping: StreamMapping,
): AssistantMessageEventStream | Promise<AssistantMessageEventStream>;
export function mapStream(
  source: AssistantResponseStream | Promise<AssistantResponseStream>,
  mapping: StreamMapping,
): AssistantMessageEventStream | Promise<AssistantMessageEventStream> {
  if (!isPromise(source)) return new MappedStream(source, mapping);
  return source.then(
    (stream) => new MappedStream(stream, mapping),
    (error) => {
      mapping.onError?.(error);
      throw error;
    },
  );
}

function isPromise(value: object | undefined): value is Promise<AssistantResponseStream> {
  return value !== undefined && "then" in value;
}

/** Reads its source as soon as it exists: the functions see all events, however the new stream is read. */
class MappedStream extends AssistantMessageEventStream {
  readonly #source: AssistantResponseStream;
  readonly #mapping: StreamMapping;
  readonly #events: AsyncIterator<AssistantMessageEvent> & Partial<EventReader<AssistantMessageEvent>>;
  #isLeft = false;
  /** Why there is no message. */
  #failure: { error: unknown } | undefined;
  /** Whether reading the source or a function failed, so that reading this stream does, too. */
  #isBroken = false;
  #result: Promise<AssistantMessage> | undefined;

  constructor(source: AssistantResponseStream, mapping: StreamMapping) {
    super();
    if (typeof source?.[Symbol.asyncIterator] !== "function")
      throw new ConfigError("A stream function must return a stream or the promise of one");
    this.#source = source;
    this.#mapping = mapping;
    this.#events = source[Symbol.asyncIterator]();
    void this.#run();
  }

  override result(): Promise<AssistantMessage> {
    if (!this.#result) {
      this.#result = super.result().catch((error: unknown) => {
        throw this.#failure ? this.#failure.error : error;
      });
      // A rejection that no caller observes must not end the process.
      this.#result.catch(() => {});
    }
    return this.#result;
  }

  override [Symbol.asyncIterator](): EventReader<AssistantMessageEvent> {
    const reader = super[Symbol.asyncIterator]();
    const next = (): ReturnType<typeof reader.next> =>
      reader.next().then((read) => {
        if (read.done && this.#isBroken) throw this.#failure?.error;
        return read;
      });
    return { ...reader, next };
  }

  protected override onAbandoned(): void {
    this.#leave();
    // Nobody reads what the source waits for.
    void this.result();
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    let end: EndEvent | undefined;
    try {
      end = await this.#pass();
    } catch (error) {
      this.#isBroken = true;
      return this.#fail(error);
    } finally {
      this.#leave();
    }
    try {
      this.#end(await this.#settle(end && messageOf(end)), end);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Passes the events on until the last one, which it returns; undefined if the source ends without one. */
  async #pass(): Promise<EndEvent | undefined> {
    for (let events = await this.#read(); events && !this.#isLeft; events = await this.#read())
      for (const event of events) {
        if (event.type === "done" || event.type === "error") return event;
        this.push(this.#mapping.onEvent?.(event) ?? event);
        const readable = this.whenReadable(MAX_UNREAD);
        if (readable) await readable;
      }
    return undefined;
  }

  /** The next events of the source; undefined after its end. */
  async #read(): Promise<readonly AssistantMessageEvent[] | undefined> {
    const queued = this.#events.takeQueued?.();
    if (queued) return queued;
    const next = await this.#events.next();
    return next.done ? undefined : [next.value];
  }

  #leave(): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    // Not awaited: a generator that waits for something else does not return before that.
    try {
      this.#events.return?.()?.then(undefined, () => {});
    } catch {
      // The source has no more to say.
    }
  }

  /** The source's own result, which may be another message than that of its last event, and settle later. */
  async #settle(last: AssistantMessage | undefined): Promise<AssistantMessage> {
    if (!last) return this.#source.result();
    if (this.#source instanceof AssistantMessageEventStream) return last;
    const late = Promise.withResolvers<undefined>();
    const cancel = startTimer(() => late.resolve(undefined), DEFAULT_IDLE_TIMEOUT_MS);
    try {
      return (await Promise.race([this.#source.result(), late.promise])) ?? last;
    } catch {
      return last;
    } finally {
      cancel();
    }
  }

  #end(original: AssistantMessage, event: EndEvent | undefined): void {
    const message = this.#finish(original);
    const { stopReason } = message;
    if (event?.type === "done") this.push({ ...event, message });
    else if (event) this.push({ ...event, error: message });
    else if (stopReason === "error" || stopReason === "aborted")
      this.push({ type: "error", reason: stopReason, error: message });
    else this.push({ type: "done", reason: stopReason, message });
  }

  #finish(original: AssistantMessage): AssistantMessage {
    const attempts = attemptsOf(original);
    try {
      const message = this.#mapping.final?.(original) ?? original;
      if (attempts !== undefined) noteAttempts(message, attempts);
      return message;
    } catch (error) {
      this.#isBroken = true;
      throw error;
    }
  }

  #fail(error: unknown): void {
    this.#failure = { error };
    this.end();
    try {
      this.#mapping.onError?.(error);
    } catch {
      // The reader gets the first error.
    }
  }
}

function messageOf(event: EndEvent): AssistantMessage {
  return event.type === "done" ? event.message : event.error;
}
