/** The names of the built-in apis, and their compatibility flags. */
// Generated from data/apis.jsonl by scripts/generate-apis.ts; do not edit.
// biome-ignore-all format: generated.
// biome-ignore-all assist/source/organizeImports: generated.
import type { AnthropicMessagesCompat, MistralConversationsCompat, OpenAICompletionsCompat, OpenAIResponsesCompat } from "./compat.js";

/** The apis with a built-in adapter. */
export type KnownApi =
  | "anthropic-messages"
  | "azure-openai-responses"
  | "bedrock-converse-stream"
  | "google-gemini-cli"
  | "google-generative-ai"
  | "google-vertex"
  | "mistral-conversations"
  | "openai-codex-responses"
  | "openai-completions"
  | "openai-responses";

/** The compatibility flags of an api. An api that is not listed has none. */
export interface CompatByApi {
  "anthropic-messages": AnthropicMessagesCompat;
  "azure-openai-responses": OpenAIResponsesCompat;
  "mistral-conversations": MistralConversationsCompat;
  "openai-codex-responses": OpenAIResponsesCompat;
  "openai-completions": OpenAICompletionsCompat;
  "openai-responses": OpenAIResponsesCompat;
}
