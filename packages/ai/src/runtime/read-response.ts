/** Reads the body of an answer: pieces to frames, frames to wire events, wire events to the sink. */
import type { AssistantMessageBuilder } from "../assemble/assistant-message-builder.js";
import { cutText, NetworkError, PiError, ProtocolError, ProviderError } from "../errors.js";
import type { AssistantMessageEventStream } from "../event-stream/assistant-message-event-stream.js";
import { describeNetworkError } from "../transport/guarded-fetch.js";
import { createStreamError } from "../transport/http-error.js";
import { releaseBody } from "../transport/http-response.js";
import type { RequestGuard } from "../transport/request-guard.js";
import type { ChunkReader, WireResponse } from "../transport/wire-request.js";
import type { ErrorKind } from "../types/message.js";
import type { ResponseLimits } from "../types/options.js";
import { type BodyDecoder, createBodyDecoder } from "../wire/body-decoder.js";
import type { WireMapping } from "./api-adapter.js";

/** Unread events at which reading from the network pauses. */
const UNREAD_EVENTS = 256;
/** How long an answer whose stop reason is known may still bring usage or late content, in milliseconds. */
const AFTER_STOP_MS = 1000;
/** Longest answer, in bytes: one of a million small events fits in. */
const MAX_RESPONSE_LENGTH = 512 * 1024 * 1024;
/** How much of a body without a single event is quoted in the error. */
const QUOTE_LENGTH = 2000;

/** How a body of events begins: with a field or a comment of server-sent events, or with the length of a frame. */
const EVENT_STREAM = /^(?:(?:data|event|id|retry)?:|\0)/;

type Chunk = Uint8Array | string;

export interface ResponseTarget {
  builder: AssistantMessageBuilder;
  stream: AssistantMessageEventStream;
  guard: RequestGuard;
  mapping: WireMapping;
  /** Named in errors. */
  provider: string;
  /** The error text of an answer that ends too early. */
  endedEarly: string;
  limits: ResponseLimits | undefined;
}

/** Resolves when the answer is whole; throws a `PiError` otherwise. The connection is let go in any case. */
export async function readResponse(response: WireResponse, target: ResponseTarget): Promise<void> {
  const { builder, guard } = target;
  try {
    await pump(response, target);
  } catch (error) {
    void response.body.cancel(error).catch(() => {});
    // Once the stop reason is known the answer is whole, whatever becomes of the connection.
    const ended = isKind(guard.failure, "aborted") || error instanceof ProviderError;
    if (builder.stopped && !ended) return;
    throw error;
  }
  if (!builder.stopped) throw new ProtocolError(target.endedEarly);
}

async function pump(response: WireResponse, target: ResponseTarget): Promise<void> {
  const { builder, guard, mapping } = target;
  const { body } = response;
  const take = (event: unknown): boolean => {
    builder.start();
    return mapping(event, builder);
  };
  const decoder = createBodyDecoder(response.framing, take, target.limits?.eventLength);
  const count = createLengthBound(target.limits?.responseLength);
  let deadline: number | undefined;
  for (;;) {
    if (builder.stopped) deadline ??= Date.now() + AFTER_STOP_MS;
    const chunk = await nextChunk(body, guard, deadline);
    if (chunk === undefined) break;
    count(chunk.length);
    const progress = decoder.feed(chunk);
    if (progress) guard.touch();
    if (decoder.over) {
      void releaseBody(body);
      return;
    }
    const unread = target.stream.whenReadable(UNREAD_EVENTS);
    if (!unread) continue;
    await waitForReader(unread, guard);
    // The time of a slow reader is not the server's.
    if (deadline !== undefined) deadline = Date.now() + AFTER_STOP_MS;
  }
  endBody(decoder);
  mapping.end?.(builder);
  if (decoder.events === 0) throw emptyResponse(response, decoder.head, target);
}

/** Counts what arrives, and throws when it is too much. */
function createLengthBound(maxLength: number = MAX_RESPONSE_LENGTH): (length: number) => void {
  let sum = 0;
  return (length) => {
    sum += length;
    // Sent again, it would be as long.
    if (sum > maxLength) throw new ProtocolError(`The answer is longer than ${maxLength} bytes`, { retryable: false });
  };
}

async function waitForReader(unread: Promise<void>, guard: RequestGuard): Promise<void> {
  guard.rest();
  await guard.race(unread);
  guard.touch();
}

/** The next piece; undefined at the end, and when the time for late events is over. */
async function nextChunk(
  body: ChunkReader,
  guard: RequestGuard,
  deadline: number | undefined,
): Promise<Chunk | undefined> {
  try {
    return await (deadline === undefined ? guard.race(body.read()).then(chunkOf) : lateChunk(body, guard, deadline));
  } catch (error) {
    if (guard.failure || PiError.is(error)) throw guard.failure ?? error;
    throw new NetworkError(describeNetworkError(error), { cause: error });
  }
}

async function lateChunk(body: ChunkReader, guard: RequestGuard, deadline: number): Promise<Chunk | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const left = deadline - Date.now();
  const silence = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.max(0, left));
  });
  try {
    const value = left > 0 ? await guard.race(Promise.race([body.read().then(chunkOf), silence])) : undefined;
    if (value === undefined) void body.cancel().catch(() => {});
    return value;
  } finally {
    clearTimeout(timer);
  }
}

function chunkOf(result: { value?: Chunk | undefined }): Chunk | undefined {
  return result.value;
}

/** An event that was cut off at the end is as if it had never come; the missing end marker tells. */
function endBody(decoder: BodyDecoder): void {
  try {
    decoder.end();
  } catch (error) {
    if (!isKind(error, "protocol")) throw error;
  }
}

function isKind(error: unknown, kind: ErrorKind): boolean {
  return PiError.is(error) && error.kind === kind;
}

/** Why there is not one event in the body, in the server's words. */
function emptyResponse(response: WireResponse, head: string, target: ResponseTarget): PiError {
  const text = head.trim();
  const failure = parseObject(text);
  if (failure && "error" in failure) return createStreamError(failure, target.provider);
  // Comments, or the beginning of an event: an event stream, and the connection went away.
  if (EVENT_STREAM.test(text)) return new ProtocolError(target.endedEarly);
  const quote = text === "" ? "an empty body" : cutText(text, QUOTE_LENGTH);
  // Whoever answers with a page or a document will do so again.
  return new ProtocolError(`The answer (status ${response.status}) is no event stream: ${quote}`, {
    retryable: text === "",
  });
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
