/** Adds Anthropic's cache markers to a chat body, for routers that pass them through. */
import type { CompletionsFlags } from "../../catalogue/compat/index.js";
import type { RequestNote } from "../../transport/index.js";
import type { StreamOptions } from "../../types/options.js";
import { isRecord } from "../../utils/is-object.js";
import { type CacheMark, chooseCacheMarks, isNear, toCacheControl } from "../cache-marks.js";
import type { WireMessage } from "./messages.js";
import type { WirePart } from "./parts.js";

type Fields = Record<string, unknown>;

/** The roles whose messages can be marked as the end of a request. */
const MARKED_ROLES = ["user", "assistant"];

/** The prompt, block by block. */
interface Blocks {
  /**
   * For each block, a function that returns the tool or the part to mark; undefined for a tool call. Calling it turns
   * the content of the message into a list of parts.
   */
  targets: (() => Fields | undefined)[];
  /** The marks that the application set. They are removed from the tools and the parts. */
  requested: CacheMark[];
  /** The position of the last text of each message. */
  texts: (number | undefined)[];
}

interface MarkedPrompt {
  messages: readonly WireMessage[];
  tools: readonly Fields[];
  /** How many messages the previous request to this model had, if others have answered since. */
  previous: number | undefined;
}

/**
 * Marks the system prompt, the last tool, the last user or assistant message, and the last such message of the previous
 * request if it is far away. Tool results are not marked: OpenRouter is known to hang on them. Mutates the body.
 */
export function markForCache(
  { messages, tools, previous }: MarkedPrompt,
  { cacheRetention }: Pick<StreamOptions, "cacheRetention">,
  { supportsLongCacheRetention }: CompletionsFlags,
): RequestNote[] {
  const { targets, requested, texts } = readBlocks(messages, tools);
  const lastText = (roles: readonly string[], before: number): number => {
    return texts.findLastIndex((at, index) => {
      return at !== undefined && index < before && roles.includes(messages[index]?.role ?? "");
    });
  };
  const last = lastText(MARKED_ROLES, messages.length);
  const response = previous ?? messages.findLastIndex(({ role }) => role === "assistant");
  const end = texts[last] ?? 0;
  // The previous request ended before the last response or, if it failed, after it.
  const earlier = [
    lastText(MARKED_ROLES, response),
    lastText(MARKED_ROLES, last),
    // See `endsOfRequests`: a Claude may leave out the thinking that came after it.
    lastText(["user"], response),
  ].flatMap((index) => texts[index] ?? []);
  const places = [
    texts[last],
    ...earlier.filter((at) => !isNear(at, end)),
    texts[lastText(["system", "developer"], 1)],
    tools.length > 0 ? tools.length - 1 : undefined,
  ];
  const long = cacheRetention === "long";
  const { marks, notes } = chooseCacheMarks(
    requested,
    places.flatMap((at) => (at === undefined ? [] : [{ at, long }])),
  );
  for (const mark of marks) {
    const target = targets[mark.at]?.();
    if (target) target["cache_control"] = toCacheControl(mark.long && supportsLongCacheRetention === true);
  }
  return notes;
}

function readBlocks(messages: readonly WireMessage[], tools: readonly Fields[]): Blocks {
  const targets: Blocks["targets"] = tools.map((tool) => () => tool);
  const requested: CacheMark[] = [];
  const takeMark = (block: Fields, at: number): void => {
    const marker = block["cache_control"];
    if (isRecord(marker)) requested.push({ at, long: "ttl" in marker });
    delete block["cache_control"];
  };
  for (const [at, tool] of tools.entries()) takeMark(tool, at);
  const texts = messages.map((message) => {
    const parts = partsOf(message);
    const first = targets.length;
    for (const [index, part] of parts.entries()) {
      takeMark(part, first + index);
      targets.push(() => {
        message.content = parts;
        return part;
      });
    }
    const { tool_calls: calls } = message;
    if (Array.isArray(calls)) targets.push(...calls.map(() => () => undefined));
    const text = parts.findLastIndex((part) => part.type === "text");
    return text === -1 ? undefined : first + text;
  });
  return { targets, requested, texts };
}

function partsOf({ content }: WireMessage): WirePart[] {
  if (typeof content !== "string") return content ?? [];
  return content === "" ? [] : [{ type: "text", text: content }];
}
