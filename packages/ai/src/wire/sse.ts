/** Server-sent events: text in, the data of each event out. No I/O. */
import { createParser } from "eventsource-parser";
import { ProtocolError } from "../errors.js";

/** Longest event, in characters: far above any real one, far below what fills the memory. */
export const MAX_EVENT_LENGTH: number = 64 * 1024 * 1024;

/** Sent again, the answer would be as long. */
export function createEventTooLong(maxLength: number): ProtocolError {
  return new ProtocolError(`An event is longer than ${maxLength} characters`, { retryable: false });
}

export interface SseDecoder {
  /** Takes text in pieces of any size. */
  feed(text: string): void;
  /** The text is over: a last event without its blank line is handed on, servers that hang up early are common. */
  end(): void;
}

/**
 * Calls `onEvent` with the data and the name of each event that has data. Throws a `ProtocolError` for one too long.
 *
 * @param maxLength longest event, in characters
 */
export function createSseDecoder(
  onEvent: (data: string, name: string | undefined) => void,
  maxLength: number = MAX_EVENT_LENGTH,
): SseDecoder {
  const parser = createParser({
    maxBufferSize: maxLength,
    onEvent: (event) => {
      if (event.data.length > maxLength) throw createEventTooLong(maxLength);
      onEvent(event.data, event.event);
    },
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") throw createEventTooLong(maxLength);
    },
  });
  return { feed: (text) => parser.feed(text), end: () => parser.feed("\n\n") };
}
