/**
 * The Responses API on Azure, and nothing else: no other protocol, no registry of protocols, no catalogue of models.
 *
 * @module pi-ai/azure-openai-responses
 */

import { nativeStream, type SimpleStreamFunction, simpleStream } from "../providers/named-stream.js";
import { type AzureOpenAIResponsesOptions, azureOpenAIResponsesAdapter } from "../providers/openai-responses/azure.js";
import { createApiProvider } from "../runtime/create-api-provider.js";
import type { StreamFunction } from "../types/options.js";

export type { AzureOpenAIResponsesOptions } from "../providers/openai-responses/azure.js";

const provider = /* @__PURE__ */ createApiProvider(azureOpenAIResponsesAdapter);

/** `stream` for models that speak OpenAI's Responses on Azure. */
export const streamAzureOpenAIResponses: StreamFunction<"azure-openai-responses", AzureOpenAIResponsesOptions> =
  /* @__PURE__ */ nativeStream(provider);
/** `streamSimple` for models that speak OpenAI's Responses on Azure. */
export const streamSimpleAzureOpenAIResponses: SimpleStreamFunction<"azure-openai-responses"> =
  /* @__PURE__ */ simpleStream(provider);
