/** Builds the conversation that requests contain after a compaction. */
import type { ToolResultMessage, UserBlock, UserMessage } from "pi-ai";
import type { AgentMessage } from "../types/message.js";
import { type CompactionMessage, isCompactionMessage } from "./compaction-message.js";

/** Up to this many characters a result is kept, because a note would hardly be shorter. */
const SHORT_RESULT = 200;

/** A record, so that a new kind of block fails to compile here. */
const KIND_NAMES = { image: "image", file: "file" } as const;

/** Returns the messages of a request. Until the next compaction, each request begins with all messages of the one before. */
export function buildView(messages: readonly AgentMessage[], record?: CompactionMessage): AgentMessage[] {
  if (!record) return messages.filter((message) => !isCompactionMessage(message));
  const { replaced, cleared, summary } = record.compaction;
  const start = summary === undefined ? 0 : replaced;
  const view = messages.slice(0, start).filter(isInstructions);
  if (summary !== undefined) view.push(record);
  for (let position = start; position < messages.length; position++) {
    const message = messages[position];
    if (!message || isCompactionMessage(message)) continue;
    view.push(position < cleared ? clearMessage(message) : message);
  }
  return view;
}

/**
 * Whether a message holds instructions, as the histories of other libraries do. The agent adds its text to the system
 * prompt, so it stays in every request.
 */
export function isInstructions({ role }: { role: string }): boolean {
  return role === "system" || role === "developer";
}

/** The cleared form of messages, so that each request has the same object, whose estimate is known. */
const clearedMessages = new WeakMap<AgentMessage, AgentMessage>();

/**
 * Returns a message without its large parts: notes replace a tool result, and the images and files of a user message.
 * Responses stay as they are, because their provider checks its own blocks. So does a result in a provider's own format.
 */
export function clearMessage(message: AgentMessage): AgentMessage {
  const known = clearedMessages.get(message);
  if (known) return known;
  const shorter = shorten(message);
  clearedMessages.set(message, shorter);
  return shorter;
}

function shorten(message: AgentMessage): AgentMessage {
  if (message.role === "toolResult") return shortenResult(message);
  if (message.role !== "user" || typeof message.content === "string" || !Array.isArray(message.content)) return message;
  return message.content.some((block) => block.type !== "text") ? withoutFiles(message, message.content) : message;
}

function shortenResult(message: ToolResultMessage): ToolResultMessage {
  const { content, output } = message;
  if (output !== undefined || !Array.isArray(content)) return message;
  const length = content.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0);
  const others = content.filter((block) => block.type !== "text");
  if (length <= SHORT_RESULT && others.length === 0) return message;
  const names = [`${length} characters`, ...others.map((block) => noteOf(block))];
  return { ...message, content: [{ type: "text", text: `(old tool result removed: ${names.join(", ")})` }] };
}

function withoutFiles(message: UserMessage, blocks: readonly UserBlock[]): UserMessage {
  const content = blocks.map((block): UserBlock => {
    return block.type === "text" ? block : { type: "text", text: `(old ${noteOf(block)} removed)` };
  });
  return { ...message, content };
}

/** Names an image or a file. */
export function noteOf(block: UserBlock): string {
  if (block.type === "text") return "text";
  const name = block.type === "file" && block.name ? ` ${block.name}` : "";
  return `${KIND_NAMES[block.type]}${name} (${block.mimeType})`;
}
