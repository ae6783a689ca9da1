/** Reading an answer to its end, from streams that keep their promises and from those that do not. */
import type { AssistantMessage, AssistantMessageEvent } from "pi-ai";
import { AssistantMessageEventStream, ProtocolError } from "pi-ai/call";
import { type AbortGate, OperationAborted } from "./abort-gate.js";

/** How long a stream that has ended may take to settle its result, in milliseconds. */
const RESULT_TIMEOUT_MS = 1000;

const NO_STREAM = "The stream function returned no event stream";
const NO_END = "The stream ended without a terminal event";
const NO_MESSAGE = "The stream ended without a final message";

/**
 * Passes each event on and returns the final message. After an abort the stream has a moment to end by itself, so that
 * the provider's own last words are kept.
 *
 * @throws ProtocolError when the stream ends without a final message, OperationAborted when it did not end in time
 */
export async function readAnswer(
  stream: AsyncIterable<AssistantMessageEvent>,
  gate: AbortGate,
  onEvent: (event: AssistantMessageEvent) => Promise<void> | undefined,
): Promise<AssistantMessage> {
  if (typeof stream?.[Symbol.asyncIterator] !== "function") throw new TypeError(NO_STREAM);
  const reader = new AnswerReader(stream, gate, onEvent);
  try {
    return await gate.waitWithGrace(reader.read());
  } finally {
    reader.stop();
  }
}

class AnswerReader {
  readonly #stream: AsyncIterable<AssistantMessageEvent>;
  readonly #gate: AbortGate;
  readonly #iterator: AsyncIterator<AssistantMessageEvent>;
  readonly #onEvent: (event: AssistantMessageEvent) => Promise<void> | undefined;
  #ended = false;

  constructor(
    stream: AsyncIterable<AssistantMessageEvent>,
    gate: AbortGate,
    onEvent: (event: AssistantMessageEvent) => Promise<void> | undefined,
  ) {
    this.#stream = stream;
    this.#gate = gate;
    this.#iterator = stream[Symbol.asyncIterator]();
    this.#onEvent = onEvent;
  }

  async read(): Promise<AssistantMessage> {
    for (;;) {
      const next = await this.#iterator.next();
      this.#checkTime();
      if (next.done) {
        this.#ended = true;
        return toFinalMessage(await settleResult(this.#stream), NO_END);
      }
      const event = next.value;
      if (event.type === "done") return this.#finish(event.message);
      if (event.type === "error") return this.#finish(event.error);
      const taken = this.#onEvent(event);
      if (taken) await taken;
      this.#checkTime();
    }
  }

  /** Leaves the stream. */
  stop(): void {
    if (this.#ended) return;
    // Nobody waits: a generator that is stuck in its own wait never answers.
    try {
      this.#iterator.return?.()?.then(undefined, () => {});
    } catch {
      // The answer is complete or given up; how a stream takes its leave no longer matters.
    }
  }

  /** Once the answer was closed without the stream, what still comes is dropped. */
  #checkTime(): void {
    if (this.#gate.graceOver) throw new OperationAborted();
  }

  async #finish(message: AssistantMessage): Promise<AssistantMessage> {
    // The result of our own streams is the message of their last event; others may have something to add.
    const own = this.#stream instanceof AssistantMessageEventStream;
    return toFinalMessage(own ? message : ((await settleResult(this.#stream)) ?? message), NO_MESSAGE);
  }
}

/** The stream's own result; undefined where it has none, refuses it, or takes too long. */
async function settleResult(stream: object): Promise<unknown> {
  if (!("result" in stream) || typeof stream.result !== "function") return undefined;
  let settled = false;
  const result = Promise.resolve(stream.result()).then(
    (message: unknown) => {
      settled = true;
      return message;
    },
    () => {
      settled = true;
      return undefined;
    },
  );
  // An honest stream has settled by now, and a timer for each answer would be a waste.
  await null;
  await null;
  return settled ? result : waitAtMost(result, RESULT_TIMEOUT_MS);
}

async function waitAtMost(result: Promise<unknown>, milliseconds: number): Promise<unknown> {
  const timeout = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => timeout.resolve(undefined), milliseconds);
  try {
    return await Promise.race([result, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function toFinalMessage(value: unknown, problem: string): AssistantMessage {
  if (typeof value === "object" && value !== null && "content" in value && Array.isArray(value.content)) {
    // A message is told by its content; streams are trusted with the rest, as their type says.
    return value as AssistantMessage;
  }
  throw new ProtocolError(problem);
}
