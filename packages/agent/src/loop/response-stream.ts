/** Reads the stream of a response to its end, even if the stream breaks its contract. */
import type { AssistantMessage, AssistantMessageEvent } from "pi-ai";
import {
  AssistantMessageEventStream,
  checkDuration,
  DEFAULT_IDLE_TIMEOUT_MS,
  type EventReader,
  ProtocolError,
  startTimer,
} from "pi-ai/call";
import type { AssistantResponseStream, ModelRequest } from "../types/hooks.js";
import { isPending, OperationAborted } from "./abort-gate.js";
import type { AgentRun } from "./agent-run.js";

const NO_STREAM = "The stream function returned no event stream";
const NO_END = "The stream ended without a terminal event";
const NO_MESSAGE = "The stream ended without a final message";

/** The parts of a run that a response needs. */
export type ResponseRun = Pick<AgentRun, "gate" | "showProgress" | "streamOptions">;

type ResponseStream = AsyncIterable<AssistantMessageEvent>;

/**
 * Passes on each event of a stream and returns the final message. Returns a promise only if there is something to wait for.
 * After an abort the stream has a short grace period to end by itself, so that the final message of the provider is kept.
 *
 * @throws ProtocolError when the stream ends without a final message, OperationAborted when it did not end in time
 */
export function readResponse(
  opened: ResponseStream | Promise<ResponseStream>,
  run: ResponseRun,
): AssistantMessage | Promise<AssistantMessage> {
  if (isPending(opened)) return opened.then((stream) => readResponse(stream, run));
  if (typeof opened?.[Symbol.asyncIterator] !== "function") throw new TypeError(NO_STREAM);
  const reader = new ResponseReader(opened, run);
  const read = reader.read();
  return isPending(read) ? finishReading(reader, run.gate.waitWithGrace(read)) : read;
}

async function finishReading(reader: ResponseReader, reading: Promise<AssistantMessage>): Promise<AssistantMessage> {
  try {
    return await reading;
  } catch (error) {
    if (reader.partial && typeof error === "object" && error) partials.set(error, reader.partial);
    throw error;
  } finally {
    reader.stop();
  }
}

/** What had arrived when a response failed. */
const partials = new WeakMap<object, AssistantMessage>();

/** What had arrived of a response that failed with this error. */
export function partialOf(error: unknown): AssistantMessage | undefined {
  return typeof error === "object" && error ? partials.get(error) : undefined;
}

type TerminalEvent = Extract<AssistantMessageEvent, { type: "done" | "error" }>;

class ResponseReader {
  readonly #stream: AsyncIterable<AssistantMessageEvent>;
  readonly #run: ResponseRun;
  readonly #iterator: AsyncIterator<AssistantMessageEvent> & Partial<EventReader<AssistantMessageEvent>>;
  /** The response so far. It becomes the message if the stream breaks, and its tokens count. */
  partial: AssistantMessage | undefined;
  #arrived: readonly AssistantMessageEvent[] = [];
  /** The number of events of `#arrived` that were shown. */
  #shown = 0;
  #last: TerminalEvent | undefined;
  #ended = false;
  #cancelTimeout: (() => void) | undefined;

  constructor(stream: AsyncIterable<AssistantMessageEvent>, run: ResponseRun) {
    this.#stream = stream;
    this.#run = run;
    this.#iterator = stream[Symbol.asyncIterator]();
  }

