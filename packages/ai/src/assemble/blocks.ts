/** Making and changing the blocks of a message that is being assembled. */
import type { TextContent, ThinkingContent, ToolCall } from "../types/message.js";
import type { BlockFields } from "./message-sink.js";
import type { ToolArguments } from "./tool-arguments.js";

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

/** A string with something in it. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

export function hasKeys(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}
