/** How many tokens a context holds, about. */
import type { Context } from "../types/context.js";
import type { AssistantBlock, AssistantMessage, Message, UserBlock } from "../types/message.js";
import type { Model } from "../types/model.js";
import { readParameters } from "../validation/library-schema.js";

/** English text and code have three to four characters to a token; dense JSON and other scripts have fewer. */
const CHARACTERS_PER_TOKEN = 4;

/** Between a small picture (some hundred tokens) and the largest that vendors do not shrink (about 1,600). */
const TOKENS_PER_IMAGE = 1200;

/**
 * Estimates the tokens of a context: what the last good answer reported (its prompt with instructions and tools, and
 * itself) and an estimate of what was added since. Without such an answer everything is estimated: four characters to
 * a token, 1,200 tokens to an image. Takes time that grows with the context at most linearly.
 *
 * @param model images count only where the model can see them; without a model they count
 */
export function estimateTokens(context: Context, model?: Pick<Model, "input">): number {
  const { messages } = context;
  const imageTokens = !model || model.input.includes("image") ? TOKENS_PER_IMAGE : 0;
  const last = messages.findLastIndex(hasUsage);
  const response = messages[last];
  const known = response?.role === "assistant" ? response.usage.totalTokens : estimateInstructions(context);
  return messages.slice(last + 1).reduce((sum, message) => sum + estimateMessage(message, imageTokens), known);
}

/** Failed answers may report a part of the truth only. */
function hasUsage(message: Message): message is AssistantMessage {
  if (message.role !== "assistant" || message.stopReason === "error" || message.stopReason === "aborted") return false;
  return message.usage.totalTokens > 0;
}

function estimateInstructions({ systemPrompt, tools = [] }: Context): number {
  const perTool = tools.map(
    (tool) => tool.name.length + tool.description.length + JSON.stringify(readParameters(tool)).length,
  );
  return toTokens(perTool.reduce((sum, length) => sum + length, systemPrompt?.length ?? 0));
}

function estimateMessage(message: Message, imageTokens: number): number {
  if (typeof message.content === "string") return toTokens(message.content.length);
  let length = 0;
  for (const block of message.content) length += blockLength(block, imageTokens);
  return toTokens(length);
}

/** In characters, so that the rounding is done once for a message. */
function blockLength(block: AssistantBlock | UserBlock, imageTokens: number): number {
  switch (block.type) {
    case "text":
      return block.text.length;
    case "thinking":
      return block.thinking.length;
    case "toolCall":
      return block.name.length + JSON.stringify(block.arguments ?? {}).length;
    case "image":
      return imageTokens * CHARACTERS_PER_TOKEN;
    default:
      // A new type of block fails to compile here; one of a foreign transcript counts nothing.
      block satisfies never;
      return 0;
  }
}

function toTokens(length: number): number {
  return Math.ceil(length / CHARACTERS_PER_TOKEN);
}
