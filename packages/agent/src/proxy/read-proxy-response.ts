/** Reads a relay's response into a stream, up to its terminal event. */
import type { Model } from "pi-ai";
import { AssistantMessageBuilder } from "pi-ai/assemble";
import {
  type AssistantMessageEventStream,
  cleanText,
  formatThrownValue,
  NetworkError,
  ProtocolError,
  type RequestGuard,
} from "pi-ai/call";
import { createDataLines } from "./data-lines.js";
import { toNetworkError, toProxyFailure } from "./failure.js";
import { createProxyMapping, type ProxyEnd } from "./map-proxy-event.js";
import type { ProxyStreamOptions } from "./options.js";
import { createRefusal } from "./proxy-refusal.js";
import { ResumableResponse } from "./resumable-response.js";

export interface ProxyResponse {
  response: Response;
  model: Model;
  stream: AssistantMessageEventStream;
  guard: RequestGuard;
  /** Values that no text may contain. */
  secrets: readonly string[];
  options: ProxyStreamOptions;
}

/** The number of unread events at which reading from the network pauses. */
const UNREAD_EVENTS = 256;

/** The limit of a response in bytes, as for responses of providers: far more than a model sends. */
const MAX_RESPONSE_LENGTH = 512 * 1024 * 1024;

const ENDED_EARLY = "Connection closed by proxy server before the response completed";

/** Never throws: a failure is the stream's terminal event. */
export async function readProxyResponse(response: ProxyResponse): Promise<void> {
  const { model, stream, guard, secrets, options } = response;
  const builder = new AssistantMessageBuilder({
    model,
    emit: (event) => {
      // Only content restarts the idle timeout: events that never end, or add nothing, must not keep a request alive.
      if (!("delta" in event) || event.delta !== "") guard.touch();
      stream.push(event);
    },
    maxArgumentsLength: options.limits?.argumentsLength,
  });
  try {
    const end = await read(response, builder);
    if (end === "done") builder.finish((text) => cleanText(text, secrets));
    else builder.fail({ ...end, errorMessage: cleanText(end.errorMessage, secrets) });
  } catch (error) {
    builder.fail(toProxyFailure(guard.failure ?? error, { secrets }));
  }
}

async function read(proxied: ProxyResponse, builder: AssistantMessageBuilder): Promise<ProxyEnd> {
  const { response, stream, guard, options } = proxied;
  const source = new ResumableResponse(response, guard, options);
  const pump = new ResponsePump({ stream, guard, limits: options.limits, map: createProxyMapping(builder) });
  try {
    for (;;) {
      const end = await readBody(source, pump, guard);
      if (end) return end;
      // The connection was lost. If the response cannot be resumed, this throws the reason.
      await source.resume(pump.eventCount);
    }
  } catch (error) {
    source.stop();
    throw error;
  }
}

/** Undefined when the connection is lost, and the relay may have kept the rest. */
async function readBody(
  source: ResumableResponse,
  pump: ResponsePump,
  guard: RequestGuard,
): Promise<ProxyEnd | undefined> {
  const { response } = source;
  if (!response.ok) throw await guard.race(createRefusal(response));
  if (!response.body) throw new TypeError("The proxy's response has no body");
  const reader = response.body.getReader();
  try {
    const end = await pump.read(reader);
    if (!end) source.lose(new ProtocolError(ENDED_EARLY));
    return end;
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    source.lose(error);
    return undefined;
  } finally {
    // Data after the terminal event is not part of the response. For a body that has ended, this does nothing.
    reader.cancel().catch(() => {});
  }
}

interface PumpTarget extends Pick<ProxyResponse, "stream" | "guard"> {
  limits: ProxyStreamOptions["limits"];
  map: (event: unknown) => ProxyEnd | undefined;
}

/** Reads the events of a response, over one connection or several. */
class ResponsePump {
  readonly #target: PumpTarget;
  #length = 0;
  #end: ProxyEnd | undefined;
  /** The number of events read. */
  eventCount = 0;

  constructor(target: PumpTarget) {
    this.#target = target;
  }

  /** Undefined when the body ends before the response does. */
  async read(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<ProxyEnd | undefined> {
    const { guard, stream, limits } = this.#target;
    const maxLength = limits?.responseLength ?? MAX_RESPONSE_LENGTH;
    const text = new TextDecoder();
    const lines = createDataLines((data, whole) => this.#take(data, whole), limits?.eventLength);
    for (;;) {
      const { done, value } = await guard.race(reader.read().catch(rethrow));
      if (done) break;
      this.#length += value.length;
      if (this.#length > maxLength)
        throw new ProtocolError(`The response is longer than ${maxLength} bytes`, { retryable: false });
      lines.feed(text.decode(value, { stream: true }));
      if (this.#end) return this.#end;
      await waitForReader(stream, guard);
    }
    lines.feed(text.decode());
    lines.end();
    return this.#end;
  }

  #take(data: string, whole: boolean): void {
    if (this.#end) return;
    const event = parseEvent(data, whole);
    if (event === undefined) return;
    this.eventCount++;
    this.#end = this.#target.map(event);
  }
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
    throw new ProtocolError(formatThrownValue(error));
  }
}

function rethrow(error: unknown): never {
  throw toNetworkError(error);
}
