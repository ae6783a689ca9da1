/** Finds the first difference between two prompts, at which the second one stops using the provider's cache. */

import { readParameters } from "../../request/validation/index.js";
import type { Context, Tool } from "../../types/context.js";
import type { Message, UserBlock } from "../../types/message.js";

/** The first difference between two prompts, in the order in which providers cache them. */
export interface CacheBreak {
  /** The part of the prompt that differs. */
  part: "tools" | "systemPrompt" | "messages";
  /** The position of the first tool, character or message that differs. */
  index: number;
  /**
   * The beginning of the earlier tool or message as JSON, or of the rest of the earlier system prompt: at most 120
   * characters. Absent if it was added.
   */
  before?: string;
  /** The same of the later prompt. Absent if it was removed. */
  after?: string;
}

/** The most characters of `before` and `after`. */
const EXCERPT = 120;

/** A prompt as texts. Kept instead of the context, because the application may change the context in place. */
export interface Prefix {
  tools: readonly string[];
  systemPrompt: string;
  messages: readonly string[];
}

/** Takes linear time. */
export function toPrefix({ tools = [], systemPrompt = "", messages }: Context): Prefix {
  return { tools: tools.map(describeTool), systemPrompt, messages: messages.map(describeMessage) };
}

/**
 * Finds the first difference that keeps `after` from using the cached prompt of `before`. Undefined if `after` has the
 * same tools and system prompt and begins with all messages of `before`.
 */
export function findCacheBreak(before: Context, after: Context): CacheBreak | undefined {
  return comparePrefixes(toPrefix(before), toPrefix(after));
}

/** Like {@link findCacheBreak}, for prefixes. */
export function comparePrefixes(before: Prefix, after: Prefix): CacheBreak | undefined {
  return (
    compareLists("tools", before.tools, after.tools, true) ??
    compareTexts(before.systemPrompt, after.systemPrompt) ??
    compareLists("messages", before.messages, after.messages, false)
  );
}

function compareLists(
  part: "tools" | "messages",
  before: readonly string[],
  after: readonly string[],
  sameLength: boolean,
): CacheBreak | undefined {
  const length = sameLength ? Math.max(before.length, after.length) : before.length;
  for (let index = 0; index < length; index++)
    if (before[index] !== after[index]) return difference(part, index, before[index], after[index]);
  return undefined;
}

function compareTexts(before: string, after: string): CacheBreak | undefined {
  if (before === after) return undefined;
  let index = 0;
  while (index < before.length && before[index] === after[index]) index++;
  return difference("systemPrompt", index, before.slice(index) || undefined, after.slice(index) || undefined);
}

function difference(part: CacheBreak["part"], index: number, before?: string, after?: string): CacheBreak {
  return {
    part,
    index,
    ...(before !== undefined && { before: before.slice(0, EXCERPT) }),
    ...(after !== undefined && { after: after.slice(0, EXCERPT) }),
  };
}

/** Whether a field of a tool is part of the prompt. The tools of an agent have more fields, which are not. */
const IN_PROMPT: Readonly<Record<keyof Tool, boolean>> = {
  name: true,
  description: true,
  parameters: true,
  strict: true,
  server: true,
  cache: false,
  once: false,
};
const PROMPT_FIELDS: readonly string[] = Object.keys(IN_PROMPT).filter((name) => Reflect.get(IN_PROMPT, name));

function describeTool(tool: Tool): string {
  const fields = PROMPT_FIELDS.map((name) => [name, Reflect.get(tool, name)]);
  return JSON.stringify({ ...Object.fromEntries(fields), parameters: readParameters(tool) });
}

/** Leaves out cache marks and fields that are not sent, such as times, usage, and details for the host. */
function describeMessage(message: Message): string {
  if (message.role === "assistant") return JSON.stringify({ role: message.role, content: message.content });
  const { role } = message;
  const content = Array.isArray(message.content) ? message.content.map(withoutMark) : message.content;
  if (message.role === "user") return JSON.stringify({ role, content });
  const { toolCallId, output, isError } = message;
  return JSON.stringify({ role, toolCallId, content, output, isError });
}

function withoutMark(block: UserBlock): UserBlock {
  if (!block?.cache) return block;
  const { cache: _mark, ...rest } = block;
  return rest;
}
