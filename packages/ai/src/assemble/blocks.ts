/** Making and changing the blocks of a message that is being assembled. */
import type { TextContent, ThinkingContent, ToolCall } from "../types/message.js";
import type { BlockFields } from "./message-sink.js";
import type { ToolArguments } from "./tool-arguments.js";

/** Where a text or thinking block stands. */
export interface ProseSlot {
  type: "text" | "thinking";
  index: number;
  open: boolean;
  /** Ended because another block began, not because the wire said so. */
  interrupted: boolean;
}

/** Where a tool call stands. */
export interface ToolCallSlot {
  type: "toolCall";
  index: number;
  open: boolean;
  text: ToolArguments;
  /** Arguments that came whole with the start. */
  whole: unknown;
}

export type Slot = ProseSlot | ToolCallSlot;

/** Written out: a name that is put together for each event costs a string, and is compared letter by letter. */
export const PROSE_EVENTS = {
  text: { start: "text_start", delta: "text_delta", end: "text_end" },
  thinking: { start: "thinking_start", delta: "thinking_delta", end: "thinking_end" },
} as const;

/** A text or thinking block before anything is in it. */
export function emptyProse(type: ProseSlot["type"]): TextContent | ThinkingContent {
  return type === "text" ? { type, text: "" } : { type, thinking: "" };
}

/**
 * A block with more text. Made for every delta, so without a spread where there is nothing to spread: V8 leaves room for
 * four more fields in an object that came out of one.
 */
export function grown(block: TextContent | ThinkingContent, delta: string): TextContent | ThinkingContent {
  if (block.type === "text") {
    const text = block.text + delta;
    return block.textSignature === undefined ? { type: "text", text } : { ...block, text };
  }
  const thinking = block.thinking + delta;
  const isBare = block.thinkingSignature === undefined && block.redacted === undefined;
  return isBare ? { type: "thinking", thinking } : { ...block, thinking };
}

/** A call that still streams: its arguments are parsed when somebody reads them. */
export function liveCall(text: ToolArguments, id: string, name: string): ToolCall {
  return {
    type: "toolCall",
    id,
    name,
    get arguments() {
      return text.live;
    },
  };
}

/** The same call as a new object, still alive. */
export function relive(call: ToolCall, text: ToolArguments): ToolCall {
  return withFields(liveCall(text, call.id, call.name), { thoughtSignature: call.thoughtSignature });
}

/** Sets the fields that have a value and belong to the block's type. */
export function withFields<TBlock extends TextContent | ThinkingContent | ToolCall>(
  block: TBlock,
  fields: BlockFields,
): TBlock {
  if (block.type === "text") {
    if (isText(fields.textSignature)) block.textSignature = fields.textSignature;
  } else if (block.type === "thinking") {
    if (isText(fields.thinkingSignature)) block.thinkingSignature = fields.thinkingSignature;
    if (fields.redacted) block.redacted = true;
  } else {
    if (isText(fields.id)) block.id = fields.id;
    if (isText(fields.name)) block.name = fields.name;
    if (isText(fields.thoughtSignature)) block.thoughtSignature = fields.thoughtSignature;
  }
  return block;
}

/** Whether there is anything to set. */
export function hasFields(fields: BlockFields): boolean {
  return (
    isText(fields.id) ||
    isText(fields.name) ||
    isText(fields.textSignature) ||
    isText(fields.thinkingSignature) ||
    isText(fields.thoughtSignature) ||
    fields.redacted === true
  );
}

/**
 * The same text in one piece. V8 keeps a text that grew as a tree of all its pieces, ten times its size, until
 * somebody looks for something in it; it then puts the pieces together in place.
 */
export function flatten(text: string): string {
  return text.endsWith("\0") ? `${text}` : text;
}

/** The text of a text or thinking block. */
export function proseText(block: TextContent | ThinkingContent | ToolCall | undefined): string {
  if (block?.type === "text") return block.text;
  return block?.type === "thinking" ? block.thinking : "";
}

/** A string with something in it. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/**
 * Arguments that came whole as the text that they would have streamed as; empty where there are none. Text is taken as
 * it is: some servers send JSON in a string.
 */
export function wholeArguments(whole: unknown): string {
  if (whole === undefined || whole === null) return "";
  if (typeof whole === "string") return whole;
  if (typeof whole === "object" && Object.keys(whole).length === 0) return "";
  try {
    return JSON.stringify(whole) ?? "";
  } catch {
    // Nested too deep to be written; any text that is no JSON marks the call as unreadable.
    return "[unreadable";
  }
}
