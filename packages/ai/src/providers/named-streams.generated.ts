/** The functions of each built-in api under their own names, for code that knows its api. They use no registry. */
// Generated from data/apis.jsonl by scripts/generate-apis.ts; do not edit.
// biome-ignore-all format: generated.
// biome-ignore-all assist/source/organizeImports: generated.
import type { StreamFunction } from "../types/options.js";
import { nativeStream, type SimpleStreamFunction, simpleStream } from "../api-registry.js";
import { createBuiltInProvider } from "./register-builtins.js";
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

export type { AnthropicEffort, AnthropicOptions, AnthropicThinkingDisplay } from "./anthropic/options.js";
export type { AzureOpenAIResponsesOptions } from "./openai-responses/azure.js";
export type { BedrockOptions, BedrockThinkingDisplay } from "./amazon-bedrock/options.js";
export type { GoogleGeminiCliOptions } from "./google/gemini-cli.js";
export type { GoogleOptions, GoogleThinking, GoogleThinkingLevel } from "./google/options.js";
export type { GoogleVertexOptions } from "./google/vertex.js";
export type { MistralOptions } from "./mistral/options.js";
export type { OpenAICodexResponsesOptions } from "./openai-responses/codex.js";
export type { OpenAICompletionsOptions } from "./openai-completions/options.js";
export type { OpenAIResponsesOptions, ResponsesToolChoice } from "./openai-responses/options.js";

/** Streams a response over the Anthropic Messages API, with the api's own options. */
export const streamAnthropic: StreamFunction<"anthropic-messages", AnthropicOptions> =
  /* @__PURE__ */ nativeStream(/* @__PURE__ */ createBuiltInProvider("anthropic-messages"));
/** Streams a response over the Anthropic Messages API, with the options that every api takes. */
export const streamSimpleAnthropic: SimpleStreamFunction<"anthropic-messages"> =
  /* @__PURE__ */ simpleStream(/* @__PURE__ */ createBuiltInProvider("anthropic-messages"));

/** Streams a response over OpenAI's Responses API on Azure, with the api's own options. */
export const streamAzureOpenAIResponses: StreamFunction<"azure-openai-responses", AzureOpenAIResponsesOptions> =
  /* @__PURE__ */ nativeStream(/* @__PURE__ */ createBuiltInProvider("azure-openai-responses"));
/** Streams a response over OpenAI's Responses API on Azure, with the options that every api takes. */
export const streamSimpleAzureOpenAIResponses: SimpleStreamFunction<"azure-openai-responses"> =
  /* @__PURE__ */ simpleStream(/* @__PURE__ */ createBuiltInProvider("azure-openai-responses"));

/** Streams a response over Amazon Bedrock's ConverseStream API, with the api's own options. */
export const streamBedrock: StreamFunction<"bedrock-converse-stream", BedrockOptions> =
  /* @__PURE__ */ nativeStream(/* @__PURE__ */ createBuiltInProvider("bedrock-converse-stream"));
/** Streams a response over Amazon Bedrock's ConverseStream API, with the options that every api takes. */
export const streamSimpleBedrock: SimpleStreamFunction<"bedrock-converse-stream"> =
  /* @__PURE__ */ simpleStream(/* @__PURE__ */ createBuiltInProvider("bedrock-converse-stream"));

/** Streams a response over the Gemini API as Gemini CLI reaches it, through Cloud Code Assist, with the api's own options. */
export const streamGoogleGeminiCli: StreamFunction<"google-gemini-cli", GoogleGeminiCliOptions> =
  /* @__PURE__ */ nativeStream(/* @__PURE__ */ createBuiltInProvider("google-gemini-cli"));
/** Streams a response over the Gemini API as Gemini CLI reaches it, through Cloud Code Assist, with the options that every api takes. */
export const streamSimpleGoogleGeminiCli: SimpleStreamFunction<"google-gemini-cli"> =
  /* @__PURE__ */ simpleStream(/* @__PURE__ */ createBuiltInProvider("google-gemini-cli"));

/** Streams a response over Google's Gemini API, with the api's own options. */
export const streamGoogle: StreamFunction<"google-generative-ai", GoogleOptions> =
  /* @__PURE__ */ nativeStream(/* @__PURE__ */ createBuiltInProvider("google-generative-ai"));
/** Streams a response over Google's Gemini API, with the options that every api takes. */
export const streamSimpleGoogle: SimpleStreamFunction<"google-generative-ai"> =
  /* @__PURE__ */ simpleStream(/* @__PURE__ */ createBuiltInProvider("google-generative-ai"));

/** Streams a response over the Gemini API on Vertex AI, with the api's own options. */
export const streamGoogleVertex: StreamFunction<"google-vertex", GoogleVertexOptions> =
  /* @__PURE__ */ nativeStream(/* @__PURE__ */ createBuiltInProvider("google-vertex"));
/** Streams a response over the Gemini API on Vertex AI, with the options that every api takes. */
export const streamSimpleGoogleVertex: SimpleStreamFunction<"google-vertex"> =
  /* @__PURE__ */ simpleStream(/* @__PURE__ */ createBuiltInProvider("google-vertex"));

/** Streams a response over Mistral's chat API, with the api's own options. */
export const streamMistral: StreamFunction<"mistral-conversations", MistralOptions> =
  /* @__PURE__ */ nativeStream(/* @__PURE__ */ createBuiltInProvider("mistral-conversations"));
/** Streams a response over Mistral's chat API, with the options that every api takes. */
export const streamSimpleMistral: SimpleStreamFunction<"mistral-conversations"> =
  /* @__PURE__ */ simpleStream(/* @__PURE__ */ createBuiltInProvider("mistral-conversations"));

/** Streams a response over the Responses API of a ChatGPT subscription, with the api's own options. */
export const streamOpenAICodexResponses: StreamFunction<"openai-codex-responses", OpenAICodexResponsesOptions> =
  /* @__PURE__ */ nativeStream(/* @__PURE__ */ createBuiltInProvider("openai-codex-responses"));
/** Streams a response over the Responses API of a ChatGPT subscription, with the options that every api takes. */
export const streamSimpleOpenAICodexResponses: SimpleStreamFunction<"openai-codex-responses"> =
  /* @__PURE__ */ simpleStream(/* @__PURE__ */ createBuiltInProvider("openai-codex-responses"));

/** Streams a response over OpenAI's Chat Completions API, with the api's own options. */
export const streamOpenAICompletions: StreamFunction<"openai-completions", OpenAICompletionsOptions> =
  /* @__PURE__ */ nativeStream(/* @__PURE__ */ createBuiltInProvider("openai-completions"));
/** Streams a response over OpenAI's Chat Completions API, with the options that every api takes. */
export const streamSimpleOpenAICompletions: SimpleStreamFunction<"openai-completions"> =
  /* @__PURE__ */ simpleStream(/* @__PURE__ */ createBuiltInProvider("openai-completions"));

/** Streams a response over OpenAI's Responses API, with the api's own options. */
export const streamOpenAIResponses: StreamFunction<"openai-responses", OpenAIResponsesOptions> =
  /* @__PURE__ */ nativeStream(/* @__PURE__ */ createBuiltInProvider("openai-responses"));
/** Streams a response over OpenAI's Responses API, with the options that every api takes. */
export const streamSimpleOpenAIResponses: SimpleStreamFunction<"openai-responses"> =
  /* @__PURE__ */ simpleStream(/* @__PURE__ */ createBuiltInProvider("openai-responses"));
