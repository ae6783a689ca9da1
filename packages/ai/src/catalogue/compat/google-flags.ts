/** The flags of a model at Google's api. */
import type { ModelThinkingLevel, ThinkingBudgets } from "../../types/model.js";

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
  /** Whether Google keeps a prompt that a request names (`cachedContents`); implicit caches are another thing. */
  hasExplicitCaches: boolean;
  /** The field for a tool's schema: for JSON Schema, or for OpenAPI schemas. */
  toolSchemaField: "parametersJsonSchema" | "parameters";
  /** The maximum bytes of all inline files and images in a request; undefined: unknown. */
  inlineBytes?: number;
}
