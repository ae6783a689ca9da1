/** Plays one prepared response as a provider would stream it. */
import { AbortedError } from "../errors.js";
import type { AssistantMessageBuilder, BlockStart, UsageCounts } from "../message/index.js";
import { unknownBlock } from "../request/index.js";
import type { Context } from "../types/context.js";
import type { AssistantBlock, AssistantMessage, Message, UserBlock } from "../types/message.js";
import type { StreamOptions } from "../types/options.js";
import { isFailure } from "../utils/message-facts.js";
import type { FauxContentBlock } from "./faux-message.js";

interface FauxPlan {
  response: AssistantMessage;
  usage: UsageCounts;
  builder: AssistantMessageBuilder;
  signal: AbortSignal | undefined;
  /** Returns the length of the next piece, in tokens of four characters. */
  nextSize: () => number;
  /** Waits before a piece of this many tokens. */
  pace: (tokens: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** Emits the blocks in pieces; the caller ends the message. Throws an `AbortedError` if the signal aborts. */
export async function playResponse(plan: FauxPlan): Promise<void> {
  const { response, builder, signal } = plan;
  if (signal?.aborted) throw new AbortedError();
  builder.response(response);
  builder.usage(plan.usage);
  builder.start();
  for (const [index, block] of response.content.entries()) await playBlock(index, block, plan);
  const { stopReason: reason, errorMessage = "", error } = response;
  if (error && isFailure(reason)) return void builder.fail({ reason, errorMessage, error });
  builder.stop(
    response.stopReason,
    response.errorMessage,
    response.error?.kind ?? (response.stopReason === "aborted" ? "aborted" : "unknown"),
  );
}

async function playBlock(index: number, block: FauxContentBlock, plan: FauxPlan): Promise<void> {
  const { builder } = plan;
  builder.open(index, startOf(block));
  for (const piece of cutText(textOf(block), plan.nextSize)) {
    await plan.pace(Math.ceil(piece.length / 4), plan.signal);
    if (plan.signal?.aborted) throw new AbortedError();
    builder.append(index, piece);
  }
  if (block.type === "serverTool") builder.patch(index, { ...block, input: undefined });
  builder.close(index);
  if (block.type === "text") for (const citation of block.citations ?? []) builder.cite(index, citation);
}

/** The block as it begins: arguments and inputs follow in pieces, and a result at the end. */
function startOf(block: FauxContentBlock): BlockStart {
  if (block.type === "toolCall" && block.arguments) return { ...block, arguments: undefined };
  if (block.type === "serverTool") return { type: "serverTool", id: block.id, name: block.name };
  return block;
}

function textOf(block: FauxContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return block.thinking;
    case "toolCall":
      return block.argumentsText ?? JSON.stringify(block.arguments ?? {});
    case "serverTool":
      return block.input ? JSON.stringify(block.input) : "";
    case "image":
    case "file":
    case "compaction":
      return "";
    default:
      throw unknownBlock(block);
  }
}

/** Splits a text into pieces of the given sizes, never inside a surrogate pair. */
function* cutText(text: string, nextSize: () => number): Generator<string> {
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + 4 * nextSize());
    const last = text.charCodeAt(to - 1);
    if (to < text.length && last >= 0xd800 && last <= 0xdbff) to++;
    yield text.slice(from, to);
    from = to;
  }
}

/** Estimates usage and simulates the provider's cache: each session remembers its last prompt. */
export class FauxUsageMeter {
  readonly #prompts = new Map<string, string>();

  measure(context: Context, options: StreamOptions, response: AssistantMessage): UsageCounts {
    const prompt = serializePrompt(context);
    const output = toTokens(response.content.map(serializeBlock).join(""));
    const { sessionId, cacheRetention } = options;
    if (!sessionId || cacheRetention === "none")
      return { input: toTokens(prompt), output, cacheRead: 0, cacheWrite: 0 };
    const cacheRead = toTokens(prompt.slice(0, sharedLength(prompt, this.#prompts.get(sessionId) ?? "")));
    this.#prompts.set(sessionId, prompt);
    return { input: 0, output, cacheRead, cacheWrite: Math.max(0, toTokens(prompt) - cacheRead) };
  }
}

function serializePrompt({ systemPrompt, messages, tools }: Context): string {
  const lines = messages.map((message) => `${message.role}:${serializeMessage(message)}`);
  if (systemPrompt) lines.unshift(`system:${systemPrompt}`);
  if (tools?.length) lines.push(`tools:${JSON.stringify(tools.map(({ cache: _mark, ...tool }) => tool))}`);
  return lines.join("\n\n");
}

function serializeMessage(message: Message): string {
  if (typeof message.content === "string") return message.content;
  const lines = message.content.map(serializeBlock);
  return (message.role === "toolResult" ? [message.toolName, ...lines] : lines).join("\n");
}

function serializeBlock(block: AssistantBlock | UserBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return block.thinking;
    case "image":
      return `[image:${block.mimeType}:${block.data.length}]`;
    case "file":
      return `[file:${block.mimeType}:${block.data?.length ?? 0}]`;
    case "compaction":
      return block.text ?? "";
    case "toolCall":
      return `${block.name}:${JSON.stringify(block.arguments)}`;
    case "serverTool":
      return `${block.name}:${JSON.stringify([block.input, block.output])}`;
    default:
      throw unknownBlock(block);
  }
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && length < other.length && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}

function toTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** Returns a generator of numbers from 0 to 1, 1 excluded (mulberry32). Not for security. */
export function createSeededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
