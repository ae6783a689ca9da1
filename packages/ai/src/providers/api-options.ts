/** The options that a model's api takes. */
import type { Api, KnownApi } from "../types/model.js";
import type { ProviderStreamOptions, StreamOptions } from "../types/options.js";
import type { BedrockOptions } from "./amazon-bedrock/options.js";
import type { AnthropicOptions } from "./anthropic/options.js";
import type { GoogleGeminiCliOptions } from "./google/gemini-cli.js";
import type { GoogleOptions } from "./google/options.js";
import type { GoogleVertexOptions } from "./google/vertex.js";
import type { MistralOptions } from "./mistral/options.js";
import type { OpenAICompletionsOptions } from "./openai-completions/options.js";
import type { AzureOpenAIResponsesOptions } from "./openai-responses/azure.js";
import type { OpenAICodexResponsesOptions } from "./openai-responses/codex-options.js";
import type { OpenAIResponsesOptions } from "./openai-responses/options.js";

interface BuiltInOptions {
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

/**
 * The options of `stream` and `complete` for a model of this api: those of a built-in api, or any for an api of one's own
 * and for a model whose api is only known at run time. `StreamOptions` stands beside them for functions that are generic
 * over the api.
 */
export type ApiOptions<TApi extends Api> = StreamOptions | OwnApiOptions<TApi>;

type OwnApiOptions<TApi extends Api> = string extends TApi
  ? ProviderStreamOptions
  : TApi extends KnownApi
    ? BuiltInOptions[TApi]
    : ProviderStreamOptions;
