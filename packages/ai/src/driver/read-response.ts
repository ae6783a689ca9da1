/** Reads the body of a response and maps its events to the message. */

import { cutText, NetworkError, PiError, ProtocolError, ProviderError } from "../errors.js";
import type { AssistantMessageBuilder, AssistantMessageEventStream } from "../message/index.js";
import {
  createStreamError,
  describeNetworkError,
  parseUnframedError,
  releaseBody,
  type WireResponse,
} from "../transport/index.js";
import type { ErrorKind } from "../types/message.js";
import type { ResponseLimits } from "../types/options.js";
import { startTimer } from "../utils/duration.js";
import type { RequestGuard } from "../utils/request-guard.js";
import type { BodyDecoder } from "../wire/index.js";
import type { WireMapping } from "./api-adapter.js";
import { ProgressSink } from "./progress-sink.js";
import { createAnswerDecoder, type ReadWhole } from "./whole-answer.js";

/** Unread events at which reading from the network pauses. */
const UNREAD_EVENTS = 256;
/**
 * The length of what was read since all events were read, at which reading pauses too: events may be of any size. In bytes, or
 * in characters of a response that is text.
 */
const UNREAD_LENGTH = 256 * 1024;
/** Longest response, in bytes: enough for a million small events. */
const MAX_RESPONSE_LENGTH = 512 * 1024 * 1024;
/** Most characters of a body without events to quote in an error. */
const QUOTE_LENGTH = 2000;

type Chunk = Uint8Array | string;

/** The result of a read. It has no value at the end of the body. */
interface ReadResult {
  value?: Chunk | undefined;
}

export interface ResponseTarget {
  builder: AssistantMessageBuilder;
  stream: AssistantMessageEventStream;
  guard: RequestGuard;
  mapping: WireMapping;
  /** The provider to name in errors. */
  provider: string;
  /** Reads the answer of a server that does not stream. */
  readWhole?: ReadWhole | undefined;
  /** The error text for a response that ends before its end marker. */
  endedEarly: string;
  limits: ResponseLimits | undefined;
  /** Whether comments restart the idle timeout: a busy server sends them while the request waits for its turn. */
  commentsCount?: boolean;
  /** Milliseconds of silence after the stop reason that end the response; 0 = at once. */
  afterStopTimeoutMs: number;
}

/** Resolves when the response is complete; throws a `PiError` otherwise. The connection is released in any case. */
export async function readResponse(response: WireResponse, target: ResponseTarget): Promise<void> {
  const { guard } = target;
  try {
    await new ResponseReader(response, target).read();
  } catch (error) {
    void response.body.cancel(error).catch(() => {});
    // Once the stop reason is known the response is complete, even if the connection then breaks.
    const ended = isKind(guard.failure, "aborted") || error instanceof ProviderError;
    if (isComplete(target) && !ended) return;
    throw error;
  }
  if (!isComplete(target)) throw new ProtocolError(target.endedEarly);
}

/** Whether all that belongs to this request has come: the stop reason, or the token with which the next one goes on. */
function isComplete({ builder, mapping }: ResponseTarget): boolean {
  return builder.stopped || Boolean(mapping.hops?.isPending);
}

class ResponseReader {
  readonly #response: WireResponse;
  readonly #target: ResponseTarget;
  readonly #decoder: BodyDecoder;
  readonly #sink: ProgressSink;
  #length = 0;
  /** The length of the response when its consumer had read all events. */
  #readUpTo = 0;
  /** The number of comments so far. */
  #comments: number | undefined = 0;

  constructor(response: WireResponse, target: ResponseTarget) {
    const { builder, limits } = target;
    this.#response = response;
    this.#target = target;
    this.#decoder = createAnswerDecoder(response.framing, target.readWhole, limits?.eventLength);
    this.#sink = new ProgressSink(builder);
  }

