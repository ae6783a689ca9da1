/** Decodes server-sent events: text in, events out. No I/O. */
import { ProtocolError } from "../errors.js";

/** Longest event, in characters: far longer than any real event, and too short to exhaust memory. */
export const MAX_EVENT_LENGTH: number = 64 * 1024 * 1024;
/** The number of characters of unframed lines to keep: far more than an error needs. */
const MAX_UNFRAMED = 64 * 1024;
/** Any line: its name, and its value if it has one. A comment has no name. */
const LINE = /^([^:]*)(?:: ?(.*))?$/s;
/** The start of a line that is a field or a comment. */
const FIELD_START = /^(?:data|event|id|retry)?:/;
const LONGEST_START = "event:".length;
/** A byte order mark, also one that a server has encoded twice. */
const BYTE_ORDER_MARK = /^(?:\uFEFF|\xEF\xBB\xBF)/;

/** Not retryable, because a second response would be as long. */
export function createEventTooLong(maxLength: number): ProtocolError {
  return new ProtocolError(`An event is longer than ${maxLength} characters`, { retryable: false });
}

/** One event. */
export interface SseEvent {
  /** The type of the event. */
  event: string | undefined;
  data: string;
}

export class SseDecoder {
  readonly #maxLength: number;
  /** Complete events; undefined when all are taken. V8 takes an empty list for one of numbers, and compiles for that. */
  #events: SseEvent[] | undefined;
  #taken = 0;
  /** The event that is not complete. */
  #event: string | undefined;
  #data: string | undefined;
  /** The line that is not complete. It may come in any number of pieces, so nothing searches it before its end. */
  #held = "";
  #holdsField = false;
  #tooLong = false;
  #hasBegun = false;
  /** Whether the last piece ended with a carriage return, which a line feed may follow. */
  #afterReturn = false;
  #unframed = "";
  #comments = 0;

  /** @param maxLength longest event, in characters */
  constructor(maxLength: number = MAX_EVENT_LENGTH) {
    this.#maxLength = maxLength;
  }

  /**
   * The lines that are not fields of server-sent events, up to 64 Ki characters. Some servers, such as Google's and several
   * gateways, write an error into the body as plain JSON, without a `data:` prefix.
   */
  get unframed(): string {
    return this.#unframed;
  }

  /** How many comments have arrived. */
  get comments(): number {
    return this.#comments;
  }

  /** Adds text, in pieces of any size. */
  push(piece: string): void {
    if (this.#tooLong) return;
    const text = this.#withLineFeeds(this.#hasBegun ? piece : piece.replace(BYTE_ORDER_MARK, ""));
    this.#hasBegun ||= piece !== "";
    const start = this.#held === "" ? 0 : this.#endHeld(text);
    this.#hold(text.slice(this.#readLines(text, start)));
    const length = (this.#data?.length ?? 0) + (this.#holdsField ? this.#held.length : 0);
    this.#tooLong = length > this.#maxLength;
  }

  /** Ends the text. A last event without its blank line still counts, because servers often omit it. */
  end(): void {
    this.push("\n\n");
  }

  /**
   * Returns the next complete event that has data, and `undefined` until more text arrives. Throws a `ProtocolError`
   * for an event that is too long, after the events before it.
   */
  next(): SseEvent | undefined {
    const event = this.#events?.[this.#taken];
    if (event ? event.data.length > this.#maxLength : this.#tooLong) throw createEventTooLong(this.#maxLength);
    if (event) this.#taken++;
    else {
      this.#events = undefined;
      this.#taken = 0;
    }
    return event;
  }

  /** Reads the line that is held, if it ends in this text. Returns the place after it. */
  #endHeld(text: string): number {
    const end = text.indexOf("\n") + 1;
    if (end === 0) return 0;
    const line = this.#held + text.slice(0, end);
    this.#held = "";
    this.#readLines(line, 0);
    return end;
  }

  /** Reads the complete lines, and returns the place after them. */
  #readLines(text: string, from: number): number {
    let start = from;
    for (let end = text.indexOf("\n", start); end !== -1; end = text.indexOf("\n", start)) {
      // Nearly every line has one of the first three forms.
      if (start === end) this.#endEvent();
      else if (text.startsWith("data: ", start)) this.#addData(text.slice(start + "data: ".length, end));
      else if (text.startsWith("event: ", start)) this.#event = text.slice(start + "event: ".length, end);
      else this.#readLine(text.slice(start, end));
      start = end + 1;
    }
    return start;
  }

  #readLine(line: string): void {
    const [, name, value = ""] = LINE.exec(line) ?? [];
    switch (name) {
      case "":
        this.#comments++;
        break;
      case "data":
        this.#addData(value);
        break;
      case "event":
        this.#event = value;
        break;
      case "id":
      case "retry":
        break;
      default:
        if (this.#unframed.length < MAX_UNFRAMED)
          this.#unframed += `${line.slice(0, MAX_UNFRAMED - this.#unframed.length)}\n`;
    }
  }

  #addData(value: string): void {
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
  }

  #endEvent(): void {
    if (this.#data !== undefined) {
      const event = { event: this.#event, data: this.#data };
      if (this.#events) this.#events.push(event);
      else this.#events = [event];
    }
    this.#event = undefined;
    this.#data = undefined;
  }

  /** Keeps only the start of a line that is not a field: it may be a page without line breaks. */
  #hold(text: string): void {
    if (this.#held.length < LONGEST_START) this.#holdsField = FIELD_START.test(this.#held + text);
    if (this.#holdsField || this.#held.length < MAX_UNFRAMED) this.#held += text;
  }

  /** The text with every line end as a line feed. */
  #withLineFeeds(text: string): string {
    if (!this.#afterReturn && !text.includes("\r")) return text;
    const rest = this.#afterReturn && text.startsWith("\n") ? text.slice(1) : text;
    if (text !== "") this.#afterReturn = text.endsWith("\r");
    return rest.replaceAll(/\r\n?/g, "\n");
  }
}
