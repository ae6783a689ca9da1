/** Reads a relay's response into a stream, up to its terminal event. */
import type { AssistantMessageEvent, Model } from "pi-ai";
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
  const progress: Progress = { events: 0, content: 0 };
  const builder = new AssistantMessageBuilder({
    model,
    emit: (event) => {
      // Only content restarts the idle timeout: events that never end, or add nothing, must not keep a request alive.
      if (!("delta" in event) || event.delta !== "") guard.touch();
      if (isContent(event)) progress.content++;
      stream.push(event);
    },
    maxArgumentsLength: options.limits?.argumentsLength,
    maxBlocks: options.limits?.blocks,
  });
  try {
    const end = await read(response, builder, progress);
    if (end === "done") builder.finish((text) => cleanText(text, secrets));
    else builder.fail({ ...end, errorMessage: cleanText(end.errorMessage, secrets) });
  } catch (error) {
    builder.fail(toProxyFailure(guard.failure ?? error, { secrets }));
  }
}

/** The part of the response that has arrived, over all connections. */
interface Progress {
  /** The number of events, which is the id of the last one. */
  events: number;
  /** The number of those that added to the message. */
  content: number;
}

/** The events that add a whole block. Text adds by its deltas: a relay can begin and end empty texts without end. */
const WHOLE: ReadonlySet<AssistantMessageEvent["type"]> = new Set([
  "toolcall_end",
  "servertool_end",
  "file_end",
  "compaction_end",
]);

/** Whether an event adds to the message. */
function isContent(event: AssistantMessageEvent): boolean {
  return ("delta" in event && event.delta !== "") || WHOLE.has(event.type);
}

async function read(proxied: ProxyResponse, builder: AssistantMessageBuilder, progress: Progress): Promise<ProxyEnd> {
  const { response, stream, guard, options } = proxied;
  const source = new ResumableResponse(response, guard, options);
  const pump = new ResponsePump({ stream, guard, limits: options.limits, progress, map: createProxyMapping(builder) });
  try {
    for (;;) {
      const end = await readBody(source, pump, guard);
      if (end) return end;
      // The connection was lost. If the response cannot be resumed, this throws the reason.
      await source.resume(progress);
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
  progress: Progress;
  map: (event: unknown) => ProxyEnd | undefined;
}

/** Reads the events of a response, over one connection or several. */
class ResponsePump {
  readonly #target: PumpTarget;
  #length = 0;
  #end: ProxyEnd | undefined;

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
    this.#target.progress.events++;
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

/** The maximum number of attempts in a row without new content. */
const MAX_ATTEMPTS = 6;
/** Milliseconds before the second attempt; twice as long before each later one. */
const FIRST_DELAY_MS = 250;
/** A connection that is lost so soon after the one before was not lost for a moment only. */
const SOON_MS = 1000;

/** Resumes a response after a lost connection, if the relay keeps its events. */
class ResumableResponse {
  readonly #guard: RequestGuard;
  readonly #options: ProxyStreamOptions;
  /** The relay's id of the response; null from a relay that does not store responses. */
  readonly #runId: string | null;
  /** How much content had arrived when the last connection began. */
  #before = 0;
  #attempts = 0;
  #lostAt = Number.NEGATIVE_INFINITY;
  #lost: unknown;
  response: Response;

  constructor(response: Response, guard: RequestGuard, options: ProxyStreamOptions) {
    this.response = response;
    this.#guard = guard;
    this.#options = options;
    this.#runId = response.headers.get("x-run-id");
  }

  /** Stores the reason, which is thrown if the response cannot be resumed. */
  lose(error: unknown): void {
    this.#lost = error;
  }

  /**
   * Opens another connection, which continues after the events that have arrived.
   *
   * @throws the reason of the loss, when the relay keeps no events or several attempts have failed
   */
  async resume({ events, content }: Progress): Promise<void> {
    const now = performance.now();
    if (content > this.#before) this.#attempts = 0;
    if (now - this.#lostAt < SOON_MS) this.#attempts = Math.max(this.#attempts, 1);
    this.#before = content;
    this.#lostAt = now;
    while (this.#runId !== null && this.#attempts < MAX_ATTEMPTS) {
      // An abort and a time limit end the connection too.
      if (this.#guard.failure) throw this.#guard.failure;
      await this.#pause(this.#attempts++);
      const response = await this.#send("GET", { "last-event-id": String(events) }).catch(toNetworkError);
      if (response instanceof Error) this.#lost = response;
      else if (response.status >= 500) response.body?.cancel().catch(() => {});
      else {
        this.response = response;
        return;
      }
    }
    throw this.#lost;
  }

  /** Stops the request to the provider, which outlives the connection. Whether that succeeds does not matter here. */
  stop(): void {
    if (this.#runId !== null) this.#request("DELETE", {}).catch(() => {});
  }

  /** The first attempt is made at once, because most connections are lost for a moment. */
  async #pause(attempt: number): Promise<void> {
    if (attempt === 0) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const pause = new Promise((resolve) => {
      timer = setTimeout(resolve, FIRST_DELAY_MS * 2 ** (attempt - 1));
    });
    await this.#guard.race(pause).finally(() => clearTimeout(timer));
  }

  #send(method: string, headers: Record<string, string>): Promise<Response> {
    return this.#guard.race(this.#request(method, headers, this.#guard.signal));
  }

  #request(method: string, headers: Record<string, string>, signal: AbortSignal | null = null): Promise<Response> {
    const { fetch = globalThis.fetch, proxyUrl, authToken } = this.#options;
    return fetch(`${proxyUrl}/api/stream`, {
      method,
      headers: { ...headers, Authorization: `Bearer ${authToken}`, "x-run-id": this.#runId ?? "" },
      signal,
      redirect: "manual",
    });
  }
}
