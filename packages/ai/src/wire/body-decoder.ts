/** Bytes of a body to wire events, by framing. */
import { parseJsonEvent } from "./json-events.js";
import { createSseDecoder } from "./sse.js";

/** How a body is cut into events. */
export type Framing = "sse" | "aws-event-stream" | "json-messages";

/** How much of a body is kept to be quoted when no event comes. */
const HEAD_LENGTH = 4096;

export interface BodyDecoder {
  /** Takes a piece; true when it brought data, and not only comments that keep a connection alive. */
  feed(chunk: Uint8Array | string): boolean;
  /** The body is over. */
  end(): void;
  /** How many events were handed on. */
  readonly events: number;
  /** Whether the protocol's own end was seen; what follows is ignored. */
  readonly over: boolean;
  /** The beginning of the body, while no event has come. */
  readonly head: string;
}

/** @param onEvent handles an event and tells whether the answer is over */
export function createBodyDecoder(framing: Framing, onEvent: (event: unknown) => boolean): BodyDecoder {
  const text = new TextDecoder();
  let events = 0;
  let over = false;
  let head = "";
  /** First character of the line that has not ended yet; a colon begins a comment. */
  let lineStart = "";
  const take = (data: string, name: string | undefined): void => {
    if (over) return;
    const event = parseJsonEvent(data, name);
    if (event === undefined) return;
    events++;
    over = onEvent(event);
  };
  const sse = createSseDecoder(take);
  const feedText = (piece: string): boolean => {
    const before = events;
    if (events === 0 && head.length < HEAD_LENGTH) head += piece.slice(0, HEAD_LENGTH);
    if (framing === "sse") sse.feed(piece);
    else take(piece, undefined);
    if (events > before) {
      head = "";
      return true;
    }
    lineStart = startOfOpenLine(piece, lineStart);
    return lineStart !== "" && lineStart !== ":";
  };
  return {
    feed: (chunk) => feedText(typeof chunk === "string" ? chunk : text.decode(chunk, { stream: true })),
    end: () => {
      feedText(text.decode());
      if (framing === "sse") sse.end();
    },
    get events() {
      return events;
    },
    get over() {
      return over;
    },
    get head() {
      return head;
    },
  };
}

function startOfOpenLine(piece: string, before: string): string {
  const newline = Math.max(piece.lastIndexOf("\n"), piece.lastIndexOf("\r"));
  if (newline === -1) return before === "" ? piece.charAt(0) : before;
  return piece.charAt(newline + 1);
}
