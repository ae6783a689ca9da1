/** Compatibility flags of the Mistral API: how a request turns on thinking. */
import type { MistralConversationsCompat } from "../../types/compat.js";
import type { Model } from "../../types/model.js";
import { type CompatRow, resolveFlags } from "./match.js";

export type MistralFlags = Required<MistralConversationsCompat>;

const DEFAULTS: MistralFlags = { reasoningControl: "mode" };

/** Models with adjustable reasoning (docs.mistral.ai, "Reasoning", 2026-11); the older ones only have a mode. */
const ROWS: readonly CompatRow<Partial<MistralFlags>>[] = [
  {
    when: { ids: ["mistral-small-2603", "mistral-small-latest", "mistral-medium-3.5", "mistral-medium-3-5"] },
    flags: { reasoningControl: "effort" },
  },
];

/** A model with named thinking levels accepts an effort, regardless of its id. */
export function resolveMistralFlags(model: Model): MistralFlags {
  const hasWords = Object.values(model.thinkingLevelMap ?? {}).some((word) => typeof word === "string");
  return resolveFlags(model, hasWords ? { reasoningControl: "effort" } : DEFAULTS, ROWS);
}
