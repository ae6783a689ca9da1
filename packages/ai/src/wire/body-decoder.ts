/** Bytes of a body to wire events, by framing. */
import { createAwsEventDecoder } from "./aws-event-stream.js";
import { parseJsonEvent } from "./json-events.js";
import { createEventTooLong, createSseDecoder, MAX_EVENT_LENGTH } from "./sse.js";

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

/** Where the events go. */
interface Intake {
  /** The answer is over: nothing needs to be read any more. */
  readonly over: boolean;
  /** Hands an event on; true if it was one. */
  take(event: object | symbol | undefined): boolean;
}

const FRAMINGS: Readonly<Record<Framing, (intake: Intake, maxEventLength: number) => FrameDecoder>> = {
  sse: createSseFrames,
  "aws-event-stream": createAwsFrames,
  "json-messages": createJsonFrames,
};

/**
 * @param onEvent handles an event and tells whether the answer is over
 * @param maxEventLength longest event, in characters, or in bytes where events are binary
 */
export function createBodyDecoder(
  framing: Framing,
  onEvent: (event: unknown) => boolean,
  maxEventLength: number = MAX_EVENT_LENGTH,
): BodyDecoder {
  let headText: TextDecoder | undefined;
  let events = 0;
  let head = "";
  const intake = {
    over: false,
    take: (event: object | symbol | undefined): boolean => {
      if (event === undefined || intake.over) return false;
      events++;
      intake.over = onEvent(event);
      return true;
    },
  };
  const frames = FRAMINGS[framing](intake, maxEventLength);
  return {
    feed: (chunk) => {
      const hasData = frames.feed(chunk);
      if (events > 0) head = "";
      else if (head.length < HEAD_LENGTH) {
        headText ??= new TextDecoder();
        head += startOf(chunk, headText);
      }
      return hasData;
    },
    end: () => frames.end(),
    get events() {
      return events;
    },
    get over() {
      return intake.over;
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

function createSseFrames(intake: Intake, maxEventLength: number): FrameDecoder {
  const text = new TextDecoder();
  /** First character of the line that has not ended yet; a colon begins a comment. */
  let lineStart = "";
  let taken = false;
  const sse = createSseDecoder((data, name) => {
    if (!intake.over && intake.take(parseJsonEvent(data, name))) taken = true;
  }, maxEventLength);
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
function createAwsFrames(intake: Intake, maxEventLength: number): FrameDecoder {
  const decoder = createAwsEventDecoder((event) => intake.take(event), maxEventLength);
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
function createJsonFrames(intake: Intake, maxEventLength: number): FrameDecoder {
  const text = new TextDecoder();
  return {
    feed: (chunk) => {
      if (chunk.length > maxEventLength) throw createEventTooLong(maxEventLength);
      return (
        !intake.over && intake.take(parseJsonEvent(typeof chunk === "string" ? chunk : text.decode(chunk), undefined))
      );
    },
    end: () => {},
  };
}

function isDataLine(start: string): boolean {
  return start !== "" && start !== ":";
}

function startOfOpenLine(piece: string, before: string): string {
  const newline = piece.lastIndexOf("\n");
  // A carriage return matters only behind the last line feed, and most bodies have none: nothing is searched twice.
  const rest = piece.slice(newline + 1);
  const start = rest.slice(rest.lastIndexOf("\r") + 1);
  if (newline === -1 && start === piece) return before === "" ? piece.charAt(0) : before;
  return start.charAt(0);
}
