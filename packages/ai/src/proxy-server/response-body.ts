/**
 * The body of an answer. It is pulled: what a client does not take is not asked of the provider. Whoever leaves, or takes
 * nothing for too long, ends the call of the provider at once.
 */
import { createAssistantMessage } from "../assemble/empty-message.js";
import type { AssistantMessageEventStream } from "../event-stream/assistant-message-event-stream.js";
import type { AssistantMessageEvent } from "../types/event.js";
import type { AssistantMessage } from "../types/message.js";
import type { Model } from "../types/model.js";
import { formatThrownValue } from "../utils/diagnostics.js";

export interface ResponseBodyOptions {
  model: Model;
  events: AssistantMessageEventStream;
  encode: (event: AssistantMessageEvent) => string;
  /** Ends the call of the provider. */
  abort: () => void;
  /** Called once with the final message. */
  report: (message: AssistantMessage, clientLeft: boolean) => void;
  keepAliveMs: number;
  stallTimeoutMs: number;
}

export interface ResponseBody {
  stream: ReadableStream<Uint8Array>;
  /** The client is gone. */
  leave(): void;
}

const KEEP_ALIVE = ": keep-alive\n\n";

export function createResponseBody(options: ResponseBodyOptions): ResponseBody {
  const source = new ResponseSource(options);
  // Nothing is fetched in advance: the provider's stream has a queue of its own.
  return { stream: new ReadableStream(source, { highWaterMark: 0 }), leave: () => source.cancel() };
}

class ResponseSource implements UnderlyingDefaultSource<Uint8Array> {
  readonly #options: ResponseBodyOptions;
  readonly #iterator: AsyncIterator<AssistantMessageEvent>;
  readonly #bytes = new TextEncoder();
  #latest: AssistantMessage;
  #next: Promise<IteratorResult<AssistantMessageEvent>> | undefined;
  #stallTimer: ReturnType<typeof setTimeout> | undefined;
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
    clearTimeout(this.#stallTimer);
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
    clearTimeout(this.#stallTimer);
    const { events, abort, report } = this.#options;
    abort();
    events.result().then(
      (message) => report(message, true),
      (error) => report(this.#failed(error), true),
    );
  }

  /** The next event; undefined where the client has to be told that there is none yet. */
  async #read(): Promise<AssistantMessageEvent | undefined> {
    try {
      this.#next ??= this.#iterator.next();
      const next = await this.#orKeepAlive(this.#next);
      if (next === undefined) return undefined;
      this.#next = undefined;
      // A stream made elsewhere may end with a result and no event of its own.
      if (next.done) return toTerminalEvent(await this.#options.events.result());
      if ("partial" in next.value) this.#latest = next.value.partial;
      return next.value;
    } catch (error) {
      return toTerminalEvent(this.#failed(error));
    }
  }

  #end(controller: ReadableStreamDefaultController<Uint8Array>, message: AssistantMessage): void {
    this.#over = true;
    controller.close();
    this.#options.report(message, false);
  }

  /** What there was of the answer of a stream that broke its promise to end. */
  #failed(error: unknown): AssistantMessage {
    const errorMessage = formatThrownValue(error);
    return { ...this.#latest, stopReason: "error", errorMessage, error: { kind: "protocol" } };
  }

  /** A client that takes nothing holds a call that somebody pays for. */
  #watchReader(): void {
    this.#stallTimer = setTimeout(() => {
      this.cancel();
      this.#controller?.error(new Error("The client did not read"));
    }, this.#options.stallTimeoutMs);
  }

  /** The next event; undefined where it takes so long that something in between might close the connection. */
  async #orKeepAlive<TValue>(next: Promise<TValue>): Promise<TValue | undefined> {
    const { keepAliveMs } = this.#options;
    if (keepAliveMs <= 0) return next;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const silence = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), keepAliveMs);
    });
    try {
      return await Promise.race([next, silence]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function toTerminalEvent(message: AssistantMessage): AssistantMessageEvent {
  const { stopReason } = message;
  if (stopReason === "error" || stopReason === "aborted") return { type: "error", reason: stopReason, error: message };
  return { type: "done", reason: stopReason, message };
}
