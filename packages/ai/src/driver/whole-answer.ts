/**
 * Reads a response that is not a stream: a server that ignores `stream: true` answers with one JSON value. The adapter turns it
 * into the events that its stream would have had, so the message and its events are the same.
 */
import { isRecord } from "../utils/is-object.js";
import { tryParseJson } from "../utils/read-text.js";
import {
  type BodyDecoder,
  createBodyDecoder,
  createEventTooLong,
  type Framing,
  MAX_EVENT_LENGTH,
} from "../wire/index.js";

/** An event for the mapping of an api. */
export type WireEvent = NonNullable<ReturnType<BodyDecoder["next"]>>;

/**
 * Turns a whole answer of an api into the events of its stream; undefined for anything else.
 *
 * @param isEvent whether the answer is the first event of a stream
 */
export type ReadWhole = (answer: object, isEvent?: boolean) => readonly WireEvent[] | undefined;

type Chunk = Uint8Array | string;

/** Longest start of a body that is kept for an error, in characters. */
const MAX_UNFRAMED = 64 * 1024;
/** JSON has no line that begins like this, because a line break in a string is escaped. */
const EVENT_LINE = /[\r\n](?:data|event|id|retry)?:/;
/** Enough of the text before to find a line that two pieces share. */
const OVERLAP = 8;

/**
 * A decoder for bodies with events and for whole answers. The body decides and not its content type, which many servers
 * get wrong: neither server-sent events nor binary ones begin like JSON.
 *
 * @param maxLength longest event and longest whole answer, in characters
 */
export function createAnswerDecoder(
  framing: Framing,
  readWhole: ReadWhole | undefined,
  maxLength?: number,
): BodyDecoder {
  const events = createBodyDecoder(framing, maxLength);
  // Each message of a WebSocket is JSON.
  if (!readWhole || framing === "json-messages") return events;
  return new AnswerDecoder(events, readWhole, maxLength ?? MAX_EVENT_LENGTH);
}

class AnswerDecoder implements BodyDecoder {
  readonly #events: BodyDecoder;
  readonly #readWhole: ReadWhole;
  readonly #maxLength: number;
  readonly #bytes = new TextDecoder();
  /** The body so far, until it is known to hold events. */
  #held: Chunk[] | undefined = [];
  #pieces: string[] = [];
  #length = 0;
  /** The end of the text so far. */
  #tail = "";
  #begun = false;
  /** The events that are left, the last one first: `shift` would move all that follow. */
  #answer: WireEvent[] = [];
  #isFirst = true;
  #unframed = "";

  constructor(events: BodyDecoder, readWhole: ReadWhole, maxLength: number) {
    this.#events = events;
    this.#readWhole = readWhole;
    this.#maxLength = maxLength;
  }

  get unframed(): string {
    if (this.#held) return this.#pieces.join("").slice(0, MAX_UNFRAMED);
    return this.#unframed || this.#events.unframed;
  }

  get comments(): number | undefined {
    return this.#events.comments;
  }

  push(chunk: Chunk): void {
    if (!this.#held) {
      this.#events.push(chunk);
      return;
    }
    this.#held.push(chunk);
    const text = typeof chunk === "string" ? chunk : this.#bytes.decode(chunk, { stream: true });
    this.#pieces.push(text);
    this.#length += text.length;
    if (this.#holdsEvents(text)) this.#release();
    else if (this.#length > this.#maxLength) throw createEventTooLong(this.#maxLength);
  }

  end(): void {
    if (this.#held) this.#endWhole();
    this.#events.end();
  }

  next(): WireEvent | undefined {
    if (!this.#isFirst && this.#answer.length === 0) return this.#events.next();
    const event = this.#answer.pop() ?? this.#events.next();
    if (event === undefined || !this.#isFirst) return event;
    this.#isFirst = false;
    // Some servers send the whole answer as the only event of a stream.
    const answer = typeof event === "object" ? this.#readWhole(event, true) : undefined;
    if (answer) this.#answer = [...this.#answer, ...[...answer].reverse()];
    return answer ? this.#answer.pop() : event;
  }

  /** Whether the body is none of one JSON value. Blank lines may come before it, as signs of life. */
  #holdsEvents(text: string): boolean {
    const known = this.#tail + text;
    this.#tail = known.slice(-OVERLAP);
    if (!this.#begun) {
      const first = /[^\s\uFEFF]/.exec(text)?.[0];
      if (first === undefined) return false;
      this.#begun = true;
      if (first !== "{" && first !== "[") return true;
    }
    return EVENT_LINE.test(known);
  }

  #release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#pieces = [];
    for (const chunk of held) this.#events.push(chunk);
  }

  #endWhole(): void {
    const text = this.#pieces.join("") + this.#bytes.decode();
    const value = tryParseJson(text.trim());
    const events =
      value === undefined
        ? eventLines(text)
        : (Array.isArray(value) ? value : [value]).map((one) =>
            typeof one === "object" && one !== null ? this.#readWhole(one) : undefined,
          );
    if (events.length === 0 || events.includes(undefined)) {
      this.#release();
      // Binary events do not keep what is not one of them.
      this.#unframed = text.slice(0, MAX_UNFRAMED);
      return;
    }
    this.#isFirst = false;
    this.#answer = events.flatMap((each) => each ?? []).reverse();
    this.#held = undefined;
    this.#pieces = [];
  }
}

/** The events of a server that writes each as a line of JSON, without the name of a field. */
function eventLines(text: string): (WireEvent | undefined)[] {
  const lines = text
    .split(/[\r\n]+/)
    .filter((line) => line.trim() !== "")
    .map((line) => tryParseJson(line));
  return lines.every(isRecord) ? lines : [undefined];
}
