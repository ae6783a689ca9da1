/** The built-in protocols under names of their own, for code that knows which one it wants. No registry is asked. */
import type { KnownApi } from "../types/model.js";
import type { StreamFunction, StreamOptions } from "../types/options.js";
import type { BedrockOptions } from "./amazon-bedrock/options.js";
import type { AnthropicOptions } from "./anthropic/options.js";
import type { GoogleGeminiCliOptions } from "./google/gemini-cli.js";
import type { GoogleOptions } from "./google/options.js";
import type { GoogleVertexOptions } from "./google/vertex.js";
import type { MistralOptions } from "./mistral/options.js";
import { nativeStream, type SimpleStreamFunction, simpleStream } from "./named-stream.js";
import type { OpenAICompletionsOptions } from "./openai-completions/options.js";
import type { AzureOpenAIResponsesOptions } from "./openai-responses/azure.js";
import type { OpenAICodexResponsesOptions } from "./openai-responses/codex-options.js";
import type { OpenAIResponsesOptions } from "./openai-responses/options.js";
import { createBuiltInProvider } from "./register-builtins.js";

/** `stream` for models that speak Anthropic's Messages. */
export const streamAnthropic: StreamFunction<"anthropic-messages", AnthropicOptions> =
  /* @__PURE__ */ native("anthropic-messages");
/** `streamSimple` for models that speak Anthropic's Messages. */
export const streamSimpleAnthropic: SimpleStreamFunction<"anthropic-messages"> =
  /* @__PURE__ */ simple("anthropic-messages");
/** `stream` for models that speak OpenAI's Responses on Azure. */
export const streamAzureOpenAIResponses: StreamFunction<"azure-openai-responses", AzureOpenAIResponsesOptions> =
  /* @__PURE__ */ native("azure-openai-responses");
/** `streamSimple` for models that speak OpenAI's Responses on Azure. */
export const streamSimpleAzureOpenAIResponses: SimpleStreamFunction<"azure-openai-responses"> =
  /* @__PURE__ */ simple("azure-openai-responses");
/** `stream` for models that speak Bedrock's ConverseStream. */
export const streamBedrock: StreamFunction<"bedrock-converse-stream", BedrockOptions> =
  /* @__PURE__ */ native("bedrock-converse-stream");
/** `streamSimple` for models that speak Bedrock's ConverseStream. */
export const streamSimpleBedrock: SimpleStreamFunction<"bedrock-converse-stream"> =
  /* @__PURE__ */ simple("bedrock-converse-stream");
/** `stream` for models that speak Google's generateContent. */
export const streamGoogle: StreamFunction<"google-generative-ai", GoogleOptions> =
  /* @__PURE__ */ native("google-generative-ai");
/** `streamSimple` for models that speak Google's generateContent. */
export const streamSimpleGoogle: SimpleStreamFunction<"google-generative-ai"> =
  /* @__PURE__ */ simple("google-generative-ai");
/** `stream` for models that are reached as Gemini CLI reaches them. */
export const streamGoogleGeminiCli: StreamFunction<"google-gemini-cli", GoogleGeminiCliOptions> =
  /* @__PURE__ */ native("google-gemini-cli");
/** `streamSimple` for models that are reached as Gemini CLI reaches them. */
export const streamSimpleGoogleGeminiCli: SimpleStreamFunction<"google-gemini-cli"> =
  /* @__PURE__ */ simple("google-gemini-cli");
/** `stream` for models that speak generateContent on Vertex AI. */
export const streamGoogleVertex: StreamFunction<"google-vertex", GoogleVertexOptions> =
  /* @__PURE__ */ native("google-vertex");
/** `streamSimple` for models that speak generateContent on Vertex AI. */
export const streamSimpleGoogleVertex: SimpleStreamFunction<"google-vertex"> = /* @__PURE__ */ simple("google-vertex");
/** `stream` for models that speak Mistral's protocol. */
export const streamMistral: StreamFunction<"mistral-conversations", MistralOptions> =
  /* @__PURE__ */ native("mistral-conversations");
/** `streamSimple` for models that speak Mistral's protocol. */
export const streamSimpleMistral: SimpleStreamFunction<"mistral-conversations"> =
  /* @__PURE__ */ simple("mistral-conversations");
/** `stream` for models that speak OpenAI's Responses as ChatGPT offers them. */
export const streamOpenAICodexResponses: StreamFunction<"openai-codex-responses", OpenAICodexResponsesOptions> =
  /* @__PURE__ */ native("openai-codex-responses");
/** `streamSimple` for models that speak OpenAI's Responses as ChatGPT offers them. */
export const streamSimpleOpenAICodexResponses: SimpleStreamFunction<"openai-codex-responses"> =
  /* @__PURE__ */ simple("openai-codex-responses");
/** `stream` for models that speak OpenAI's chat completions. */
export const streamOpenAICompletions: StreamFunction<"openai-completions", OpenAICompletionsOptions> =
  /* @__PURE__ */ native("openai-completions");
/** `streamSimple` for models that speak OpenAI's chat completions. */
export const streamSimpleOpenAICompletions: SimpleStreamFunction<"openai-completions"> =
  /* @__PURE__ */ simple("openai-completions");
/** `stream` for models that speak OpenAI's Responses. */
export const streamOpenAIResponses: StreamFunction<"openai-responses", OpenAIResponsesOptions> =
  /* @__PURE__ */ native("openai-responses");
/** `streamSimple` for models that speak OpenAI's Responses. */
export const streamSimpleOpenAIResponses: SimpleStreamFunction<"openai-responses"> =
  /* @__PURE__ */ simple("openai-responses");

function native<TApi extends KnownApi, TOptions extends StreamOptions>(api: TApi): StreamFunction<TApi, TOptions> {
  return nativeStream(createBuiltInProvider(api));
}

function simple<TApi extends KnownApi>(api: TApi): SimpleStreamFunction<TApi> {
  return simpleStream(createBuiltInProvider(api));
}
