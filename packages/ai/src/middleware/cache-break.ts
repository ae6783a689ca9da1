/** Finds the first difference between two prompts, at which the second one stops using the provider's cache. */
import { type PlacedChanges, placeChanges } from "../request/changes/place-changes.js";
import type { Context, Tool } from "../types/context.js";
import type { Message, UserBlock } from "../types/message.js";
import type { Model } from "../types/model.js";
import type { SimpleStreamOptions } from "../types/options.js";
import { readParameters } from "../utils/library-schema.js";
import { type CacheSettings, changedSetting } from "./cache-settings.js";

/** The first difference between two prompts, in the order in which providers cache them. */
export interface CacheBreak {
  /** The part that differs: of the prompt, or a setting that costs the cache of the messages. */
  part: "tools" | "systemPrompt" | "settings" | "messages";
  /** The position of the first tool, character or message that differs; 0 for a setting. */
  index: number;
  /** The option that differs, such as `reasoning`; `images` if the conversation holds its first one, or none any more. */
  name?: string;
  /**
   * The beginning of the earlier tool or message as JSON, or of the rest of the earlier system prompt: at most 120
   * characters. Absent if it was added. The value of a setting as JSON.
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
  settings?: CacheSettings;
}

/** Takes linear time. */
export function toPrefix({ tools = [], systemPrompt = "", messages }: Context): Prefix {
  return { tools: tools.map(describeTool), systemPrompt, messages: messages.map(describeMessage) };
}

/** The context as the model gets it: a change that it takes in the list is none at the beginning. */
export function placeFor(model: Model, context: Context, options?: SimpleStreamOptions): PlacedChanges {
  return placeChanges(context, model, options?.reasoning ?? "off");
}

/**
 * Finds the first difference that keeps `after` from using the cached prompt of `before`. Undefined if `after` has the
 * same tools and system prompt and begins with all messages of `before`.
 *
 * @param model the model of both requests: changes that it takes in place do not count as a difference then
 */
export function findCacheBreak(before: Context, after: Context, model?: Model): CacheBreak | undefined {
  const read = (context: Context): Prefix => toPrefix(model ? placeFor(model, context).context : context);
  return comparePrefixes(read(before), read(after));
}

/** Like {@link findCacheBreak}, for prefixes. */
export function comparePrefixes(before: Prefix, after: Prefix): CacheBreak | undefined {
  return (
    compareLists("tools", before.tools, after.tools, true) ??
    compareTexts(before.systemPrompt, after.systemPrompt) ??
    compareSettings(before, after) ??
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

function compareSettings(before: Prefix, after: Prefix): CacheBreak | undefined {
  if (!before.settings || !after.settings) return undefined;
  const found = changedSetting(before.settings, after.settings);
  return found && { ...difference("settings", 0, found.before, found.after), name: found.name };
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
  loading: true,
  examples: true,
  namespace: true,
  callers: true,
  output: true,
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
  if (message.role === "system") return JSON.stringify({ ...message, timestamp: undefined, origin: undefined });
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
