/** Reads the body of an answer: pieces to frames, frames to wire events, wire events to the sink. */
import type { AssistantMessageBuilder } from "../assemble/assistant-message-builder.js";
import { cutText, NetworkError, PiError, ProtocolError } from "../errors.js";
import type { CallGuard } from "../transport/call-guard.js";
import { describeNetworkError } from "../transport/guarded-fetch.js";
import { releaseBody } from "../transport/http-response.js";
import type { ChunkReader, WireResponse } from "../transport/wire-request.js";
import type { AssistantMessageEventStream } from "../utils/event-stream.js";
import { createBodyDecoder } from "../wire/body-decoder.js";
import type { WireMapping } from "./api-adapter.js";

/** Unread events at which reading from the network pauses. */
const UNREAD_EVENTS = 256;
/** How long an answer whose stop reason is known may still bring usage or late content, in milliseconds. */
const AFTER_STOP_MS = 1000;
/** How much of a body without a single event is quoted in the error. */
const QUOTE_LENGTH = 2000;

export interface AnswerTarget {
  builder: AssistantMessageBuilder;
  stream: AssistantMessageEventStream;
  guard: CallGuard;
  mapping: WireMapping;
  /** The error text of an answer that ends too early. */
  endedEarly: string;
}

/** Resolves when the answer is whole; throws a `PiError` otherwise. The connection is let go in any case. */
export async function readAnswer(response: WireResponse, target: AnswerTarget): Promise<void> {
  const { builder, guard } = target;
  try {
    await pump(response, target);
  } catch (error) {
    void response.body.cancel(error).catch(() => {});
    // Once the stop reason is known the answer is whole, whatever becomes of the connection.
    if (builder.stopped && !guard.failure && !isProviderFailure(error)) return;
    throw error;
  }
  if (!builder.stopped) throw new ProtocolError(target.endedEarly);
}

async function pump(response: WireResponse, target: AnswerTarget): Promise<void> {
  const { builder, guard, mapping, stream } = target;
  const { body } = response;
  const decoder = createBodyDecoder(response.framing, (event) => {
    builder.start();
    return mapping(event, builder);
  });
  for (;;) {
    const chunk = await nextChunk(body, target);
    if (chunk === undefined) break;
    const progress = decoder.feed(chunk);
    if (progress) guard.touch();
    if (decoder.over) {
      void releaseBody(body);
      return;
    }
    const unread = stream.whenReadable(UNREAD_EVENTS);
    if (unread) {
      guard.rest();
      await guard.race(unread);
      guard.touch();
    }
  }
  decoder.end();
  mapping.end?.(builder);
  if (decoder.events === 0) throw emptyAnswer(response, decoder.head);
}

/** The next piece; undefined at the end, also where only silence follows a known stop reason. */
async function nextChunk(body: ChunkReader, target: AnswerTarget): Promise<Uint8Array | string | undefined> {
  const { builder, guard } = target;
  try {
    return await (builder.stopped ? lateChunk(body, guard) : guard.race(body.read()).then(chunkOf));
  } catch (error) {
    if (guard.failure || PiError.is(error)) throw guard.failure ?? error;
    throw new NetworkError(describeNetworkError(error), { cause: error });
  }
}

async function lateChunk(body: ChunkReader, guard: CallGuard): Promise<Uint8Array | string | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), AFTER_STOP_MS);
  });
  try {
    const value = await guard.race(Promise.race([body.read().then(chunkOf), silence]));
    if (value === undefined) void body.cancel().catch(() => {});
    return value;
  } finally {
    clearTimeout(timer);
  }
}

function chunkOf(result: { value?: Uint8Array | string | undefined }): Uint8Array | string | undefined {
  return result.value;
}

function isProviderFailure(error: unknown): boolean {
  return PiError.is(error) && error.name === "ProviderError";
}

function emptyAnswer(response: WireResponse, head: string): ProtocolError {
  const quote = head.trim() === "" ? "an empty body" : cutText(head.trim(), QUOTE_LENGTH);
  return new ProtocolError(`The answer (status ${response.status}) is no event stream: ${quote}`);
}
