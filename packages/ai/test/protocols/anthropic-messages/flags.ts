/** Two values of each flag of the Anthropic Messages API that must make a difference. */
import type { AnthropicMessagesCompat } from "pi-ai";
import { type FlagTable, ON_OFF } from "../api-tests.js";

export const anthropicFlags: FlagTable<AnthropicMessagesCompat> = {
  supportsEagerToolInputStreaming: ON_OFF,
  supportsLongCacheRetention: ON_OFF,
  sendSessionAffinityHeaders: ON_OFF,
  sessionAffinityFormat: { values: ["openai", "openrouter"], beside: { sendSessionAffinityHeaders: true } },
  supportsCacheControlOnTools: ON_OFF,
  supportsTemperature: ON_OFF,
  forceAdaptiveThinking: ON_OFF,
  supportsBlockBinding: { ...ON_OFF, beside: { forceAdaptiveThinking: true } },
  allowEmptySignature: ON_OFF,
  requiresAlternatingRoles: ON_OFF,
};
