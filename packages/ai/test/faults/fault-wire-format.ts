/** How each protocol says the same things, well or badly. */
import type { HttpFixtures } from "../conformance/http-target.js";

/** One wire event: an object, or JSON text where it has to be odd. */
export type WireEvent = object | string;

export type WirePart =
  | { type: "text"; pieces: readonly string[] }
  | { type: "thinking"; pieces: readonly string[] }
  /** The arguments are the text that the pieces make. */
  | { type: "call"; id?: string; name: string; pieces: readonly string[] };

/** Why an answer ends; any other text is sent as it is, and `null` is no reason at all. */
export type StopWord = "stop" | "length" | "toolUse" | "filter";

export interface WireEnd {
  stop?: StopWord | (string & {}) | null;
  /** The object that holds the counts, as it is sent. Default: 10 tokens in, 5 out. */
  usage?: unknown;
}

export interface FaultWireFormat {
  /** Describes the model and how it is called. */
  fixtures: HttpFixtures;
  framing: "sse" | "aws-event-stream";
  /** The bytes of an event. */
  frame(event: WireEvent): Uint8Array;
  start(): WireEvent[];
  /** All events of one block. */
  part(part: WirePart, index: number): WireEvent[];
  end(end: WireEnd): WireEvent[];
  /** The usage object with this in the place of each count. */
  usage(count: unknown): unknown;
  error(words: string): WireEvent;

  /** Whether there is an event that ends every answer. */
  hasEndMarker: boolean;
  /** Whether arguments stream as text. */
  streamsArguments: boolean;
  /** An answer's first events without their most important field; left out where they have none. */
  bareStart?: WireEvent[];
  /** Events and types that do not exist. */
  unknown: WireEvent[];
  /** In the middle of text block 0: deltas without text, with a null text, and no delta at all. */
  emptyDeltas: WireEvent[];
  /** A delta for a block that was never opened. */
  orphanDelta?: WireEvent[];
  /** A block 0 with a call whose arguments are this value, where it is no text. */
  callWith?(value: unknown): WireEvent[];
  /** A refusal in the protocol's own way, from start to end; its text is "I will not." where it has one. */
  refusal?: WireEvent[];
}

/** The events of a whole answer. */
export function responseOf(wire: FaultWireFormat, parts: readonly WirePart[], end: WireEnd = {}): WireEvent[] {
  const hasCall = parts.some((part) => part.type === "call");
  return [
    ...wire.start(),
    ...parts.flatMap((part, index) => wire.part(part, index)),
    ...wire.end({ stop: hasCall ? "toolUse" : "stop", ...end }),
  ];
}

export function textPart(...pieces: string[]): WirePart {
  return { type: "text", pieces };
}

export function callPart(name: string, ...pieces: string[]): WirePart {
  return { type: "call", id: `call${name.length}aaaa`.slice(0, 9), name, pieces };
}

/** `data: <json>`, and the name where there is one. */
export function sseFrame(event: WireEvent): Uint8Array {
  const data = typeof event === "string" ? event : JSON.stringify(event);
  const name = typeof event === "object" && "type" in event ? `event: ${event.type}\n` : "";
  return Buffer.from(`${name}data: ${data}\n\n`);
}
