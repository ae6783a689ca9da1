/** Lists the thinking levels of a model and picks the nearest supported level. */

import type { Model, ModelThinkingLevel, ThinkingLevelMap } from "../types/model.js";
import { factsOf } from "./compat/families.js";

/** All levels, from the weakest to the strongest. */
const LEVELS: readonly ModelThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

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
