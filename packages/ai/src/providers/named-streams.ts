/** The built-in protocols under names of their own, for code that knows which one it wants. No registry is asked. */
import { guardApi } from "../api-registry.js";
import type { KnownApi } from "../types/model.js";
import type { SimpleStreamOptions, StreamFunction, StreamOptions } from "../types/options.js";
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
import { createBuiltInProvider } from "./register-built-ins.js";

type Simple<TApi extends KnownApi> = StreamFunction<TApi, SimpleStreamOptions>;

export const streamAnthropic: StreamFunction<"anthropic-messages", AnthropicOptions> =
  /* @__PURE__ */ native("anthropic-messages");
export const streamSimpleAnthropic: Simple<"anthropic-messages"> = /* @__PURE__ */ simple("anthropic-messages");
export const streamAzureOpenAIResponses: StreamFunction<"azure-openai-responses", AzureOpenAIResponsesOptions> =
  /* @__PURE__ */ native("azure-openai-responses");
export const streamSimpleAzureOpenAIResponses: Simple<"azure-openai-responses"> =
  /* @__PURE__ */ simple("azure-openai-responses");
export const streamBedrock: StreamFunction<"bedrock-converse-stream", BedrockOptions> =
  /* @__PURE__ */ native("bedrock-converse-stream");
export const streamSimpleBedrock: Simple<"bedrock-converse-stream"> = /* @__PURE__ */ simple("bedrock-converse-stream");
export const streamGoogle: StreamFunction<"google-generative-ai", GoogleOptions> =
  /* @__PURE__ */ native("google-generative-ai");
export const streamSimpleGoogle: Simple<"google-generative-ai"> = /* @__PURE__ */ simple("google-generative-ai");
export const streamGoogleGeminiCli: StreamFunction<"google-gemini-cli", GoogleGeminiCliOptions> =
  /* @__PURE__ */ native("google-gemini-cli");
export const streamSimpleGoogleGeminiCli: Simple<"google-gemini-cli"> = /* @__PURE__ */ simple("google-gemini-cli");
export const streamGoogleVertex: StreamFunction<"google-vertex", GoogleVertexOptions> =
  /* @__PURE__ */ native("google-vertex");
export const streamSimpleGoogleVertex: Simple<"google-vertex"> = /* @__PURE__ */ simple("google-vertex");
export const streamMistral: StreamFunction<"mistral-conversations", MistralOptions> =
  /* @__PURE__ */ native("mistral-conversations");
export const streamSimpleMistral: Simple<"mistral-conversations"> = /* @__PURE__ */ simple("mistral-conversations");
export const streamOpenAICodexResponses: StreamFunction<"openai-codex-responses", OpenAICodexResponsesOptions> =
  /* @__PURE__ */ native("openai-codex-responses");
export const streamSimpleOpenAICodexResponses: Simple<"openai-codex-responses"> =
  /* @__PURE__ */ simple("openai-codex-responses");
export const streamOpenAICompletions: StreamFunction<"openai-completions", OpenAICompletionsOptions> =
  /* @__PURE__ */ native("openai-completions");
export const streamSimpleOpenAICompletions: Simple<"openai-completions"> = /* @__PURE__ */ simple("openai-completions");
export const streamOpenAIResponses: StreamFunction<"openai-responses", OpenAIResponsesOptions> =
  /* @__PURE__ */ native("openai-responses");
export const streamSimpleOpenAIResponses: Simple<"openai-responses"> = /* @__PURE__ */ simple("openai-responses");

function native<TApi extends KnownApi, TOptions extends StreamOptions>(api: TApi): StreamFunction<TApi, TOptions> {
  // The registry's type only says that options are an object, and the guard sees to the api.
  return guardApi(createBuiltInProvider(api)).stream as unknown as StreamFunction<TApi, TOptions>;
}

function simple<TApi extends KnownApi>(api: TApi): Simple<TApi> {
  return guardApi(createBuiltInProvider(api)).streamSimple;
}
