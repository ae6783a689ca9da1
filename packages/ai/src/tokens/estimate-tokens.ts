/** Estimates the tokens of a context. */

import { ConfigError } from "../errors.js";
import type { Context } from "../types/context.js";
import type { AssistantBlock, AssistantMessage, Message, UserBlock } from "../types/message.js";
import type { Complete } from "../utils/complete.js";
import { readParameters } from "../utils/library-schema.js";
import { isFailure } from "../utils/message-facts.js";
import { nameValue } from "../utils/name-value.js";
import { estimateImage } from "./estimate-image.js";
import { estimateFile } from "./file-tokens.js";
import { type CountedModel, estimateText, familyOf, type TokenFamily } from "./token-families.js";

/** English text and code have three to four characters per token. */
const CHARACTERS_PER_TOKEN = 4;

/** A few pages of a document, or a minute of sound (vendors count 258 to 3,000 per page, 32 per second). */
const UNKNOWN_FILE_TOKENS = 3000;

/** Options of {@link estimateTokens}. */
export interface EstimateOptions {
  /** A file whose size is unknown counts so many tokens: only its `url` or `fileId` is known. Default 3,000. */
  unknownFileTokens?: number | undefined;
}

/**
 * Estimates the tokens of a context: the usage of the last successful response (its prompt with instructions and tools,
 * and the response itself) plus an estimate of everything added since. Without such a response everything is estimated.
 *
 * Text is weighted by character class as fitted to the model's family (Claude, Gemini, GPT, Mistral, Qwen, others).
 * Images count by their size and the vendor's rule, files by type and size: texts by their characters, a PDF as 3,000 tokens a
 * page. Takes at most linear time in the size of the
 * context.
 *
 * @param model determines the family by its id and provider; if omitted, the last response does. Images count only if
 * the model accepts them, or if no model is passed
 */
export function estimateTokens(
  context: ReadonlyContext,
  model?: CountedModel,
  { unknownFileTokens = UNKNOWN_FILE_TOKENS }: EstimateOptions = {},
): number {
  const { messages } = Object(context) as ReadonlyContext; // JavaScript may pass anything
  if (!Array.isArray(messages))
    throw new ConfigError(`estimateTokens needs { messages }, a list, but messages is ${nameValue(messages)}`);
  const family = familyOf(model ?? toModel(messages.findLast(isResponse)));
  const rules = { family, model, unknownFileTokens };
  let sum = 0;
  // A plain loop: an agent estimates before each turn, and mostly there is one message after the last response.
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (!message) continue;
    if (hasUsage(message)) return (message.usage.contextTokens ?? message.usage.totalTokens) + sum;
    sum += estimateMessage(message, rules);
  }
  return estimateInstructions(context, family) + sum;
}

/** A context that is only read, so its parts may be missing or belong to another. */
type ReadonlyContext = { readonly [Part in keyof Context]: Readonly<Context[Part]> | undefined } & {
  readonly messages: readonly Message[];
};

/**
 * Estimates the tokens of one message from its content, and ignores its usage.
 *
 * @param model determines the family by its id and provider; if omitted, a response counts as for its own model. Images
 * count only if the model accepts them, or if no model is passed
 */
export function estimateMessageTokens(message: Message, model?: CountedModel): number {
  const family = familyOf(model ?? toModel(isResponse(message) ? message : undefined));
  return estimateMessage(message, { family, model, unknownFileTokens: UNKNOWN_FILE_TOKENS });
}

function isResponse(message: Message): message is AssistantMessage {
  return message.role === "assistant";
}

/** Messages of stored transcripts may lack a model. */
function toModel(response: Partial<Pick<AssistantMessage, "model" | "provider">> | undefined) {
  return { id: response?.model ?? "", provider: response?.provider ?? "" };
}

/** Failed responses may report only part of the usage. */
function hasUsage(message: Message): message is AssistantMessage {
  if (message.role !== "assistant" || isFailure(message.stopReason)) return false;
  return message.usage.totalTokens > 0;
}

function estimateInstructions({ systemPrompt, messages, tools = [] }: ReadonlyContext, family: TokenFamily): number {
  const [request, message, first, each] = family.overhead;
  const count = (text: string): number => estimateText(text, family.text) * family.scale;
  // Of a tool that the provider searches, the model reads at most the name and the description.
  const isSearched = tools.some(({ server }) => server?.kind === "toolSearch");
  const perTool = tools.map((tool) => {
    const words = count(`${tool.name} ${tool.description}`);
    if (isSearched && tool.loading) return words;
    const examples = tool.examples?.length ? count(JSON.stringify(tool.examples)) : 0;
    return each + words + examples + count(JSON.stringify(readParameters(tool))) * family.schema;
  });
  const sum = perTool.reduce((total, tokens) => total + tokens, tools.length > 0 ? first : 0);
  // A context that begins with a response is a part of a conversation.
  const isWhole = messages.length > 0 && messages[0]?.role !== "assistant";
  return Math.ceil(sum + (systemPrompt ? message + count(systemPrompt) : 0) + (isWhole ? request : 0));
}

interface EstimateRules extends Complete<EstimateOptions> {
  family: TokenFamily;
  model: CountedModel | undefined;
}

/** Rounds once per message. */
function estimateMessage({ role, content }: Message, rules: EstimateRules): number {
  const { family } = rules;
  if (content.length === 0) return 0;
  const [, message, , , , result] = family.overhead;
  let sum = message + (role === "toolResult" ? result : 0);
  if (typeof content === "string") sum += estimateText(content, family.text) * family.scale;
  else for (const block of content) sum += estimateBlock(block, rules);
  return Math.ceil(sum);
}

function estimateBlock(
  block: AssistantBlock | UserBlock,
  { family, model, unknownFileTokens: unknown }: EstimateRules,
): number {
  const count = (text: string): number => estimateText(text, family.text) * family.scale;
  const image = (data: string): number => estimateImage(data, family.image);
  switch (block.type) {
    case "text":
      return count(block.text);
    case "thinking":
      return count(block.thinking);
    case "toolCall":
      return family.overhead[4] + count(`${block.name} ${JSON.stringify(block.arguments ?? {})}`);
    case "image":
      return !model || model.input.includes("image") ? image(block.data) : 0;
    case "file":
      return estimateFile(block, { text: count, image, unknown });
    case "serverTool":
      // The data that is sent back to the provider, or the text that another model sees.
      return opaque(block.signature) ?? count(JSON.stringify([block.name, block.input, block.output]));
    case "compaction":
      return block.text === undefined ? (opaque(block.signature) ?? 0) : count(block.text);
    default:
      // A new block type fails to compile here; an unknown one in an imported transcript counts as 0.
      block satisfies never;
      return 0;
  }
}

/** Encrypted content counts like the text in it, which is about as long as its base64. */
function opaque(signature: string | undefined): number | undefined {
  return signature === undefined ? undefined : signature.length / CHARACTERS_PER_TOKEN;
}
