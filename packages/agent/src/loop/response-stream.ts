/** Reading an answer to its end, from streams that keep their promises and from those that do not. */
import type { AssistantMessage, AssistantMessageEvent } from "pi-ai";
import { AssistantMessageEventStream, type EventReader, ProtocolError } from "pi-ai/call";
import { OperationAborted } from "./abort-gate.js";
import type { AgentRun } from "./agent-run.js";

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
export async function readResponse(
  stream: AsyncIterable<AssistantMessageEvent>,
  run: Pick<AgentRun, "gate" | "showProgress">,
): Promise<AssistantMessage> {
  if (typeof stream?.[Symbol.asyncIterator] !== "function") throw new TypeError(NO_STREAM);
  const reader = new ResponseReader(stream, run);
  try {
    return await run.gate.waitWithGrace(reader.read());
  } finally {
    reader.stop();
  }
}

type TerminalEvent = Extract<AssistantMessageEvent, { type: "done" | "error" }>;

class ResponseReader {
  readonly #stream: AsyncIterable<AssistantMessageEvent>;
  readonly #run: Pick<AgentRun, "gate" | "showProgress">;
  readonly #iterator: AsyncIterator<AssistantMessageEvent> & Partial<EventReader<AssistantMessageEvent>>;
  #ended = false;

  constructor(stream: AsyncIterable<AssistantMessageEvent>, run: Pick<AgentRun, "gate" | "showProgress">) {
    this.#stream = stream;
    this.#run = run;
    this.#iterator = stream[Symbol.asyncIterator]();
  }

  async read(): Promise<AssistantMessage> {
    for (;;) {
      let events = this.#iterator.takeQueued?.();
      if (!events) {
        const next = await this.#iterator.next();
        this.#checkTime();
        if (next.done) return this.#finishWithout();
        events = [next.value];
      }
      for (const event of events) {
        if (event.type === "done" || event.type === "error") return this.#finish(event);
        const taken = this.#run.showProgress(event);
        if (taken) {
          await taken;
          this.#checkTime();
        }
      }
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
    if (this.#run.gate.graceOver) throw new OperationAborted();
  }

  #finish(event: TerminalEvent): AssistantMessage | Promise<AssistantMessage> {
    const message = event.type === "done" ? event.message : event.error;
    // Our own streams end with this event, and its message is their result; others may have something to add.
    if (this.#stream instanceof AssistantMessageEventStream) {
      this.#ended = true;
      return toFinalMessage(message, NO_MESSAGE);
    }
    return settleResult(this.#stream).then((result) => toFinalMessage(result ?? message, NO_MESSAGE));
  }

  async #finishWithout(): Promise<AssistantMessage> {
    this.#ended = true;
    return toFinalMessage(await settleResult(this.#stream), NO_END);
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
