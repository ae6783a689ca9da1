/** Options of Google's generateContent, and simple options in its terms. */
import { resolveGoogleFlags, thinkingWord } from "../../catalogue/compat/index.js";
import { clampThinkingLevel } from "../../catalogue/index.js";
import type { GoogleClient } from "../../transport/sdk/google.js";
import type { Model } from "../../types/model.js";
import type { SimpleStreamOptions, StreamOptions } from "../../types/options.js";
import { sharedOptions } from "../simple-options.js";
import { budgetStep } from "../thinking.js";

/** Google's own thinking levels (types of @google/genai 3.3.0, 2026-11). */
export type GoogleThinkingLevel = "THINKING_LEVEL_UNSPECIFIED" | "MINIMAL" | "LOW" | "MEDIUM" | "HIGH" | "XHIGH";

/** Thinking settings of a Google model. */
export interface GoogleThinking {
  /** False requests the least thinking that the model supports. */
  enabled: boolean;
  /** Tokens, on models that take a budget: 0 = none, -1 = the model decides. */
  budgetTokens?: number | undefined;
  /** On models that take a level. */
  level?: GoogleThinkingLevel | (string & {}) | undefined;
}

/** Options of Google's generateContent. */
export interface GoogleOptions extends StreamOptions {
  /** A mode, or a whole `functionCallingConfig`. */
  toolChoice?: "auto" | "none" | "any" | (object & {}) | (string & {}) | undefined;
  /** Default: the request has no thinking fields. */
  thinking?: GoogleThinking | undefined;
  /** A client of `@google/genai` 3.1 or later, whose address and credentials the request takes. It is sent through `fetch`, not by the client. */
  client?: GoogleClient | undefined;
}

/** A budget that the model chooses itself. */
const DYNAMIC_BUDGET = -1;

export function simpleGoogleOptions(model: Model, options: SimpleStreamOptions): GoogleOptions {
  return {
    ...sharedOptions(options),
    ...toolChoiceOption(options),
    thinking: simpleThinking(model, options),
  };
}

function simpleThinking(model: Model, options: SimpleStreamOptions): GoogleThinking {
  const level = options.reasoning && clampThinkingLevel(model, options.reasoning);
  if (!level || level === "off") return { enabled: false };
  const flags = resolveGoogleFlags(model);
  const word = thinkingWord(model, flags, level);
  if (word) return { enabled: true, level: word };
  const step = budgetStep(level);
  const budget = options.thinkingBudgets?.[step] ?? flags.thinkingBudgets[step] ?? DYNAMIC_BUDGET;
  const { maxTokens = budget } = options;
  // Thoughts count as output. The API rejects a budget below the family's minimum.
  const limit = Math.max(maxTokens, flags.thinkingBudgets.minimal ?? 0);
  return { enabled: true, budgetTokens: Math.min(budget, limit) };
}

function toolChoiceOption({ toolChoice }: SimpleStreamOptions): GoogleOptions {
  if (toolChoice === undefined) return {};
  return { toolChoice: toolChoice === "required" ? "any" : toolChoice };
}
