/** Decodes server-sent events: text in, frames out. No I/O. */
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { ProtocolError } from "../errors.js";
import { UnframedText } from "./unframed-text.js";

/** Longest event, in characters: far longer than any real event, and too short to exhaust memory. */
export const MAX_EVENT_LENGTH: number = 64 * 1024 * 1024;

/** Not retryable, because a second response would be as long. */
export function createEventTooLong(maxLength: number): ProtocolError {
  return new ProtocolError(`An event is longer than ${maxLength} characters`, { retryable: false });
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
  next(): EventSourceMessage | undefined;
  /** The lines that are not fields of server-sent events, up to 64 Ki characters. */
  readonly unframed: string;
  /** How many comments have arrived. */
  readonly comments: number;
}

/** @param maxLength longest event, in characters */
export function createSseDecoder(maxLength: number = MAX_EVENT_LENGTH): SseDecoder {
  // Slots are reused: emptying the array would make it allocate again for each piece of a body.
  const frames: (EventSourceMessage | undefined)[] = [];
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
