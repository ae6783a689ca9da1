/** Defines how each api writes the same events, valid or malformed. */
import type { HttpFixtures } from "../conformance/http-target.js";

/** A wire event: an object, or JSON text if it has to be malformed. */
export type WireEvent = object | string;

export type WirePart =
  | { type: "text"; pieces: readonly string[] }
  | { type: "thinking"; pieces: readonly string[] }
  /** The arguments are the joined pieces. */
  | { type: "call"; id?: string; name: string; pieces: readonly string[] };

/** The reason for the end of a response. Any other text is sent unchanged, and `null` means no reason. */
export type StopWord = "stop" | "length" | "toolUse" | "filter";

export interface WireEnd {
  stop?: StopWord | (string & {}) | null;
  /** The object with the token counts. Default: 10 input tokens, 5 output tokens. */
  usage?: unknown;
}

export interface FaultWireFormat {
  /** Describes the model and its options. */
  fixtures: HttpFixtures;
  framing: "sse" | "aws-event-stream";
  /** The bytes of an event. */
  frame(event: WireEvent): Uint8Array;
  start(): WireEvent[];
  /** All events of one block. */
  part(part: WirePart, index: number): WireEvent[];
  end(end: WireEnd): WireEvent[];
  /** The usage object with this value in place of each count. */
  usage(count: unknown): unknown;
  error(words: string): WireEvent;

  /** Whether an event ends every response. */
  hasEndMarker: boolean;
  /** The stop reason and the token counts are one event, which ends the response. Default: counts may follow. */
  countsWithReason?: true;
  /** Whether arguments stream as text. */
  streamsArguments: boolean;
  /** A response's first events without their most important field; omitted if they have none. */
  bareStart?: WireEvent[];
  /** Events and types that do not exist. */
  unknown: WireEvent[];
  /** In the middle of text block 0: deltas without text, with a null text, and no delta at all. */
  emptyDeltas: WireEvent[];
  /** A delta for a block that was never opened. */
  orphanDelta?: WireEvent[];
  /** A block 0 with a tool call whose arguments are this value instead of text. */
  callWith?(value: unknown): WireEvent[];
  /** A complete refusal in the api's own form; its text is "I will not." if it has one. */
  refusal?: WireEvent[];
}

/** The events of a complete response. */
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

/** `data: <json>`, with the event name if there is one. */
export function sseFrame(event: WireEvent): Uint8Array {
  const data = typeof event === "string" ? event : JSON.stringify(event);
  const name = typeof event === "object" && "type" in event ? `event: ${event.type}\n` : "";
  return Buffer.from(`${name}data: ${data}\n\n`);
}
