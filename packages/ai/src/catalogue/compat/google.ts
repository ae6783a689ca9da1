/** Compatibility flags of Google's models: thinking settings and supported content. */
import type { Model, ModelThinkingLevel, ThinkingBudgets } from "../../types/model.js";
import { type CompatRow, resolveFlags } from "./match.js";

export interface GoogleFlags {
  /** The family's names for thinking levels, for models whose own map has none. `off` is the lowest level. */
  thinkingLevels: Partial<Record<ModelThinkingLevel, string>>;
  /** Thinking budgets in tokens. For a missing level the model chooses the budget. */
  thinkingBudgets: ThinkingBudgets;
  /** The budget that means no thinking, or the smallest one of a model that always thinks. */
  offBudget: number;
  /** Send tool call ids; Gemini pairs tool calls and results by name and order. */
  sendsCallIds: boolean;
  /** Whether a tool result can hold images; if not, they follow in a user turn. */
  imagesInFunctionResponse: boolean;
  /** The model rejects tool calls without a signature. */
  requiresCallSignature: boolean;
  /** The field for a tool's schema: for JSON Schema, or for OpenAPI schemas. */
  toolSchemaField: "parametersJsonSchema" | "parameters";
  /** The maximum bytes of all inline files and images in a request; undefined: unknown. */
  inlineBytes?: number;
}

const DEFAULTS: GoogleFlags = {
  thinkingLevels: {},
  thinkingBudgets: {},
  offBudget: 0,
  sendsCallIds: false,
  imagesInFunctionResponse: true,
  requiresCallSignature: false,
  toolSchemaField: "parametersJsonSchema",
};

/** Levels and budgets: ai.google.dev, "Gemini thinking", 2026-11. */
const ROWS: readonly CompatRow<Partial<GoogleFlags>>[] = [
  // ai.google.dev, "File input methods", 2026-11.
  { when: { providers: ["google"] }, flags: { inlineBytes: 100 * 1024 * 1024 } },
  { when: { ids: ["gemini-1.", "gemini-1-", "gemini-2.", "gemini-2-"] }, flags: { imagesInFunctionResponse: false } },
  {
    when: { ids: ["gemini-2.5-flash"] },
    flags: { thinkingBudgets: { minimal: 128, low: 2048, medium: 8192, high: 24576 } },
  },
  {
    when: { ids: ["gemini-2.5-flash-lite"] },
    flags: { thinkingBudgets: { minimal: 512, low: 2048, medium: 8192, high: 24576 } },
  },
  {
    // Its thinking cannot be disabled, and it rejects a smaller budget.
    when: { ids: ["gemini-2.5-pro"] },
    flags: { thinkingBudgets: { minimal: 128, low: 2048, medium: 8192, high: 32768 }, offBudget: 128 },
  },
  {
    // ai.google.dev, "Thought signatures", 2026-11.
    when: { ids: ["gemini-3", "gemini-4", "gemini-pro-latest", "gemini-flash-latest", "gemini-flash-lite-latest"] },
    flags: { requiresCallSignature: true },
  },
  {
    when: { ids: ["gemini-3"] },
    flags: { thinkingLevels: { off: "MINIMAL", minimal: "MINIMAL", low: "LOW", medium: "MEDIUM", high: "HIGH" } },
  },
  {
    when: { ids: ["gemini-3-pro", "gemini-3.1-pro", "gemini-3.5-pro"] },
    flags: { thinkingLevels: { off: "LOW", minimal: "LOW", low: "LOW", medium: "HIGH", high: "HIGH" } },
  },
  {
    when: { ids: ["gemma-4", "gemma4"] },
    flags: { thinkingLevels: { off: "MINIMAL", minimal: "MINIMAL", low: "MINIMAL", medium: "HIGH", high: "HIGH" } },
  },
  { when: { ids: ["claude-", "gpt-oss-"] }, flags: { sendsCallIds: true } },
  { when: { ids: ["claude-"] }, flags: { toolSchemaField: "parameters" } },
];

export function resolveGoogleFlags(model: Model): GoogleFlags {
  return resolveFlags(model, DEFAULTS, ROWS);
}

/** The name of a thinking level; undefined for a model with a thinking budget. */
export function thinkingWord(model: Model, flags: GoogleFlags, level: ModelThinkingLevel): string | undefined {
  return model.thinkingLevelMap?.[level]?.toUpperCase() ?? flags.thinkingLevels[level];
}
