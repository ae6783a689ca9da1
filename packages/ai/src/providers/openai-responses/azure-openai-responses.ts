/**
 * OpenAI's Responses API on Azure, without the other apis, the registry and the model catalogue.
 *
 * @module pi-ai/azure-openai-responses
 */
// Generated from data/apis.jsonl by scripts/generate-apis.ts; do not edit.
// biome-ignore-all format: generated.
// biome-ignore-all assist/source/organizeImports: generated.
import { createApiProvider } from "../../driver/index.js";
import type { StreamFunction } from "../../types/options.js";
import { nativeStream, type SimpleStreamFunction, simpleStream } from "../../api-registry.js";
import { azureOpenAIResponsesAdapter } from "./azure.js";
import type { AzureOpenAIResponsesOptions } from "./azure.js";

export type { AzureOpenAIResponsesOptions } from "./azure.js";

const provider = /* @__PURE__ */ createApiProvider(azureOpenAIResponsesAdapter);

/** Streams a response over OpenAI's Responses API on Azure, with the api's own options. */
export const streamAzureOpenAIResponses: StreamFunction<"azure-openai-responses", AzureOpenAIResponsesOptions> =
  /* @__PURE__ */ nativeStream(provider);
/** Streams a response over OpenAI's Responses API on Azure, with the options that every api takes. */
export const streamSimpleAzureOpenAIResponses: SimpleStreamFunction<"azure-openai-responses"> =
  /* @__PURE__ */ simpleStream(provider);
