/** Blocks as they go back, to the model that produced them and to others, and what stands for those that cannot. */
import { ConfigError, cutText } from "../errors.js";
import type { FileContent, ImageContent, TextContent, ThinkingContent, ToolCall } from "../types/message.js";
import { isRecord } from "../utils/is-object.js";
import { isBlankText, toWellFormed } from "../utils/sanitize-unicode.js";

export function replayThinking(
  block: ThinkingContent,
  own: boolean,
  foreignThinking: "text" | "drop",
): ThinkingContent | TextContent | undefined {
  if (own && (block.redacted || block.thinkingSignature)) return block;
  if (block.redacted || !block.thinking || isBlankText(block.thinking)) return undefined;
  if (own) return block;
  return foreignThinking === "text" ? { type: "text", text: block.thinking } : undefined;
}

/**
 * A tool call whose arguments did not parse is replayed without arguments. Its result tells the model why it failed.
 */
export function replayCall(block: ToolCall): ToolCall {
  const { argumentsError, argumentsText, arguments: given } = block;
  const sent = argumentsError === undefined && isRecord(given) ? toWellFormed(given) : {};
  if (sent === given && argumentsText === undefined) return block;
  const { argumentsError: _error, argumentsText: _text, ...call } = block;
  return { ...call, arguments: sent };
}

// The texts that stand for what a message cannot hold, and for messages that are missing.

/** The text note that replaces a file or an image that a message cannot hold. */
export function describeFile(file: ImageContent | FileContent): string {
  const name = file.type === "file" && file.name ? `${file.name}, ` : "";
  return `[${file.type}: ${name}${file.mimeType}]`;
}

// The texts of messages that are inserted because an api, or a chat template, demands a message at that place.

/** The first user message, in a conversation that begins with the assistant. */
export const EARLIER_CONVERSATION = "(The conversation began earlier.)";
/** The assistant message between a tool result and a user message. */
export const RESULTS_READ = "I have processed the tool results.";

/**
 * Creates the error for a block of an unknown type, which an imported transcript may contain. Every `switch` over
 * blocks ends with it: the parameter type `never` makes a new block type fail to compile there.
 */
export function unknownBlock(block: never): ConfigError {
  const type: unknown = Reflect.get(block, "type");
  return new ConfigError(
    `Unknown type of content block: ${cutText(String(type), 100)}. A user message holds text, image and file`,
  );
}
