/**
 * The seam between a wire protocol and the event protocol. A mapping turns each wire event into calls on this interface
 * and keeps no message of its own; the builder behind it is the only producer of events.
 */
import type {
  AssistantBlock,
  ErrorKind,
  MessageFacts,
  StopReason,
  TextContent,
  ThinkingContent,
  ToolCall,
  Usage,
} from "../types/message.js";
import type { BlockOf, SettableFields } from "./block-fields.js";

/** Names a block while it streams: a wire index, an item id, or a constant such as `"text"`. */
export type BlockKey = string | number;

type StartOf<TType extends AssistantBlock["type"]> = { type: TType } & SettableFields<BlockOf<TType>>;

/** How a block begins. */
export type BlockStart =
  | Exclude<{ [TType in AssistantBlock["type"]]: StartOf<TType> }[AssistantBlock["type"]], { type: "toolCall" }>
  | (StartOf<"toolCall"> & {
      /** Arguments that came whole with the start; used when no delta follows. */
      arguments?: unknown;
    });

/** Fields that may become known while a block streams, or after. Each belongs to the blocks of one type. */
export type BlockFields = SettableFields<TextContent> & SettableFields<ThinkingContent> & SettableFields<ToolCall>;

/** The names of the counts of {@link Usage} that a mapping reports; the total and the cost are computed. */
export type CountName = Exclude<keyof Usage, "totalTokens" | "cost">;

/** Token counts, disjoint as in {@link Usage}. A count that is undefined keeps its value. */
export type UsageCounts = { [TName in CountName]?: Usage[TName] | undefined } & {
  /** Multiplies the cost: a service tier's factor. Default 1. */
  costFactor?: number | undefined;
  /** US dollars for what is not charged by the token, such as web searches. Undefined keeps the value. */
  extraCost?: number | undefined;
  /** US dollars: the price that the response states for itself. Undefined keeps the value. */
  reportedCost?: number | undefined;
};

/** Facts about the response as a whole. `responseModel` is kept where it differs from the model of the request. */
export type ResponseFacts = {
  [TName in Exclude<keyof MessageFacts, "diagnostics">]?: MessageFacts[TName] | null | undefined;
};

/** Takes what a mapping reads from a wire event. Every operation is O(1) in the length of the text. */
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
  /**
   * Remembers facts about the response. Empty values are ignored, and the first value of each fact counts.
   *
   * @param replace whether these facts replace earlier ones, because another model took over. Default false
   */
  response(facts: ResponseFacts, replace?: boolean): void;
  /** Adds a diagnostic to the message: a fact that neither content nor stop reason holds, such as a refusal in words. */
  note(type: string, details?: Record<string, unknown>, error?: unknown): void;
  /**
   * Stores why the response ended; the end marker has been seen. `toolUse` is inferred where a call is present and the
   * reason is `stop`. `message` and `kind` explain an `error`.
   */
  stop(reason: StopReason, message?: string, kind?: ErrorKind): void;
}
