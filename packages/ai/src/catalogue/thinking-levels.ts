/** Lists the thinking levels of a model and picks the nearest supported level. */

import { ConfigError } from "../errors.js";
import type { Model, ModelThinkingLevel, ThinkingLevelMap } from "../types/model.js";
import type { SimpleStreamOptions } from "../types/options.js";
import { nameValue } from "../utils/name-value.js";
import { nearestName } from "../utils/nearest-names.js";
import { factsOf } from "./compat/families.js";

/** All levels, from the weakest to the strongest. */
const LEVELS: readonly ModelThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

/**
 * Refuses a word that is not a level: a misspelt one would be a request without thinking.
 *
 * @throws ConfigError with the words that exist
 */
export function assertThinkingLevel(options: SimpleStreamOptions | undefined): void {
  // JavaScript callers may pass anything, and null for nothing.
  const { reasoning }: Readonly<Record<string, unknown>> = { ...options };
  if (reasoning === undefined || reasoning === null || isThinkingLevel(reasoning)) return;
  const near = typeof reasoning === "string" ? nearestName(reasoning, LEVELS) : undefined;
  const known = LEVELS.map((level) => JSON.stringify(level)).join(", ");
  throw new ConfigError(
    `The option reasoning has the level ${nameValue(reasoning)}. Write ${near === undefined ? "" : `"${near}": the levels are `}${known}.`,
  );
}

export function isThinkingLevel(value: unknown): value is ModelThinkingLevel {
  const levels: readonly unknown[] = LEVELS;
  return levels.includes(value);
}

/** Levels that few models support: only models whose map has an entry for them. */
const RARE_LEVELS: ReadonlySet<ModelThinkingLevel> = new Set(["xhigh", "max"]);

/** The fields of a model that determine its levels. Without a map, its id names its family, whose newest models have them. */
type ThinkingFacts = Pick<Model, "reasoning" | "thinkingLevelMap"> & Partial<Pick<Model, "id" | "name">>;

/** The model's own words for levels, else those of its family. */
export function levelMapOf({
  thinkingLevelMap,
  id,
  name,
}: Omit<ThinkingFacts, "reasoning">): ThinkingLevelMap | undefined {
  if (thinkingLevelMap !== undefined || id === undefined) return thinkingLevelMap;
  return factsOf({ id, ...(name !== undefined && { name }) }).levels;
}

/** A model's thinking levels, from the weakest to the strongest; only `"off"` for a model that cannot think. */
export function getSupportedThinkingLevels(model: ThinkingFacts): ModelThinkingLevel[] {
  if (!model.reasoning) return ["off"];
  const map = levelMapOf(model);
  return LEVELS.filter((level) => {
    const mapped = map?.[level];
    return mapped !== null && (mapped !== undefined || !RARE_LEVELS.has(level));
  });
}

/** The level itself if the model has it, else the next one above, else the next one below, else `"off"`. */
export function clampThinkingLevel(model: ThinkingFacts, level: ModelThinkingLevel): ModelThinkingLevel {
  const supported = getSupportedThinkingLevels(model);
  const wanted = LEVELS.indexOf(level);
  const above = supported.find((candidate) => LEVELS.indexOf(candidate) >= wanted);
  return above ?? supported.at(-1) ?? "off";
}
