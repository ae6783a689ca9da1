/** Checks stored messages, which another version of the page or another page may have written. */
import type { AgentMessage } from "pi-agent";

type Check = (value: Fields) => boolean;
type Fields = Readonly<Record<string, unknown>>;

const text =
  (...names: string[]): Check =>
  (value) =>
    names.every((name) => typeof value[name] === "string");

const BLOCKS: Readonly<Record<string, Check>> = {
  text: (block) => text("text")(block) && isCitationList(block["citations"]),
  image: text("data", "mimeType"),
  thinking: text("thinking"),
  serverTool: (block) => text("id", "name", "status")(block) && isMaybe(isFields)(block["input"]),
  file: (block) => text("mimeType")(block) && ["name", "url", "fileId"].every((name) => isMaybe(isText)(block[name])),
  compaction: (block) => isMaybe(isText)(block["text"]),
  toolCall: (block) => text("id", "name")(block) && isFields(block["arguments"]),
};

/** The blocks of users and tools. */
const SENT = ["text", "image", "file"];

const MESSAGES: Readonly<Record<string, Check>> = {
  user: ({ content }) => typeof content === "string" || hasBlocks(content, SENT),
  assistant: (message) =>
    text("stopReason")(message) && hasUsage(message) && hasBlocks(message["content"], Object.keys(BLOCKS)),
  toolResult: (message) => text("toolCallId", "toolName")(message) && hasBlocks(message["content"], SENT),
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

function isCitationList(value: unknown): boolean {
  if (value === undefined) return true;
  const hasTexts = (citation: Fields): boolean =>
    ["url", "title", "source"].every((name) => isMaybe(isText)(citation[name]));
  return Array.isArray(value) && value.every((citation) => isFields(citation) && hasTexts(citation));
}

function isMaybe(check: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === undefined || check(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function hasUsage({ usage }: Fields): boolean {
  if (!isFields(usage) || !isFields(usage["cost"])) return false;
  return typeof usage["totalTokens"] === "number" && typeof usage["cost"]["total"] === "number";
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
