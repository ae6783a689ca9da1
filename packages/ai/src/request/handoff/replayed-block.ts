/** Thinking and tool calls as they go back, to the model that produced them and to others. */
import type { TextContent, ThinkingContent, ToolCall } from "../../types/message.js";
import { isRecord } from "../../utils/is-object.js";
import { toWellFormed } from "../../wire/json/index.js";

export function replayThinking(
  block: ThinkingContent,
  own: boolean,
  foreignThinking: "text" | "drop",
): ThinkingContent | TextContent | undefined {
  if (own && (block.redacted || block.thinkingSignature)) return block;
  if (block.redacted || !block.thinking || block.thinking.trim() === "") return undefined;
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
