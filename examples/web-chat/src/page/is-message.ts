/** Checks what was stored: another version of the page, or another page, may have written it. */
import type { AgentMessage } from "pi-agent";

type Check = (value: Fields) => boolean;
type Fields = Readonly<Record<string, unknown>>;

const text =
  (...names: string[]): Check =>
  (value) =>
    names.every((name) => typeof value[name] === "string");

const BLOCKS: Readonly<Record<string, Check>> = {
  text: text("text"),
  image: text("data", "mimeType"),
  thinking: text("thinking"),
  toolCall: (block) => text("id", "name")(block) && isFields(block["arguments"]),
};

const MESSAGES: Readonly<Record<string, Check>> = {
  user: ({ content }) => typeof content === "string" || hasBlocks(content, ["text", "image"]),
  assistant: (message) =>
    text("stopReason")(message) && hasUsage(message) && hasBlocks(message["content"], ["text", "thinking", "toolCall"]),
  toolResult: (message) => text("toolCallId", "toolName")(message) && hasBlocks(message["content"], ["text", "image"]),
};

export function isMessage(value: unknown): value is AgentMessage {
  if (!isFields(value) || typeof value["role"] !== "string" || typeof value["timestamp"] !== "number") return false;
  return Object.hasOwn(MESSAGES, value["role"]) && MESSAGES[value["role"]]?.(value) === true;
}

function hasBlocks(value: unknown, types: readonly string[]): boolean {
  return Array.isArray(value) && value.every((block) => isBlock(block, types));
}

function isBlock(value: unknown, types: readonly string[]): boolean {
  if (!isFields(value)) return false;
  const { type } = value;
  return typeof type === "string" && types.includes(type) && BLOCKS[type]?.(value) === true;
}

function hasUsage({ usage }: Fields): boolean {
  if (!isFields(usage) || !isFields(usage["cost"])) return false;
  return typeof usage["totalTokens"] === "number" && typeof usage["cost"]["total"] === "number";
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
