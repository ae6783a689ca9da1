/** Reads the stream of a response to its end, even if the stream breaks its contract. */
import type { AssistantMessage, AssistantMessageEvent } from "pi-ai";
import {
  AssistantMessageEventStream,
  assertModel,
  checkDuration,
  DEFAULT_IDLE_TIMEOUT_MS,
  type EventReader,
  ProtocolError,
} from "pi-ai/call";
import { OperationAborted } from "../abort-gate.js";
import type { AssistantResponseStream, ModelRequest, StreamFn } from "../types/hooks.js";
import type { AgentRun } from "./agent-run.js";

const NO_STREAM =
  "The stream function returned no event stream. Return streamSimple(model, context, options), or a stream of your own";
const NO_END = "The stream ended without a terminal event";
const NO_MESSAGE = "The stream ended without a final message";

/** The parts of a run that a response needs. */
export type ResponseRun = Pick<AgentRun, "gate" | "showProgress"> & {
  readonly settings: Pick<AgentRun["settings"], "streamOptions">;
};

type ResponseStream = AsyncIterable<AssistantMessageEvent>;

/** Sends a request, shows the response as it arrives, and returns it. */
export async function sendRequest(
  run: ResponseRun,
  { model, context, options }: ModelRequest,
  streamFn: StreamFn,
): Promise<AssistantMessage> {
  // A stream function of the application need not check what getModel has returned.
  assertModel(model);
  return readStream(run, await run.gate.wait(streamFn(model, context, options)));
}

/**
 * Passes on each event of a stream and returns the final message. After an abort the stream has a short grace period to end
 * by itself, so that the final message of the provider is kept.
 *
 * @throws ProtocolError when the stream ends without a final message, OperationAborted when it did not end in time
 */
export async function readStream(run: ResponseRun, stream: ResponseStream): Promise<AssistantMessage> {
  if (typeof stream?.[Symbol.asyncIterator] !== "function") throw new TypeError(NO_STREAM);
  const reader = new StreamReader(stream, run);
  try {
    return await run.gate.waitWithGrace(reader.read());
  } catch (error) {
    if (reader.partial && typeof error === "object" && error) partials.set(error, reader.partial);
    throw error;
  } finally {
    reader.stop();
  }
}

/** By the error of a response: the message so far. */
const partials = new WeakMap<object, AssistantMessage>();

/** The message so far of a response that failed with this error. */
export function partialOf(error: unknown): AssistantMessage | undefined {
  return typeof error === "object" && error ? partials.get(error) : undefined;
}

type TerminalEvent = Extract<AssistantMessageEvent, { type: "done" | "error" }>;

class StreamReader {
  readonly #stream: ResponseStream;
  readonly #run: ResponseRun;
  readonly #iterator: AsyncIterator<AssistantMessageEvent> & Partial<EventReader<AssistantMessageEvent>>;
  /** The response so far. It becomes the message if the stream breaks, and its tokens count. */
  partial: AssistantMessage | undefined;
  /** There is nothing to leave. */
  #hasEnded = false;

  constructor(stream: ResponseStream, run: ResponseRun) {
    this.#stream = stream;
    this.#run = run;
    this.#iterator = stream[Symbol.asyncIterator]();
  }

  /** Reads the stream to its end. */
  async read(): Promise<AssistantMessage> {
    for (;;) {
      const events = this.#iterator.takeQueued?.() ?? (await this.#takeNext());
      if (events.length === 0) return this.#finishWithoutEvent();
      for (const event of events) {
        if (event.type === "done" || event.type === "error") return this.#finish(event);
        this.partial = event.partial;
        const shown = this.#run.showProgress(event);
        // A delta creates no promise unless a listener has to be waited for.
        if (shown) await shown;
        this.#assertNotLate();
      }
    }
  }

  /** Waits for the next event. Returns none at the end of the stream. */
  async #takeNext(): Promise<readonly AssistantMessageEvent[]> {
    const next = await this.#iterator.next();
    this.#assertNotLate();
    return next.done ? [] : [next.value];
  }

  /** Late events are dropped: the response was closed without the stream. */
  #assertNotLate(): void {
    if (this.#run.gate.graceOver) throw new OperationAborted();
  }

  /** Leaves the stream. */
  stop(): void {
    if (this.#hasEnded) return;
    // Not awaited: a generator that is stuck in its own wait never returns.
    try {
      this.#iterator.return?.()?.then(undefined, () => {});
    } catch {
      // The response is complete or was given up, so an error while leaving the stream has no effect.
    }
  }

  async #finish(event: TerminalEvent): Promise<AssistantMessage> {
    const message = event.type === "done" ? event.message : event.error;
    if (this.#stream instanceof AssistantMessageEventStream) {
      this.#hasEnded = true;
      return toFinalMessage(message, NO_MESSAGE);
    }
    // The result of another stream may differ from the message of its last event.
    return toFinalMessage((await this.#waitForResult()) ?? message, NO_MESSAGE);
  }

  async #finishWithoutEvent(): Promise<AssistantMessage> {
    this.#hasEnded = true;
    return toFinalMessage(await this.#waitForResult(), NO_END);
  }

  /** The stream's own result; undefined if it has none, it rejects, or it does not settle in time. */
  async #waitForResult(): Promise<unknown> {
    const { gate, settings } = this.#run;
    const { result: getResult } = this.#stream as Partial<AssistantResponseStream>; // a stream may lack what its type has
    if (typeof getResult !== "function") return undefined;
    const result = Promise.resolve(getResult.call(this.#stream)).catch(() => undefined);
    const { idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS } = settings.streamOptions;
    const milliseconds = checkDuration("idleTimeoutMs", idleTimeoutMs);
    return gate.waitAtMostWithGrace<unknown>(result, { milliseconds, onTimeout: () => undefined });
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
