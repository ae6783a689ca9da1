/** Bytes of a body to wire events, by framing. */
import { createAwsEventDecoder } from "./aws-event-stream.js";
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

type Chunk = Uint8Array | string;

interface FrameDecoder {
  /** Takes a piece; returns whether it holds data, or the beginning of data. */
  feed(chunk: Chunk): boolean;
  end(): void;
}

/** Takes an event, unless the answer is over: then it is not even read. True if there was one. */
type Take = (read: () => object | symbol | undefined) => boolean;

const FRAMINGS: Readonly<Record<Framing, (take: Take) => FrameDecoder>> = {
  sse: createSseFrames,
  "aws-event-stream": createAwsFrames,
  "json-messages": createJsonFrames,
};

/** @param onEvent handles an event and tells whether the answer is over */
export function createBodyDecoder(framing: Framing, onEvent: (event: unknown) => boolean): BodyDecoder {
  const headText = new TextDecoder();
  let events = 0;
  let over = false;
  let head = "";
  const frames = FRAMINGS[framing]((read) => {
    const event = over ? undefined : read();
    if (event === undefined) return false;
    events++;
    over = onEvent(event);
    return true;
  });
  return {
    feed: (chunk) => {
      if (events === 0 && head.length < HEAD_LENGTH) head += startOf(chunk, headText);
      const hasData = frames.feed(chunk);
      if (events > 0) head = "";
      return hasData;
    },
    end: () => frames.end(),
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

function startOf(chunk: Chunk, text: TextDecoder): string {
  const start = chunk.slice(0, HEAD_LENGTH);
  return typeof start === "string" ? start : text.decode(start, { stream: true });
}

function createSseFrames(take: Take): FrameDecoder {
  const text = new TextDecoder();
  /** First character of the line that has not ended yet; a colon begins a comment. */
  let lineStart = "";
  let taken = false;
  const sse = createSseDecoder((data, name) => {
    if (take(() => parseJsonEvent(data, name))) taken = true;
  });
  const feedText = (piece: string): boolean => {
    taken = false;
    sse.feed(piece);
    const before = lineStart;
    lineStart = startOfOpenLine(piece, before);
    // The end of a line of data is data too.
    return taken || isDataLine(before) || isDataLine(lineStart);
  };
  return {
    feed: (chunk) => feedText(typeof chunk === "string" ? chunk : text.decode(chunk, { stream: true })),
    end: () => {
      feedText(text.decode());
      sse.end();
    },
  };
}

/** A message cut off at the end of the body is as if it had never come: the protocol's end marker is missing. */
function createAwsFrames(take: Take): FrameDecoder {
  const decoder = createAwsEventDecoder((event) => take(() => event));
  const bytes = new TextEncoder();
  return {
    feed: (chunk) => {
      decoder.feed(typeof chunk === "string" ? bytes.encode(chunk) : chunk);
      return true;
    },
    end: () => {},
  };
}

/** Each piece is one message, as on a web socket. */
function createJsonFrames(take: Take): FrameDecoder {
  const text = new TextDecoder();
  return {
    feed: (chunk) => take(() => parseJsonEvent(typeof chunk === "string" ? chunk : text.decode(chunk), undefined)),
    end: () => {},
  };
}

function isDataLine(start: string): boolean {
  return start !== "" && start !== ":";
}

function startOfOpenLine(piece: string, before: string): string {
  const newline = Math.max(piece.lastIndexOf("\n"), piece.lastIndexOf("\r"));
  if (newline === -1) return before === "" ? piece.charAt(0) : before;
  return piece.charAt(newline + 1);
}
