/**
 * The facts about each family of models: what a model itself demands, refuses or offers wherever it runs. What a host
 * changes stands in the host's row (`hosts.ts`), and a test refuses a fact that stands in both.
 *
 * The rows stand in `families/`, by vendor. Those of a family go from old to new. Rows for older models end with a version
 * or name single models; the last one has no end, so that a model that is not known yet is treated as the newest. A comment
 * names the source and the date of the row below it; `owner/repository#number` is a thread on github.com.
 */
import type { Model } from "../../types/model.js";
import { CLAUDE } from "./families/claude.js";
import { GOOGLE } from "./families/google.js";
import { OPENAI } from "./families/openai.js";
import { OTHERS } from "./families/others.js";
import { type FamilyRow, findFamilyRow, type ModelFacts } from "./family.js";

/** The first row that fits counts: a Qwen that DeepSeek has distilled is one of DeepSeek. */
export const FAMILIES: readonly FamilyRow[] = [...CLAUDE, ...OPENAI, ...GOOGLE, ...OTHERS];

/** The row of a model; undefined if it belongs to no known family. */
export function familyOf(model: Pick<Model, "id"> & { name?: string }): FamilyRow | undefined {
  return findFamilyRow(FAMILIES, model);
}

/** The facts of a model's family; none for a model that belongs to no known family. */
export function factsOf(model: Pick<Model, "id"> & { name?: string }): ModelFacts {
  return familyOf(model)?.facts ?? {};
}

/**
 * Whether the model binds its thinking to everything before it. If the system prompt, the tools or an earlier message
 * change, the provider drops the thinking that follows, or rejects the request.
 */
export function bindsThinking(model: Pick<Model, "id" | "name">): boolean {
  return factsOf(model).bindsThinking === true;
}
