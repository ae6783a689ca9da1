/** Two values of each flag of the Responses API that must make a difference. */
import type { OpenAIResponsesCompat } from "pi-ai";
import { type FlagTable, ON_OFF } from "../api-tests.js";

export const responsesFlags: FlagTable<OpenAIResponsesCompat> = {
  sendSessionIdHeader: ON_OFF,
  sessionAffinityFormat: { values: ["openai", "openrouter"] },
  supportsLongCacheRetention: ON_OFF,
  supportsDeveloperRole: ON_OFF,
  supportsStrictMode: ON_OFF,
  supportsMaxOutputTokens: ON_OFF,
  requiresAlternatingRoles: ON_OFF,
  supportsJsonSchema: ON_OFF,
};
