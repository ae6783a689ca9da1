/** Estimates the tokens of a context. */
import type { Context } from "../types/context.js";
import type { AssistantBlock, AssistantMessage, Message, UserBlock } from "../types/message.js";
import type { Model } from "../types/model.js";
import { readParameters } from "../validation/library-schema.js";

/** English text and code have three to four characters per token; dense JSON and other scripts have fewer. */
const CHARACTERS_PER_TOKEN = 4;

/** Between a small image (some hundred tokens) and the largest that vendors do not shrink (about 1,600). */
const TOKENS_PER_IMAGE = 1200;

/** Some pages of a document, or a minute of sound (vendors: 258 to 3,000 a page, 32 a second). */
const TOKENS_PER_FILE = 3000;

/**
 * Estimates the tokens of a context: the usage of the last successful response (its prompt with instructions and tools,
 * and the response itself) plus an estimate of what was added since. Without such a response everything is estimated:
 * four characters per token, 1,200 tokens per image, 3,000 per file. Takes at most linear time in the size of the context.
 *
 * @param model images count only if the model accepts them; without a model they count
 */
export function estimateTokens(context: Context, model?: Pick<Model, "input">): number {
  const { messages } = context;
  const imageTokens = !model || model.input.includes("image") ? TOKENS_PER_IMAGE : 0;
  const last = messages.findLastIndex(hasUsage);
  const response = messages[last];
  const known = response?.role === "assistant" ? response.usage.totalTokens : estimateInstructions(context);
  return messages.slice(last + 1).reduce((sum, message) => sum + estimateMessage(message, imageTokens), known);
}

/**
 * Estimates the tokens of one message from its content, whatever its usage says.
 *
 * @param model images count only if the model accepts them; without a model they count
 */
export function estimateMessageTokens(message: Message, model?: Pick<Model, "input">): number {
  return estimateMessage(message, !model || model.input.includes("image") ? TOKENS_PER_IMAGE : 0);
}

/** Failed responses may report only part of the usage. */
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

/** In characters, so that rounding happens once per message. */
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
    case "file":
      return TOKENS_PER_FILE * CHARACTERS_PER_TOKEN;
    case "serverTool":
      // What goes back to the provider, or what is shown to another model.
      return block.signature?.length ?? JSON.stringify([block.name, block.input, block.output]).length;
    case "compaction":
      return (block.text ?? block.signature ?? "").length;
    default:
      // A new block type fails to compile here; an unknown one of an imported transcript counts nothing.
      block satisfies never;
      return 0;
  }
}

function toTokens(length: number): number {
  return Math.ceil(length / CHARACTERS_PER_TOKEN);
}
