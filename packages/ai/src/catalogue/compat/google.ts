/** Compatibility flags of Google's models: thinking settings and supported content. */
import type { Model, ModelThinkingLevel } from "../../types/model.js";
import { familyOf } from "./families.js";
import type { GoogleFlags } from "./google-flags.js";
import { type CompatRow, resolveFlags } from "./match.js";

const DEFAULTS: GoogleFlags = {
  thinkingLevels: {},
  thinkingBudgets: {},
  offBudget: 0,
  sendsCallIds: false,
  imagesInFunctionResponse: true,
  requiresCallSignature: false,
  hasExplicitCaches: true,
  toolSchemaField: "parametersJsonSchema",
};

/** Flags of servers of Google's api, and of models of other vendors there. */
export const GOOGLE_ROWS: readonly CompatRow<Partial<GoogleFlags>>[] = [
  // ai.google.dev, "File input methods", 2026-11.
  { when: { providers: ["google"] }, flags: { inlineBytes: 100 * 1024 * 1024 } },
  { when: { ids: ["claude-", "gpt-oss-"] }, flags: { sendsCallIds: true } },
  { when: { ids: ["claude-"] }, flags: { toolSchemaField: "parameters" } },
];

export function resolveGoogleFlags(model: Model): GoogleFlags {
  return resolveFlags(model, { ...DEFAULTS, ...familyOf(model)?.google }, GOOGLE_ROWS);
}

/** The name of a thinking level; undefined for a model with a thinking budget. */
export function thinkingWord(model: Model, flags: GoogleFlags, level: ModelThinkingLevel): string | undefined {
  return model.thinkingLevelMap?.[level]?.toUpperCase() ?? flags.thinkingLevels[level];
}
