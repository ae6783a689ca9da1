/** Puts the cache marks on the blocks of an Anthropic request. */
import type { AnthropicFlags } from "../../catalogue/compat/index.js";
import type { RequestNote } from "../../transport/index.js";
import { type CacheMark, chooseCacheMarks, endsOfRequests, toCacheControl } from "../cache-marks.js";
import type { AnthropicOptions } from "./options.js";
import type { WireBlock, WireMessage } from "./wire-message.js";

interface Prompt {
  tools: readonly WireBlock[];
  system: readonly WireBlock[];
  messages: readonly WireMessage[];
  /** How many messages the previous request to this model had, if others have answered since. */
  previous?: number | undefined;
}

/** Mutates the blocks. Blocks that the application marked already carry `cache_control`. */
export function markForCache(
  { tools, system, messages, previous }: Prompt,
  { cacheRetention }: Pick<AnthropicOptions, "cacheRetention">,
  flags: Pick<AnthropicFlags, "supportsLongCacheRetention" | "supportsCacheControlOnTools">,
): RequestNote[] {
  const blocks = [...tools, ...system];
  for (const { content } of messages) for (const block of content) blocks.push(block);
  const requested: CacheMark[] = [];
  for (const [at, { cache_control: control }] of blocks.entries())
    if (control) requested.push({ at, long: control.ttl !== undefined });
  for (const { at } of requested) delete blocks[at]?.cache_control;
  if (cacheRetention === "none") return [];
  const first = tools.length + system.length;
  // A deferred tool is not a part of the prompt, and the api refuses a mark on it (platform.claude.com, "Tool search tool", 2026-11).
  const read = tools.findLastIndex((tool) => !("defer_loading" in tool));
  const places = [
    ...endsOfRequests(messages, first, previous),
    ...(system.length > 0 ? [first - 1] : []),
    ...(read >= 0 && flags.supportsCacheControlOnTools ? [read] : []),
  ];
  const defaults = places.map((at): CacheMark => ({ at, long: cacheRetention === "long" }));
  const { marks, notes } = chooseCacheMarks(requested, defaults);
  for (const { at, long } of marks) {
    const block = blocks[at];
    if (block) block.cache_control = toCacheControl(long && flags.supportsLongCacheRetention);
  }
  return notes;
}