  /** Reads the stream to its end. Returns a promise unless all of it has arrived. */
  read(): AssistantMessage | Promise<AssistantMessage> {
    try {
      const taken = this.#showArrived();
      return this.#last ? this.#finish(this.#last) : this.#readOn(taken);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async #readOn(first: Promise<void> | undefined): Promise<AssistantMessage> {
    for (let taken = first; ; taken = this.#showArrived()) {
      if (this.#last && !taken) return this.#finish(this.#last);
      const next = await (taken ?? this.#iterator.next());
      // Late events are dropped: the response was closed without the stream.
      if (this.#run.gate.graceOver) throw new OperationAborted();
      if (next?.done) return this.#finishWithout();
      if (next) this.#arrived = [next.value];
      if (next) this.#shown = 0;
    }
  }

  /** Shows the events that have arrived. Stops at the last one of the stream, and where a listener has to be waited for. */
  #showArrived(): Promise<void> | undefined {
    for (;;) {
      if (this.#shown === this.#arrived.length) {
        const more = this.#iterator.takeQueued?.();
        if (!more) return undefined;
        this.#arrived = more;
        this.#shown = 0;
      }
      const event = this.#arrived[this.#shown++];
      if (!event) continue;
      if (event.type === "done" || event.type === "error") {
        this.#last = event;
        return undefined;
      }
      this.partial = event.partial;
      const taken = this.#run.showProgress(event);
      if (taken) return taken;
    }
  }

  /** Leaves the stream. */
  stop(): void {
    this.#cancelTimeout?.();
    if (this.#ended) return;
    // Not awaited: a generator that is stuck in its own wait never returns.
    try {
      this.#iterator.return?.()?.then(undefined, () => {});
    } catch {
      // The response is complete or was given up, so an error while leaving the stream has no effect.
    }
  }

  #finish(event: TerminalEvent): AssistantMessage | Promise<AssistantMessage> {
    const message = event.type === "done" ? event.message : event.error;
    // The result of our own streams is the message of this event. Other streams may return a different one.
    if (this.#stream instanceof AssistantMessageEventStream) {
      this.#ended = true;
      return toFinalMessage(message, NO_MESSAGE);
    }
    return this.#settleResult().then((result) => toFinalMessage(result ?? message, NO_MESSAGE));
  }

  async #finishWithout(): Promise<AssistantMessage> {
    this.#ended = true;
    return toFinalMessage(await this.#settleResult(), NO_END);
  }

  /** The stream's own result; undefined if it has none, it rejects, or it does not settle in time. */
  async #settleResult(): Promise<unknown> {
    const { result: getResult } = this.#stream as Partial<AssistantResponseStream>; // a stream may lack what its type has
    if (typeof getResult !== "function") return undefined;
    let settled = false;
    const settle = (message: unknown): unknown => {
      settled = true;
      return message;
    };
    const result = Promise.resolve(getResult.call(this.#stream)).then(settle, () => settle(undefined));
    // A well-behaved stream has settled by now, so the timer below is rarely needed.
    await null;
    await null;
    return settled
      ? result
      : this.#waitAtMost(result, this.#run.streamOptions.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS);
  }

  async #waitAtMost(result: Promise<unknown>, milliseconds: number): Promise<unknown> {
    if (milliseconds === 0) return result;
    const timeout = Promise.withResolvers<undefined>();
    this.#cancelTimeout = startTimer(() => timeout.resolve(undefined), checkDuration("idleTimeoutMs", milliseconds));
    try {
      return await Promise.race([result, timeout.promise]);
    } finally {
      this.#cancelTimeout?.();
    }
  }
}

/** @throws ProtocolError with the text `problem` for a value that is not a message */
export function toFinalMessage(value: unknown, problem: string): AssistantMessage {
  if (typeof value === "object" && value !== null && "content" in value && Array.isArray(value.content)) {
    // Only the content is checked: the type of a stream function promises the rest.
    return value as AssistantMessage;
  }
  throw new ProtocolError(problem);
}

/** Sends a request, emits the response as it arrives, and returns it. Returns a promise unless it has arrived at once. */
export function sendRequest(
  { gate, streamFn }: Pick<AgentRun, "gate" | "streamFn">,
  { model, context, options }: ModelRequest,
  run: ResponseRun,
): AssistantMessage | Promise<AssistantMessage> {
  return readResponse(gate.wait(streamFn(model, context, options)), run);
}
