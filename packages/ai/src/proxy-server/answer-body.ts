/**
 * The body of an answer. It is pulled: what a client does not take is not asked of the provider. Whoever leaves, or takes
 * nothing for too long, ends the call of the provider at once.
 */
import type { AssistantMessageEvent } from "../types/event.js";
import type { AssistantMessage } from "../types/message.js";
import type { AssistantMessageEventStream } from "../utils/event-stream.js";

export interface AnswerBodyOptions {
  events: AssistantMessageEventStream;
  encode: (event: AssistantMessageEvent) => string;
  /** Ends the call of the provider. */
  abort: () => void;
  /** Called once with the final message. */
  report: (message: AssistantMessage, clientLeft: boolean) => void;
  keepAliveMs: number;
  stallTimeoutMs: number;
}

export interface AnswerBody {
  stream: ReadableStream<Uint8Array>;
  /** The client is gone. */
  leave(): void;
}

const KEEP_ALIVE = ": keep-alive\n\n";

export function createAnswerBody(options: AnswerBodyOptions): AnswerBody {
  const source = new AnswerSource(options);
  // Nothing is fetched in advance: the provider's stream has a queue of its own.
  return { stream: new ReadableStream(source, { highWaterMark: 0 }), leave: () => source.cancel() };
}

class AnswerSource implements UnderlyingDefaultSource<Uint8Array> {
  readonly #options: AnswerBodyOptions;
  readonly #iterator: AsyncIterator<AssistantMessageEvent>;
  readonly #bytes = new TextEncoder();
  #next: Promise<IteratorResult<AssistantMessageEvent>> | undefined;
  #stallTimer: ReturnType<typeof setTimeout> | undefined;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #over = false;

  constructor(options: AnswerBodyOptions) {
    this.#options = options;
    this.#iterator = options.events[Symbol.asyncIterator]();
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
    this.#watchReader();
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    clearTimeout(this.#stallTimer);
    this.#next ??= this.#iterator.next();
    const next = await this.#orKeepAlive(this.#next);
    if (this.#over) return;
    if (next === undefined) {
      controller.enqueue(this.#bytes.encode(KEEP_ALIVE));
    } else {
      this.#next = undefined;
      if (next.done) return this.#end(controller);
      controller.enqueue(this.#bytes.encode(this.#options.encode(next.value)));
      if (next.value.type === "done") return this.#end(controller, next.value.message);
      if (next.value.type === "error") return this.#end(controller, next.value.error);
    }
    this.#watchReader();
  }

  cancel(): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#stallTimer);
    const { events, abort, report } = this.#options;
    abort();
    events.result().then(
      (message) => report(message, true),
      () => {},
    );
  }

  /** A stream that ends without a terminal event has nothing to tell; the client knows what that means. */
  #end(controller: ReadableStreamDefaultController<Uint8Array>, message?: AssistantMessage): void {
    this.#over = true;
    controller.close();
    if (message) this.#options.report(message, false);
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
