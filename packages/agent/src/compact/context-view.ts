/** The conversation as requests see it after a compaction. */
import type { ToolResultMessage, UserBlock, UserMessage } from "pi-ai";
import type { AgentMessage } from "../types/message.js";
import { type CompactionMessage, isCompactionMessage } from "./compaction-message.js";

/** Shorter results are kept: a note would save nothing. */
const SHORT_RESULT = 200;

const KIND_NAMES = { image: "image", file: "file" } as const;

/** The messages of a request. They begin with the same messages at each turn, until the next compaction. */
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

const cleared = new WeakMap<AgentMessage, AgentMessage>();

/**
 * A message without what takes space: a tool result becomes a note, and so do images and files of the user. Responses stay
 * as they are, because their provider checks its own blocks, and so does a result in a provider's own format.
 */
export function clearMessage(message: AgentMessage): AgentMessage {
  const known = cleared.get(message);
  if (known) return known;
  const shorter = shorten(message);
  cleared.set(message, shorter);
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