  async read(): Promise<void> {
    const { guard, stream } = this.#target;
    for (;;) {
      const chunk = await this.#nextChunk();
      if (chunk === undefined) break;
      this.#count(chunk.length);
      this.#decoder.push(chunk);
      if (this.#takeEvents()) {
        void releaseBody(this.#response.body);
        this.#checkUnframed();
        return;
      }
      // Nothing is measured until there is much of it.
      const isLong = this.#length - this.#readUpTo > UNREAD_LENGTH;
      const unread = stream.whenReadable(isLong ? 1 : UNREAD_EVENTS);
      if (unread) await waitForReader(unread, guard);
      if (isLong) this.#readUpTo = this.#length;
    }
    this.#end();
  }

  /** Maps the complete events. Returns true at the end of the response. */
  #takeEvents(): boolean {
    const { builder, mapping, guard, commentsCount } = this.#target;
    const decoder = this.#decoder;
    let progress = false;
    for (let event = decoder.next(); event !== undefined; event = decoder.next()) {
      builder.start();
      if (mapping(event, this.#sink)) return true;
      progress = this.#sink.tookProgress(event) || progress;
    }
    const { comments } = decoder;
    if (progress || (commentsCount && comments !== this.#comments)) guard.touch();
    this.#comments = comments;
    return false;
  }

  #end(): void {
    const { builder, mapping } = this.#target;
    try {
      this.#decoder.end();
      if (this.#takeEvents()) {
        this.#checkUnframed();
        return;
      }
    } catch (error) {
      // Ignore an event that the end of the body cuts off: the missing end marker is reported as the error.
      if (!isKind(error, "protocol")) throw error;
    }
    mapping.end?.(builder);
    this.#checkUnframed();
    if (!builder.started) throw this.#emptyResponse();
  }

  #count(length: number): void {
    this.#length += length;
    const maxLength = this.#target.limits?.responseLength ?? MAX_RESPONSE_LENGTH;
    if (this.#length <= maxLength) return;
    // Not retryable: a second response would be as long.
    throw new ProtocolError(`The response is longer than ${maxLength} bytes`, { retryable: false });
  }

  /** The next piece; undefined at the end of the body, and after silence that follows the stop reason. */
  async #nextChunk(): Promise<Chunk | undefined> {
    const { guard } = this.#target;
    try {
      const reading = this.#response.body.read();
      const { value } = await (isComplete(this.#target) ? this.#beforeSilence(reading) : guard.race(reading));
      return value;
    } catch (error) {
      if (guard.failure || PiError.is(error)) throw guard.failure ?? error;
      // Servers often write an error and then reset the connection.
      this.#checkUnframed();
      throw new NetworkError(describeNetworkError(error), { cause: error });
    }
  }

  /** Every chunk restarts the wait, keep-alives too, so that usage that the server sends late still counts. */
  async #beforeSilence(reading: Promise<ReadResult>): Promise<ReadResult> {
    const { guard, afterStopTimeoutMs } = this.#target;
    let cancel: (() => void) | undefined;
    const silence = new Promise<ReadResult>((resolve) => {
      cancel = startTimer(() => resolve({}), afterStopTimeoutMs);
    });
    try {
      const result = await guard.race(Promise.race([reading, silence]));
      if (result.value === undefined) void this.#response.body.cancel().catch(() => {});
      return result;
    } finally {
      cancel?.();
    }
  }

  /** Throws the error that the server wrote beside the events: an end marker may follow it. */
  #checkUnframed(): void {
    const { unframed } = this.#decoder;
    const failure = unframed.trim() === "" ? undefined : parseUnframedError(unframed);
    if (failure) throw createStreamError(failure, this.#target.provider);
  }

  /** Creates the error for a body without events, with a quote of the body. */
  #emptyResponse(): PiError {
    const text = this.#decoder.unframed.trim();
    // Only comments or an incomplete event arrived: this was an event stream whose connection broke.
    if (text === "" && this.#length > 0) return new ProtocolError(this.#target.endedEarly);
    const quote = text === "" ? "an empty body" : cutText(text, QUOTE_LENGTH);
    const advice = text.startsWith("<") ? " (check the model's baseUrl)" : "";
    const message = `The response (status ${this.#response.status}) is not an event stream: ${quote}${advice}`;
    // Not retryable with text: the server would return the same page again.
    return new ProtocolError(message, { retryable: text === "" });
  }
}

async function waitForReader(unread: Promise<void>, guard: RequestGuard): Promise<void> {
  guard.rest();
  await guard.race(unread);
  guard.touch();
}

function isKind(error: unknown, kind: ErrorKind): boolean {
  return PiError.is(error) && error.kind === kind;
}
