/** Reads a relay's response into a stream, up to its terminal event. */
import type { Model, SimpleStreamOptions } from "pi-ai";
import { AssistantMessageBuilder } from "pi-ai/assemble";
import { type AssistantMessageEventStream, cleanText, ProtocolError, type RequestGuard } from "pi-ai/call";
import { createDataLines } from "./data-lines.js";
import { toNetworkError, toProxyFailure } from "./failure.js";
import { createProxyMapping, type ProxyEnd } from "./map-proxy-event.js";
import { createRefusal } from "./proxy-refusal.js";

export interface ProxyResponse {
  response: Response;
  model: Model;
  stream: AssistantMessageEventStream;
  guard: RequestGuard;
  /** Values that must appear in no text. */
  secrets: readonly string[];
  limits: SimpleStreamOptions["limits"];
}

/** The number of unread events at which reading from the network pauses. */
const UNREAD_EVENTS = 256;

/** The limit that responses of providers have, in bytes: far above what a model sends. */
const MAX_RESPONSE_LENGTH = 512 * 1024 * 1024;

const ENDED_EARLY = "Connection closed by proxy server before the response completed";

/** Never throws: a failure is the stream's terminal event. */
export async function readProxyResponse(response: ProxyResponse): Promise<void> {
  const { model, stream, guard, secrets, limits } = response;
  const builder = new AssistantMessageBuilder({
    model,
    emit: (event) => {
      // Only content ends silence: an event that never ends, or adds nothing, must not keep a request alive.
      if (!("delta" in event) || event.delta !== "") guard.touch();
      stream.push(event);
    },
    maxArgumentsLength: limits?.argumentsLength,
  });
  try {
    const end = await read(response, builder);
    if (end === "done") builder.finish((text) => cleanText(text, secrets));
    else builder.fail({ ...end, errorMessage: cleanText(end.errorMessage, secrets) });
  } catch (error) {
    builder.fail(toProxyFailure(guard.failure ?? error, { secrets }));
  }
}

async function read(
  { response, stream, guard, limits }: ProxyResponse,
  builder: AssistantMessageBuilder,
): Promise<ProxyEnd> {
  if (!response.ok) throw await guard.race(createRefusal(response));
  if (!response.body) throw new TypeError("The proxy's response has no body");
  const reader = response.body.getReader();
  try {
    return await pump(reader, { stream, guard, limits, map: createProxyMapping(builder) });
  } finally {
    // Data after the terminal event is not part of the response. For a body that has ended, this does nothing.
    reader.cancel().catch(() => {});
  }
}

interface PumpTarget extends Pick<ProxyResponse, "stream" | "guard" | "limits"> {
  map: (event: unknown) => ProxyEnd | undefined;
}

async function pump(reader: ReadableStreamDefaultReader<Uint8Array>, target: PumpTarget): Promise<ProxyEnd> {
  const { guard, stream, map, limits } = target;
  const maxLength = limits?.responseLength ?? MAX_RESPONSE_LENGTH;
  let length = 0;
  const text = new TextDecoder();
  let end: ProxyEnd | undefined;
  const lines = createDataLines((data, whole) => {
    if (!end) end = map(parseEvent(data, whole));
  }, limits?.eventLength);
  for (;;) {
    const { done, value } = await guard.race(reader.read().catch(rethrow));
    if (done) break;
    length += value.length;
    if (length > maxLength)
      throw new ProtocolError(`The response is longer than ${maxLength} bytes`, { retryable: false });
    lines.feed(text.decode(value, { stream: true }));
    if (end) return end;
    await waitForReader(stream, guard);
  }
  lines.feed(text.decode());
  lines.end();
  if (!end) throw new ProtocolError(ENDED_EARLY);
  return end;
}

/** Pauses reading while the stream's consumer is slow. That time does not count as silence of the relay. */
async function waitForReader(stream: AssistantMessageEventStream, guard: RequestGuard): Promise<void> {
  const unread = stream.whenReadable(UNREAD_EVENTS);
  if (!unread) return;
  guard.rest();
  await guard.race(unread);
  guard.touch();
}

/** Ignores a last line that was cut off: the missing terminal event is the error. */
function parseEvent(data: string, whole: boolean): unknown {
  try {
    return JSON.parse(data);
  } catch (error) {
    if (!whole) return undefined;
    throw new ProtocolError(error instanceof Error ? error.message : String(error));
  }
}

function rethrow(error: unknown): never {
  throw toNetworkError(error);
}
