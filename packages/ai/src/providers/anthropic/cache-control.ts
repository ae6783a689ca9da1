/** Puts the cache marks on the blocks of a request. */
import type { AnthropicFlags } from "../../catalogue/compat/index.js";
import type { RequestNote } from "../../transport/index.js";
import { type CacheControl, type CacheMark, chooseCacheMarks, endsOfRequests, toCacheControl } from "../cache-marks.js";
import type { AnthropicOptions } from "./options.js";

interface Prompt {
  tools: readonly WireBlock[];
  system: readonly WireBlock[];
  messages: readonly WireMessage[];
}

/** Mutates the blocks. Blocks that the application marked already carry `cache_control`. */
export function markForCache(
  { tools, system, messages }: Prompt,
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
  const places = [
    ...endsOfRequests(messages, first),
    ...(system.length > 0 ? [first - 1] : []),
    ...(tools.length > 0 && flags.supportsCacheControlOnTools ? [tools.length - 1] : []),
  ];
  const defaults = places.map((at): CacheMark => ({ at, long: cacheRetention === "long" }));
  const { marks, notes } = chooseCacheMarks(requested, defaults);
  for (const { at, long } of marks) {
    const block = blocks[at];
    if (block) block.cache_control = toCacheControl(long && flags.supportsLongCacheRetention);
  }
  return notes;
}

// Messages of the Anthropic Messages API, in a request.

export interface WireBlock {
  type: string;
  cache_control?: CacheControl;
  [field: string]: unknown;
}

export interface WireMessage {
  role: "user" | "assistant";
  content: WireBlock[];
}
