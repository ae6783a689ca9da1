/** The options of each built-in api. */
// Generated from data/apis.jsonl by scripts/generate-apis.ts; do not edit.
// biome-ignore-all format: generated.
// biome-ignore-all assist/source/organizeImports: generated.
import type { AnthropicOptions } from "./anthropic/options.js";
import type { AzureOpenAIResponsesOptions } from "./openai-responses/azure.js";
import type { BedrockOptions } from "./amazon-bedrock/options.js";
import type { GoogleGeminiCliOptions } from "./google/gemini-cli.js";
import type { GoogleOptions } from "./google/options.js";
import type { GoogleVertexOptions } from "./google/vertex.js";
import type { MistralOptions } from "./mistral/options.js";
import type { OpenAICodexResponsesOptions } from "./openai-responses/codex.js";
import type { OpenAICompletionsOptions } from "./openai-completions/options.js";
import type { OpenAIResponsesOptions } from "./openai-responses/options.js";

export interface OptionsByApi {
  "anthropic-messages": AnthropicOptions;
  "azure-openai-responses": AzureOpenAIResponsesOptions;
  "bedrock-converse-stream": BedrockOptions;
  "google-gemini-cli": GoogleGeminiCliOptions;
  "google-generative-ai": GoogleOptions;
  "google-vertex": GoogleVertexOptions;
  "mistral-conversations": MistralOptions;
  "openai-codex-responses": OpenAICodexResponsesOptions;
  "openai-completions": OpenAICompletionsOptions;
  "openai-responses": OpenAIResponsesOptions;
}
