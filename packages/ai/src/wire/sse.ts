/** Decodes server-sent events: text in, frames out. No I/O. */
import { createParser } from "eventsource-parser";
import { ProtocolError } from "../errors.js";

/** Longest event, in characters: far longer than any real event, and too short to exhaust memory. */
export const MAX_EVENT_LENGTH: number = 64 * 1024 * 1024;

/** Not retryable, because a second response would be as long. */
export function createEventTooLong(maxLength: number): ProtocolError {
  return new ProtocolError(`An event is longer than ${maxLength} characters`, { retryable: false });
}

/** One event. The parser's own type would be a part of ours. */
export interface SseEvent {
  /** The type of the event. */
  event?: string | undefined;
  id?: string | undefined;
  data: string;
}

export interface SseDecoder {
  /** Adds text, in pieces of any size. */
  push(text: string): void;
  /** Ends the text. A last event without its blank line still counts, because servers often omit it. */
  end(): void;
  /**
   * Returns the next complete event that has data, and `undefined` until more text arrives. Throws a `ProtocolError`
   * for an event that is too long, after the events before it.
   */
  next(): SseEvent | undefined;
  /** The lines that are not fields of server-sent events, up to 64 Ki characters. */
  readonly unframed: string;
  /** How many comments have arrived. */
  readonly comments: number;
}

/** @param maxLength longest event, in characters */
export function createSseDecoder(maxLength: number = MAX_EVENT_LENGTH): SseDecoder {
  // Slots are reused: emptying the array would make it allocate again for each piece of a body.
  const frames: (SseEvent | undefined)[] = [];
  let count = 0;
  let position = 0;
  let tooLong = false;
  let comments = 0;
  const unframed = new UnframedText();
  const parser = createParser({
    maxBufferSize: maxLength,
    onEvent: (event) => {
      frames[count++] = event;
    },
    onComment: () => {
      comments++;
    },
    onError: ({ type, line }) => {
      if (type === "max-buffer-size-exceeded") tooLong = true;
      else if (type === "unknown-field" && line !== undefined) unframed.add(line);
    },
  });
  const push = (text: string): void => {
    // The parser rejects further text once its buffer is full; `next` reports the error.
    if (tooLong) return;
    if (position === count) {
      count = 0;
      position = 0;
    }
    parser.feed(unframed.holdBack(text));
  };
  return {
    push,
    end: () => push("\n\n"),
    next: () => {
      const frame = frames[position];
      if (frame === undefined ? tooLong : frame.data.length > maxLength) throw createEventTooLong(maxLength);
      if (frame !== undefined) frames[position++] = undefined;
      return frame;
    },
    get unframed() {
      return unframed.text;
    },
    get comments() {
      return comments;
    },
  };
}

// Collects the lines of a body that are not fields of server-sent events. Some servers, such as Google's and
// several gateways, write an error into the body as plain JSON, without a `data:` prefix.

/** The number of characters to keep: far more than an error needs. */
const MAX_LENGTH = 64 * 1024;

/** Matches the start of a line that is, or may become, a field or a comment. */
const FIELD_START =
  /^\uFEFF?(?::|(?:data|event|id|retry):|(?:d(?:a(?:ta?)?)?|e(?:v(?:e(?:nt?)?)?)?|id?|r(?:e(?:t(?:ry?)?)?)?)?$)/;

class UnframedText {
  #text = "";
  /** The start of an incomplete unframed line. */
  #held: string | undefined;
  /** Whether the parser holds the start of an incomplete field. */
  #inField = false;

  get text(): string {
    return this.#text;
  }

  /** Adds a complete line. */
  add(line: string): void {
    if (this.#text.length < MAX_LENGTH) this.#text += `${line.slice(0, MAX_LENGTH - this.#text.length)}\n`;
  }

  /**
   * Holds back the start of an unframed line that is split over pieces, and returns the rest of the piece for the
   * parser. The parser reports unframed lines that arrive whole, but drops those that it has to wait for.
   */
  holdBack(piece: string): string {
    if (piece === "") return "";
    const rest = this.#held === undefined ? piece : this.#endLine(this.#held, piece);
    if (rest === undefined) return "";
    // Nearly every piece ends with a complete event.
    const start = rest.endsWith("\n") || rest.endsWith("\r") ? rest.length : startOfLastLine(rest);
    if (start === 0 && this.#inField) return rest;
    const line = rest.slice(start);
    this.#inField = line !== "" && FIELD_START.test(line);
    if (this.#inField || line === "") return rest;
    this.#held = line.slice(0, MAX_LENGTH);
    return rest.slice(0, start);
  }

  /** An empty comment stands in for the line, so that the parser sees where it ends. */
  #endLine(held: string, piece: string): string | undefined {
    const end = piece.search(/[\r\n]/);
    this.#held = held + piece.slice(0, Math.min(end === -1 ? piece.length : end, MAX_LENGTH - held.length));
    if (end === -1) return undefined;
    this.add(this.#held);
    this.#held = undefined;
    return `:${piece.slice(end)}`;
  }
}

function startOfLastLine(text: string): number {
  const afterLineFeed = text.lastIndexOf("\n") + 1;
  // Search only the last line for a carriage return, because most bodies have none.
  return afterLineFeed + text.slice(afterLineFeed).lastIndexOf("\r") + 1;
}
