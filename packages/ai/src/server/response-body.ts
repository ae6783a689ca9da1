/**
 * The body of a response. The client pulls it: the provider's stream is read only as fast as the client reads. A client
 * that disconnects, or reads nothing for too long, aborts the provider's request at once. With a store, a client can resume.
 */
import {
  type AssistantMessageEventStream,
  createAssistantMessage,
  emptyUsage,
  ResponseCompletion,
} from "../message/index.js";
import type { AssistantMessageEvent } from "../types/event.js";
import type { AssistantMessage } from "../types/message.js";
import type { Model } from "../types/model.js";
import { anySignal } from "../utils/any-signal.js";
import { formatThrownValue } from "../utils/diagnostics.js";
import { startTimer } from "../utils/duration.js";
import { isFailure } from "../utils/message-facts.js";
import type { EventStore } from "./options.js";
import type { ProxyAssistantMessageEvent } from "./proxy-event.js";

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

interface ResponseBody {
  stream: ReadableStream<Uint8Array>;
  /** Call it when the client has disconnected. */
  leave(): void;
}

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
    this.#cancelStallTimer();
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
    controller.close();
    this.#options.report(message, false);
  }

  /** The final message of a stream that threw instead of ending: the content so far, and the error. */
  #failed(error: unknown): AssistantMessage {
    const errorMessage = formatThrownValue(error);
    return { ...this.#latest, stopReason: "error", errorMessage, error: { kind: "protocol" } };
  }

  /** Ends the response if the client does not read, because it would keep a paid request open. */
  #watchReader(): void {
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

// Responses whose events are kept in a store. A client that has lost its connection can resume on any server. The request
// to the provider is not affected.

/** The id of a response. It is random, and only the client that started the response knows it. */
export const RUN_HEADER = "x-run-id";
/** The offset of the last event that the client has. */
export const OFFSET_HEADER = "last-event-id";

const RUN_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A request to stop a response is an event of a second run, with this suffix. */
const stopsOf = (runId: string): string => `${runId}/stop`;

/** The run of a client's request, which continues or stops it. @throws Problem 400 without a valid id or offset */
export function readRunHeaders(request: Request): { runId: string; offset: number } {
  const runId = request.headers.get(RUN_HEADER) ?? "";
  if (!RUN_ID.test(runId)) throw new Problem(400, `The header ${RUN_HEADER} is missing or not an id`);
  const offset = request.headers.get(OFFSET_HEADER) ?? "0";
  if (!/^\d{1,15}$/.test(offset)) throw new Problem(400, `The header ${OFFSET_HEADER} is not a number`);
  return { runId, offset: Number(offset) };
}

/** Asks the server that executes the request to the provider to abort it. */
export async function stopRun(store: EventStore, runId: string): Promise<void> {
  // Fails if the response was already stopped or has ended, which is fine.
  await store.append(stopsOf(runId), "stop").catch((error) => {
    if (!isStoreError(error)) throw error;
  });
  // A client can name any id. A run without an end would stay in the store.
  await store.end(stopsOf(runId));
}

export interface KeptResponse {
  store: EventStore;
  runId: string;
  body: ResponseBody;
  /** Aborts the provider's request. */
  abort: () => void;
  onError: (error: unknown) => void;
}

/** Writes a whole body to the store. Never rejects. */
export async function keepResponse({ store, runId, body, abort, onError }: KeptResponse): Promise<void> {
  const over = new AbortController();
  void abortWhenStopped({ store, runId, abort, onError }, over.signal);
  const reader = body.stream.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      await store.append(runId, decoder.decode(value));
    }
  } catch (error) {
    body.leave();
    onError(error);
  }
  over.abort();
  for (const each of [runId, stopsOf(runId)]) await store.end(each).catch(onError);
}

async function abortWhenStopped(
  { store, runId, abort, onError }: Omit<KeptResponse, "body">,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const _ of store.read(stopsOf(runId), 0, signal)) return abort();
  } catch (error) {
    onError(error);
  }
}

interface ReadKeptOptions {
  offset: number;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  keepAliveMs: number;
}

/** Returns the events after an offset, in the format of the relay. */
export function readKeptResponse(
  store: EventStore,
  runId: string,
  { offset, signal, keepAliveMs }: ReadKeptOptions,
): ReadableStream<Uint8Array> {
  const gone = new AbortController();
  const events = store.read(runId, offset, anySignal([signal, gone.signal]))[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<[number, unknown]>> | undefined;
  let isComplete = false;
  return new ReadableStream(
    {
      pull: async (controller) => {
        const send = (text: string): void => controller.enqueue(encoder.encode(`${text}\n\n`));
        try {
          next ??= events.next();
          const found = await orSilence(next, keepAliveMs);
          if (!found) return send(": keep-alive");
          next = undefined;
          if (found.done) {
            // The store failed before the response was complete.
            if (!isComplete) send(`data: ${JSON.stringify(GONE)}`);
            return controller.close();
          }
          const text = String(found.value[1]);
          isComplete = TERMINAL.test(text);
          send(`id: ${found.value[0]}\ndata: ${text}`);
        } catch (error) {
          if (!isStoreError(error)) throw error;
          send(`data: ${JSON.stringify(GONE)}`);
          controller.close();
        }
      },
      cancel: () => gone.abort(),
    },
    { highWaterMark: 0 },
  );
}

const GONE: ProxyAssistantMessageEvent = {
  type: "error",
  reason: "error",
  errorMessage: "The rest of this response is no longer stored",
  error: { kind: "not_found" },
  usage: emptyUsage(),
};

/** The type is the first field of an event. */
const TERMINAL = /^\{"type":"(done|error)"/;

/** Stores come from another package, so their error is recognized by its name. */
function isStoreError(error: unknown): boolean {
  return error instanceof Error && error.name === "EventStoreError";
}

/** Resolves with undefined if no event arrives in time. */
async function orSilence<TValue>(next: Promise<TValue>, milliseconds: number): Promise<TValue | undefined> {
  if (milliseconds <= 0) return next;
  const silence = Promise.withResolvers<undefined>();
  const cancelTimer = startTimer(() => silence.resolve(undefined), milliseconds);
  return Promise.race([next, silence.promise]).finally(cancelTimer);
}

/** A rejected request. Thrown internally, and sent as a response with the body `{ "error": text }`. */
export class Problem extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }

  toResponse(): Response {
    return new Response(JSON.stringify({ error: this.message }), {
      status: this.status,
      headers: {
        "content-type": "application/json; charset=utf-8",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        ...this.headers,
      },
    });
  }
}
