/**
 * OpenAI's Responses API, and nothing else: no other protocol, no registry of protocols, no catalogue of models.
 *
 * @module pi-ai/openai-responses
 */

import { nativeStream, type SimpleStreamFunction, simpleStream } from "../providers/named-stream.js";
import { openAIResponsesAdapter } from "../providers/openai-responses/index.js";
import type { OpenAIResponsesOptions } from "../providers/openai-responses/options.js";
import { createApiProvider } from "../runtime/create-api-provider.js";
import type { StreamFunction } from "../types/options.js";

export type { OpenAIResponsesOptions, ResponsesToolChoice } from "../providers/openai-responses/options.js";

const provider = /* @__PURE__ */ createApiProvider(openAIResponsesAdapter);

/** `stream` for models that speak OpenAI's Responses. */
export const streamOpenAIResponses: StreamFunction<"openai-responses", OpenAIResponsesOptions> =
  /* @__PURE__ */ nativeStream(provider);
/** `streamSimple` for models that speak OpenAI's Responses. */
export const streamSimpleOpenAIResponses: SimpleStreamFunction<"openai-responses"> =
  /* @__PURE__ */ simpleStream(provider);
