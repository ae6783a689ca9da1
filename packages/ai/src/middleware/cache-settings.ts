/** The settings of a request that cost the cache of its messages when they change. */
import { type CacheSetting, cacheSettingsOf } from "../catalogue/compat/index.js";
import { clampThinkingLevel } from "../catalogue/index.js";
import type { Context } from "../types/context.js";
import type { Model, ModelThinkingLevel } from "../types/model.js";
import type { SimpleStreamOptions } from "../types/options.js";
import { fileBlocksOf, isPicture } from "../utils/file-blocks.js";

/** Values as JSON by the name of the setting. */
export type CacheSettings = ReadonlyMap<CacheSetting, string>;

/** @param level the one at the beginning of the request: a change that the model takes in the list is none */
export function readSettings(
  model: Model,
  { messages }: Context,
  { level, options = {} }: { level: ModelThinkingLevel | undefined; options: SimpleStreamOptions | undefined },
): CacheSettings {
  const values: Record<CacheSetting, () => unknown> = {
    reasoning: () => clampThinkingLevel(model, level ?? "off"),
    toolChoice: () => options.toolChoice ?? "auto",
    outputFormat: () => options.outputFormat,
    verbosity: () => options.verbosity,
    serviceTier: () => options.serviceTier,
    images: () => messages.some((message) => fileBlocksOf(message).some(isPicture)),
  };
  return new Map(cacheSettingsOf(model).map((name) => [name, JSON.stringify(values[name]()) ?? ""]));
}

/** The first setting that differs. */
export function changedSetting(
  before: CacheSettings,
  after: CacheSettings,
): { name: CacheSetting; before: string | undefined; after: string } | undefined {
  for (const [name, value] of after)
    if (before.get(name) !== value) return { name, before: before.get(name) || undefined, after: value };
  return undefined;
}
