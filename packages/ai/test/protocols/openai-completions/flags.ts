/** Two values of each flag of the Chat Completions API that must make a difference. */
import type { OpenAICompletionsCompat } from "../../../src/types/compat.js";
import { type FlagTable, ON_OFF } from "../api-tests.js";

export const completionsFlags: FlagTable<OpenAICompletionsCompat> = {
  supportsStore: ON_OFF,
  supportsDeveloperRole: ON_OFF,
  supportsReasoningEffort: ON_OFF,
  supportsUsageInStreaming: ON_OFF,
  supportsFinishReason: ON_OFF,
  maxTokensField: { values: ["max_completion_tokens", "max_tokens"] },
  requiresToolResultName: ON_OFF,
  requiresAssistantAfterToolResult: ON_OFF,
  requiresNonNullAssistantContent: ON_OFF,
  requiresThinkingAsText: ON_OFF,
  requiresReasoningContentOnAssistantMessages: ON_OFF,
  requiresToolsWithToolHistory: ON_OFF,
  thinkingFormat: { values: ["openai", "openrouter"] },
  chatTemplateKwargs: { values: [{ a: 1 }, { a: 2 }], beside: { thinkingFormat: "chat-template" } },
  chatTemplateArgs: { values: [{ a: 1 }, { a: 2 }], beside: { thinkingFormat: "baseten" } },
  thinkingTokenBudgetField: { values: ["thinking_budget", "budget"], beside: { supportsThinkingTokenBudget: true } },
  supportsThinkingTokenBudget: { ...ON_OFF, beside: { thinkingTokenBudgetField: "thinking_budget" } },
  openRouterRouting: { values: [{ order: ["a"] }, { order: ["b"] }] },
  vercelGatewayRouting: { values: [{ order: ["a"] }, { order: ["b"] }] },
  zaiToolStream: ON_OFF,
  supportsStrictMode: ON_OFF,
  cacheControlFormat: { values: ["anthropic", undefined] },
  sendSessionAffinityHeaders: ON_OFF,
  sessionAffinityFormat: { values: ["openai", "openrouter"], beside: { sendSessionAffinityHeaders: true } },
  promptCacheKeyMode: { values: ["enabled", "disabled"] },
  supportsLongCacheRetention: ON_OFF,
  supportsJsonSchema: ON_OFF,
  vllmPriority: { values: [1, 2] },
};
