/**
 * The body of a response. The client pulls it: the provider's stream is read only as fast as the client reads. A client
 * that disconnects, or reads nothing for too long, aborts the provider's request at once. With a store, a client can resume.
 */
import { type AssistantMessageEventStream, createAssistantMessage, ResponseCompletion } from "../message/index.js";
import type { AssistantMessageEvent } from "../types/event.js";
import type { AssistantMessage } from "../types/message.js";
import type { Model } from "../types/model.js";
import { formatThrownValue } from "../utils/diagnostics.js";
import { startTimer } from "../utils/duration.js";
import { isFailure } from "../utils/message-facts.js";

interface ResponseBodyOptions {
  model: Model;
  events: AssistantMessageEventStream;
  encode: (event: AssistantMessageEvent) => string;
  /** Aborts the provider's request. */
  abort: () => void;
  /** Called once with the final message. */
  report: (message: AssistantMessage, clientLeft: boolean) => void;
  keepAliveMs: number;
  stallTimeoutMs: number;
}

export interface ResponseBody {
  stream: ReadableStream<Uint8Array>;
  /** Call it when the client has disconnected. */
  leave(): void;
}

/** A client must take this share of the events that wait for it in `stallTimeoutMs`: one that sips would stay for ever. */
const LEAST_SHARE = 0.5;

const KEEP_ALIVE = ": keep-alive\n\n";

export function createResponseBody(options: ResponseBodyOptions): ResponseBody {
  const source = new ResponseSource(options);
  // No chunk is read ahead, because the provider's stream has its own queue.
  return { stream: new ReadableStream(source, { highWaterMark: 0 }), leave: () => source.cancel() };
}

class ResponseSource implements UnderlyingDefaultSource<Uint8Array> {
  readonly #options: ResponseBodyOptions;
  readonly #iterator: AsyncIterator<AssistantMessageEvent>;
  readonly #bytes = new TextEncoder();
  /** The events to send next. */
  readonly #events: AssistantMessageEvent[] = [];
  readonly #completion = new ResponseCompletion((event) => this.#events.push(event));
  #hasBegun = false;
  #latest: AssistantMessage;
  #next: Promise<IteratorResult<AssistantMessageEvent>> | undefined;
  #cancelStallTimer = (): void => {};
  /** The number of chunks that the client has yet to take before the stall timer ends; 0 without a timer. */
  #due = 0;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #over = false;

  constructor(options: ResponseBodyOptions) {
    this.#options = options;
    this.#latest = createAssistantMessage(options.model);
    this.#iterator = options.events[Symbol.asyncIterator]();
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
    this.#watchReader();
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#noteReader();
    const event = await this.#read();
    if (this.#over) return;
    try {
      controller.enqueue(this.#bytes.encode(event === undefined ? KEEP_ALIVE : this.#options.encode(event)));
    } catch (error) {
      this.cancel();
      throw error;
    }
    if (event?.type === "done") this.#end(controller, event.message);
    else if (event?.type === "error") this.#end(controller, event.error);
    else this.#watchReader();
  }

  cancel(): void {
    if (this.#over) return;
    this.#over = true;
    this.#cancelStallTimer();
    const { events, abort, report } = this.#options;
    abort();
    events.result().then(
      (message) => report(message, true),
      (error) => report(this.#failed(error), true),
    );
  }

  /** The next event; undefined when it is time for a keep-alive comment. */
  async #read(): Promise<AssistantMessageEvent | undefined> {
    while (this.#events.length === 0) {
      const event = await this.#readStream();
      if (event === undefined) return undefined;
      this.#take(event);
    }
    return this.#events.shift();
  }

  /** The client knows a response by its events alone, so it gets those that a custom stream function leaves out. */
  #take(event: AssistantMessageEvent): void {
    if ("partial" in event) {
      this.#hasBegun = true;
      if (this.#completion.accept(event)) this.#events.push(event);
      return;
    }
    const message = event.type === "done" ? event.message : event.error;
    if (!this.#hasBegun && message.content.length > 0)
      this.#events.push({ type: "start", partial: { ...message, content: [] } });
    this.#completion.complete(message);
    this.#events.push(event);
  }

  async #readStream(): Promise<AssistantMessageEvent | undefined> {
    try {
      this.#next ??= this.#iterator.next();
      const next = await this.#orKeepAlive(this.#next);
      if (next === undefined) return undefined;
      this.#next = undefined;
      // A custom stream function may end its stream with a result and no terminal event.
      if (next.done) return toTerminalEvent(await this.#options.events.result());
      if ("partial" in next.value) this.#latest = next.value.partial;
      return next.value;
    } catch (error) {
      return toTerminalEvent(this.#failed(error));
    }
  }

  #end(controller: ReadableStreamDefaultController<Uint8Array>, message: AssistantMessage): void {
    this.#over = true;
    this.#cancelStallTimer();
    controller.close();
    this.#options.report(message, false);
  }

  /** The final message of a stream that threw instead of ending: the content so far, and the error. */
  #failed(error: unknown): AssistantMessage {
    const errorMessage = formatThrownValue(error);
    return { ...this.#latest, stopReason: "error", errorMessage, error: { kind: "protocol" } };
  }

  /** The number of events that wait for the client. A custom stream may not tell. */
  #waiting(): number {
    return this.#events.length + (this.#options.events.backlog ?? 0);
  }

  /** The client has taken a chunk. */
  #noteReader(): void {
    if (--this.#due > 0 && this.#waiting() > 0) return;
    this.#due = 0;
    this.#cancelStallTimer();
  }

  /** Ends the response if the client does not take its share in time, because it would keep a paid request open. */
  #watchReader(): void {
    if (this.#due > 0) return;
    this.#due = 1 + Math.floor(this.#waiting() * LEAST_SHARE);
    this.#cancelStallTimer = startTimer(() => {
      this.cancel();
      this.#controller?.error(new Error("The client did not read the response"));
    }, this.#options.stallTimeoutMs);
  }

  /** The next event; undefined after `keepAliveMs` of silence, before a network hop might close the connection. */
  async #orKeepAlive<TValue>(next: Promise<TValue>): Promise<TValue | undefined> {
    const { keepAliveMs } = this.#options;
    if (keepAliveMs <= 0) return next;
    const silence = Promise.withResolvers<undefined>();
    const cancelTimer = startTimer(() => silence.resolve(undefined), keepAliveMs);
    try {
      return await Promise.race([next, silence.promise]);
    } finally {
      cancelTimer();
    }
  }
}

function toTerminalEvent(message: AssistantMessage): AssistantMessageEvent {
  const { stopReason } = message;
  if (isFailure(stopReason)) return { type: "error", reason: stopReason, error: message };
  return { type: "done", reason: stopReason, message };
}
