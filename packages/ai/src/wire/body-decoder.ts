/** Decodes the bytes of a body to wire events. No I/O. */
import { cutText, PiError, ProtocolError } from "../errors.js";
import { formatThrownValue } from "../utils/diagnostics.js";
import { Fifo } from "../utils/fifo.js";
import { isRecord } from "../utils/is-object.js";
import { isBareFailure, isFilled } from "./bare-failure.js";
import { repairJson } from "./json/json-parse.js";
import { createEventTooLong, MAX_EVENT_LENGTH, SseDecoder, type SseEvent } from "./sse.js";

/**
 * How a body divides into events: server-sent events, one message in each piece (a WebSocket), or a decoder that few
 * apis need, such as `awsEventStream`. It receives the maximum event length: in characters, or bytes if binary.
 */
export type Framing = "sse" | "json-messages" | ((maxEventLength: number) => BodyDecoder);

/** Decodes a body, piece by piece. */
export interface BodyDecoder {
  /** Adds a piece of the body. */
  push(chunk: Uint8Array | string): void;
  /** Ends the body. */
  end(): void;
  /**
   * Returns the next complete event, and `undefined` until more of the body arrives. Throws a `ProtocolError` for an
   * event that is damaged or too long; the events before it come first.
   */
  next(): object | typeof DONE | undefined;
  /** The start of the text that is not part of any event, such as an HTML page or an unframed error. */
  readonly unframed: string;
  /** How many comments have arrived, which servers send as signs of life. Undefined for framings without comments. */
  readonly comments?: number | undefined;
}

const FRAMINGS: Readonly<Record<Framing & string, (maxEventLength: number) => BodyDecoder>> = {
  sse: (maxEventLength) => new SseBody(maxEventLength),
  "json-messages": createMessagesBody,
};

const STREAMED = { stream: true };

/** @param maxEventLength longest event, in characters, or in bytes for binary events */
export function createBodyDecoder(framing: Framing, maxEventLength: number = MAX_EVENT_LENGTH): BodyDecoder {
  return (typeof framing === "string" ? FRAMINGS[framing] : framing)(maxEventLength);
}

class SseBody implements BodyDecoder {
  readonly #text = new TextDecoder();
  readonly #events: SseDecoder;
  /** The other events of data that holds several, the last one first. */
  #more: WireEvent[] = [];

  constructor(maxEventLength: number) {
    this.#events = new SseDecoder(maxEventLength);
  }

  push(chunk: Uint8Array | string): void {
    this.#events.push(typeof chunk === "string" ? chunk : this.#text.decode(chunk, STREAMED));
  }

  end(): void {
    this.#events.push(this.#text.decode());
    this.#events.end();
  }

  next(): WireEvent | undefined {
    if (this.#more.length > 0) return this.#more.pop();
    for (let frame = this.#events.next(); frame !== undefined; frame = this.#events.next()) {
      const event = this.#parse(frame);
      if (event !== undefined) return event;
    }
    return undefined;
  }

  #parse({ data, event: name }: SseEvent): WireEvent | undefined {
    try {
      if (!data.startsWith("[{")) return parseJsonEvent(data, name);
      this.#more = toEvents(JSON.parse(data), name).reverse();
    } catch (error) {
      this.#more = parseLines(data, name).reverse();
      if (this.#more.length === 0) throw PiError.is(error) ? error : createUnreadable(error, data);
    }
    return this.#more.pop();
  }

  get unframed(): string {
    return this.#events.unframed;
  }

  get comments(): number {
    return this.#events.comments;
  }
}

/** Each piece is one message, as on a WebSocket. */
function createMessagesBody(maxEventLength: number): BodyDecoder {
  const text = new TextDecoder();
  const messages = new Fifo<Uint8Array | string>();
  return {
    push: (chunk) => messages.push(chunk),
    end: () => {},
    next: () => {
      for (let message = messages.take(); message !== undefined; message = messages.take()) {
        if (message.length > maxEventLength) throw createEventTooLong(maxEventLength);
        const event = parseJsonEvent(typeof message === "string" ? message : text.decode(message), undefined);
        if (event !== undefined) return event;
      }
      return undefined;
    },
    unframed: "",
  };
}

// Parses the data of server-sent events.

/** The event for the line `data: [DONE]`, which ends a stream in some apis and means nothing in others. */
export const DONE: unique symbol = Symbol("[DONE]");

type WireEvent = object | typeof DONE;

/** The name or the data of an event that is sent while nothing else is: gateways send some with a text as their data. */
const SIGN_OF_LIFE = /^(?:ping|pong|keep[-_ ]?alive|heartbeat|ok|:.*)$/i;

/**
 * Parses the data of one event. Returns undefined for data that is not an event: blank data, and JSON that is not an
 * object. An event that is named `error` but is the error itself, without an `error` around it, is wrapped in an error
 * event: servers send it as a bare message, or with a `type` of their own, such as `server_error` (llama.cpp, 2026-11). So
 * is an error without a name that its own fields tell.
 */
export function parseJsonEvent(data: string, name: string | undefined): WireEvent | undefined {
  // Nearly all data is an object.
  if (!data.startsWith("{")) {
    const trimmed = data.trim();
    if (trimmed === "[DONE]") return DONE;
    if (trimmed === "") return undefined;
  }
  const value = parseJson(data, name);
  return isRecord(value) ? toEvent(value, name) : undefined;
}

function toEvent(value: Record<string, unknown>, name: string | undefined): object {
  const { type, delta, choices, candidates } = value;
  // Nearly all events end here: their name is their type, and they have the content of an api.
  if (type === name && (delta || isFilled(choices) || isFilled(candidates))) return value;
  if (name === "error" ? isBareError(value) : isBareFailure(value)) return { type: "error", error: value };
  // Some gateways leave the type to the name of the event.
  const isNamed = name !== undefined && name !== "message" && name !== "error";
  return isNamed && !("type" in value) && !("error" in value) ? { type: name, ...value } : value;
}

/** Google's servers and gateways put an error of a stream into a list. */
function toEvents(list: unknown, name: string | undefined): WireEvent[] {
  return Array.isArray(list) ? list.filter(isRecord).map((value) => toEvent(value, name)) : [];
}

/**
 * The events of data that is not JSON as a whole: some servers end an event with one line feed, or write the name of the
 * field twice. Empty if a line is not an event.
 */
function parseLines(data: string, name: string | undefined): WireEvent[] {
  const lines = data.split("\n").map((line) => line.replace(/^(?:data: ?)+/, ""));
  if (lines.length === 1 && lines[0] === data) return [];
  try {
    return lines.flatMap((line) => parseJsonEvent(line, name) ?? []);
  } catch {
    return [];
  }
}

/** Events of an api that nests its errors, or marks them by their type, are complete. */
function isBareError(value: Record<string, unknown>): boolean {
  return value["type"] !== "error" && !("error" in value) && !("response" in value);
}

function parseJson(data: string, name: string | undefined): unknown {
  try {
    return JSON.parse(data);
  } catch (error) {
    if (SIGN_OF_LIFE.test(name ?? "") || SIGN_OF_LIFE.test(data.trim())) return undefined;
    if (name === "error") return { type: "error", error: { message: data } };
    try {
      return JSON.parse(repairJson(data));
    } catch {
      throw createUnreadable(error, data);
    }
  }
}

function createUnreadable(error: unknown, data: string): ProtocolError {
  const reason = cutText(formatThrownValue(error), 200);
  return new ProtocolError(`Could not parse an event of the response (${reason}): ${cutText(data, 500)}`);
}
