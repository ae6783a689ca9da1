/** Server-sent events: text in, the data of each event out. No I/O. */
import { createParser } from "eventsource-parser";
import { ProtocolError } from "../errors.js";

/** Longest event, in characters: far above any real one, far below what fills the memory. */
export const MAX_EVENT_LENGTH: number = 64 * 1024 * 1024;

export interface SseDecoder {
  /** Takes text in pieces of any size. */
  feed(text: string): void;
  /** The text is over: a last event without its blank line is handed on, servers that hang up early are common. */
  end(): void;
}

/** Calls `onEvent` with the data and the name of each event that has data. Throws a `ProtocolError` for one too long. */
export function createSseDecoder(onEvent: (data: string, name: string | undefined) => void): SseDecoder {
  const parser = createParser({
    maxBufferSize: MAX_EVENT_LENGTH,
    onEvent: (event) => onEvent(event.data, event.event),
    onError: (error) => {
      if (error.type !== "max-buffer-size-exceeded") return;
      throw new ProtocolError(`An event is longer than ${MAX_EVENT_LENGTH} characters`, { retryable: false });
    },
  });
  return { feed: (text) => parser.feed(text), end: () => parser.feed("\n\n") };
}
