/** Differences of vendors and hosts, as data. */
export {
  azureResourceUrl,
  geminiResource,
  namesProject,
  normalizeAzureBaseUrl,
  regionOfEndpoint,
  regionOfModel,
  vertexBaseUrl,
  vertexResource,
} from "./addresses.js";
export { type AnthropicFlags, resolveAnthropicFlags } from "./anthropic.js";
export { type BedrockFlags, resolveBedrockFlags } from "./bedrock.js";
export { type CacheSetting, cacheSettingsOf } from "./cache-settings.js";
export { addsToolsAsFinds, CHANGE_ROWS, type ChangeRow, changesOf, keepsRemovedTools } from "./changes.js";
export { comparesCaches } from "./compared-caches.js";
export { leavesOutThinking } from "./earlier-thinking.js";
export { factsOf } from "./families.js";
export type { ChangeKind, ModelFacts, RefusedField } from "./family.js";
export { resolveGoogleFlags, thinkingWord } from "./google.js";
export type { GoogleFlags } from "./google-flags.js";
export type { CompletionsFlags, ResponsesFlags, ThinkingRequest, ThinkingSettings } from "./host.js";
export { type ImageRules, imageRulesOf } from "./images.js";
export { resolveMistralFlags } from "./mistral.js";
export { resolveCompletionsFlags, thinkingFieldsOf, thinkingRequestOf, usageElsewhere } from "./openai-completions.js";
export { resolveResponsesFlags, supportsOutputLimit } from "./openai-responses.js";
export { ANTHROPIC_OUTPUT } from "./output/anthropic.js";
export { BEDROCK_OUTPUT } from "./output/bedrock.js";
export { GOOGLE_OUTPUT } from "./output/google.js";
export { MISTRAL_OUTPUT } from "./output/mistral.js";
export { AZURE_OUTPUT, COMPLETIONS_OUTPUT, RESPONSES_OUTPUT } from "./output/openai.js";
export {
  CORE_KEYWORDS,
  type OutputRow,
  type OutputRules,
  rulesOf,
  type SchemaLimits,
  type SchemaSubset,
} from "./output/rules.js";
export { resolveOutputRules } from "./output-rules.js";
export { alternatesRoles, countsTokens, withAlternatingRoles } from "./server-traits.js";
export {
  ANTHROPIC_TOOL_RULES,
  BEDROCK_TOOL_RULES,
  COMPLETIONS_TOOL_RULES,
  GOOGLE_TOOL_RULES,
  MISTRAL_TOOL_RULES,
  type NameRule,
  RESPONSES_TOOL_RULES,
  type SchemaDialect,
  type ToolRow,
  type ToolRules,
  toolRulesOf,
} from "./tool-rules.js";
export { hasToolSearch, TOOL_SEARCH_PROVIDERS } from "./tool-search.js";
