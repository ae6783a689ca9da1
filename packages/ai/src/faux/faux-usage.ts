/** Estimates the usage of a faux response: four characters count as one token. */
import type { UsageCounts } from "../assemble/message-sink.js";
import { unknownBlock } from "../handoff/unknown-block.js";
import type { Context } from "../types/context.js";
import type { AssistantBlock, AssistantMessage, Message, UserBlock } from "../types/message.js";
import type { StreamOptions } from "../types/options.js";

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
