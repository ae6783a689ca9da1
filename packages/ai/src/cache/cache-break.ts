/** Finds why a request cannot use what an earlier one has put into the provider's cache. */
import type { Context, Tool } from "../types/context.js";
import type { Message, UserBlock } from "../types/message.js";
import { readParameters } from "../validation/library-schema.js";

/** The first difference between the beginnings of two requests, in the order in which providers cache them. */
export interface CacheBreak {
  /** What differs. */
  part: "tools" | "systemPrompt" | "messages";
  /** The position of the first tool, character or message that differs. */
  index: number;
  /** The beginning of what was there before, as JSON; absent if nothing was. */
  before?: string;
  /** The beginning of what is there now, as JSON; absent if nothing is. */
  after?: string;
}

/** Longest text of a difference, in characters. */
const EXCERPT = 120;

/** What requests send, as text. Kept instead of the context, because an application may change it in place. */
export interface Prefix {
  tools: readonly string[];
  systemPrompt: string;
  messages: readonly string[];
}

/** Takes linear time in the size of the context. */
export function toPrefix({ tools = [], systemPrompt = "", messages }: Context): Prefix {
  return { tools: tools.map(describeTool), systemPrompt, messages: messages.map(describeMessage) };
}

/**
 * The first difference that keeps `after` from using the cached prompt of `before`. Undefined if `after` begins with all of
 * `before`, so that only new messages follow.
 */
export function findCacheBreak(before: Context, after: Context): CacheBreak | undefined {
  return comparePrefixes(toPrefix(before), toPrefix(after));
}

/** The same for prefixes. */
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

/** Whether a field of a tool is a part of the prompt. Tools of an agent have further fields, which are not. */
const IN_PROMPT: Readonly<Record<keyof Tool, boolean>> = {
  name: true,
  description: true,
  parameters: true,
  strict: true,
  server: true,
  cache: false,
};
const PROMPT_FIELDS: readonly string[] = Object.keys(IN_PROMPT).filter((name) => Reflect.get(IN_PROMPT, name));

function describeTool(tool: Tool): string {
  const fields = PROMPT_FIELDS.map((name) => [name, Reflect.get(tool, name)]);
  return JSON.stringify({ ...Object.fromEntries(fields), parameters: readParameters(tool) });
}

/** Leaves out the fields that are not sent (times, usage, details for the host), and marks for the cache. */
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
