/** What a faux answer would have used: four characters are a token. */
import type { UsageCounts } from "../assemble/message-sink.js";
import type { Context } from "../types/context.js";
import type { AssistantMessage, Message } from "../types/message.js";
import type { StreamOptions } from "../types/options.js";

/** Estimates usage, and plays the provider's cache: each session remembers its last prompt. */
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
  if (tools?.length) lines.push(`tools:${JSON.stringify(tools)}`);
  return lines.join("\n\n");
}

function serializeMessage(message: Message): string {
  if (typeof message.content === "string") return message.content;
  return message.content.map(serializeBlock).join("\n");
}

function serializeBlock(block: Exclude<Message["content"], string>[number]): string {
  if (block.type === "text") return block.text;
  if (block.type === "thinking") return block.thinking;
  if (block.type === "image") return `[image:${block.mimeType}:${block.data.length}]`;
  return `${block.name}:${JSON.stringify(block.arguments)}`;
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && length < other.length && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}

function toTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
