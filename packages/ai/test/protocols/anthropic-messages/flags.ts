/** Two values of each flag of the Anthropic Messages API that must make a difference. */
import type { AnthropicMessagesCompat } from "../../../src/types/compat.js";
import { type FlagTable, ON_OFF } from "../api-tests.js";

export const anthropicFlags: FlagTable<AnthropicMessagesCompat> = {
  supportsEagerToolInputStreaming: ON_OFF,
  supportsLongCacheRetention: ON_OFF,
  sendSessionAffinityHeaders: ON_OFF,
  sessionAffinityFormat: { values: ["openai", "openrouter"], beside: { sendSessionAffinityHeaders: true } },
  supportsCacheControlOnTools: ON_OFF,
  supportsTemperature: ON_OFF,
  forceAdaptiveThinking: ON_OFF,
  allowEmptySignature: ON_OFF,
};
