/** Decodes the bytes of a body to wire events. No I/O. */
import { createAwsEventDecoder } from "./aws-event-stream.js";
import { type DONE, parseJsonEvent } from "./json-events.js";
import { createEventTooLong, createSseDecoder, MAX_EVENT_LENGTH } from "./sse.js";

/** How a body divides into events. */
export type Framing = "sse" | "aws-event-stream" | "json-messages";

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
}

const FRAMINGS: Readonly<Record<Framing, (maxEventLength: number) => BodyDecoder>> = {
  sse: createSseBody,
  "aws-event-stream": createAwsBody,
  "json-messages": createMessagesBody,
};

/** @param maxEventLength longest event, in characters, or in bytes where events are binary */
export function createBodyDecoder(framing: Framing, maxEventLength: number = MAX_EVENT_LENGTH): BodyDecoder {
  return FRAMINGS[framing](maxEventLength);
}

function createSseBody(maxEventLength: number): BodyDecoder {
  const text = new TextDecoder();
  const options = { stream: true };
  const frames = createSseDecoder(maxEventLength);
  return {
    push: (chunk) => frames.push(typeof chunk === "string" ? chunk : text.decode(chunk, options)),
    end: () => {
      frames.push(text.decode());
      frames.end();
    },
    next: () => {
      for (let frame = frames.next(); frame !== undefined; frame = frames.next()) {
        const event = parseJsonEvent(frame.data, frame.event);
        if (event !== undefined) return event;
      }
      return undefined;
    },
    get unframed() {
      return frames.unframed;
    },
  };
}

/** Ignores a message that the end of the body cuts off: the missing end marker is reported as the error. */
function createAwsBody(maxEventLength: number): BodyDecoder {
  const messages = createAwsEventDecoder(maxEventLength);
  const bytes = new TextEncoder();
  return {
    push: (chunk) => messages.push(typeof chunk === "string" ? bytes.encode(chunk) : chunk),
    end: () => {},
    next: () => messages.next(),
    get unframed() {
      return messages.unframed;
    },
  };
}

/** Each piece is one message, as on a WebSocket. */
function createMessagesBody(maxEventLength: number): BodyDecoder {
  const text = new TextDecoder();
  const messages: (Uint8Array | string)[] = [];
  return {
    push: (chunk) => messages.push(chunk),
    end: () => {},
    next: () => {
      for (let message = messages.shift(); message !== undefined; message = messages.shift()) {
        if (message.length > maxEventLength) throw createEventTooLong(maxEventLength);
        const event = parseJsonEvent(typeof message === "string" ? message : text.decode(message), undefined);
        if (event !== undefined) return event;
      }
      return undefined;
    },
    unframed: "",
  };
}
