/**
 * The seam between a wire protocol and the event protocol. A mapping turns each wire event into calls on this interface
 * and keeps no message of its own; the builder behind it is the only producer of events.
 */
import type { ErrorKind, StopReason } from "../types/message.js";

/** Names a block while it streams: a wire index, an item id, or a constant such as `"text"`. */
export type BlockKey = string | number;

/** How a block begins. */
export type BlockStart =
  | { type: "text"; textSignature?: string | undefined }
  | { type: "thinking"; thinkingSignature?: string | undefined; redacted?: boolean }
  | {
      type: "toolCall";
      id?: string | undefined;
      name?: string | undefined;
      thoughtSignature?: string | undefined;
      /** Arguments that came whole with the start; used when no delta follows. */
      arguments?: unknown;
    };

/** Fields that may become known while a block streams, or after. */
export interface BlockFields {
  /** The id of a call. */
  id?: string | undefined;
  /** The name of the tool that is called. */
  name?: string | undefined;
  /** Belongs to a text block. */
  textSignature?: string | undefined;
  /** Belongs to a thinking block. */
  thinkingSignature?: string | undefined;
  /** Belongs to a call. */
  thoughtSignature?: string | undefined;
  /** The provider hid this thinking. */
  redacted?: boolean | undefined;
}

/** Token counts, disjoint. What is undefined keeps the value it had. */
export interface UsageCounts {
  /** Prompt tokens that come from no cache. */
  input?: number | undefined;
  /** Generated tokens, reasoning included. */
  output?: number | undefined;
  /** Prompt tokens read from a cache. */
  cacheRead?: number | undefined;
  /** Prompt tokens written to a cache. */
  cacheWrite?: number | undefined;
  /** The part of `cacheWrite` that was written for one hour. */
  cacheWrite1h?: number | undefined;
  /** The part of `output` that was reasoning. */
  reasoning?: number | undefined;
  /** Multiplies the cost: a service tier's factor. Default 1. */
  costFactor?: number | undefined;
}

/** Facts about the answer as a whole. */
export interface ResponseFacts {
  /** The provider's id of the answer. */
  responseId?: string | null | undefined;
  /** Kept where it differs from the model that was asked. */
  responseModel?: string | null | undefined;
}

/** Takes what a mapping found in a wire event. Every call is O(1) in the length of the answer. */
export interface MessageSink {
  /**
   * Begins a block and ends prose that is still open. For protocols that announce blocks. A key that is in use is
   * given to the new block.
   */
  open(key: BlockKey, block: BlockStart): void;
  /** {@link open}, unless the key is open. For protocols that do not announce blocks. */
  ensure(key: BlockKey, block: BlockStart): void;
  /**
   * Grows a block by text or argument JSON. Ignored for a key that was never opened, which drops what a server does on
   * its own. Prose that was ended by another block goes on in a new block.
   */
  append(key: BlockKey, delta: string): void;
  /**
   * Sets fields, without an event. Empty and missing values are ignored. Signatures may still come when the block is
   * closed; id and name of a call are final then.
   */
  patch(key: BlockKey, fields: BlockFields): void;
  /** Ends a block. `final` is the whole content where the wire repeats it: what the deltas left out is added. */
  close(key: BlockKey, final?: string): void;
  /** Merges token counts. Totals and cost are computed behind this interface, once. */
  usage(counts: UsageCounts): void;
  /** Remembers facts about the answer. Empty values are ignored, and the first one counts. */
  response(facts: ResponseFacts): void;
  /** Adds a diagnostic to the message: what neither content nor stop reason tells, such as a refusal given as text. */
  note(type: string, details?: Record<string, unknown>, error?: unknown): void;
  /**
   * Remembers why the answer ended; the protocol's end marker was seen. `toolUse` is inferred where a call is present
   * and the reason is `stop`. `message` and `kind` explain an `error`.
   */
  stop(reason: StopReason, message?: string, kind?: ErrorKind): void;
}
