/**
 * The Responses API of a ChatGPT subscription, and nothing else: no other protocol, no registry of protocols, no catalogue of models.
 *
 * @module pi-ai/openai-codex-responses
 */

import { nativeStream, type SimpleStreamFunction, simpleStream } from "../providers/named-stream.js";
import { openAICodexResponsesAdapter } from "../providers/openai-responses/codex.js";
import type { OpenAICodexResponsesOptions } from "../providers/openai-responses/codex-options.js";
import { createApiProvider } from "../runtime/create-api-provider.js";
import type { StreamFunction } from "../types/options.js";

export type { OpenAICodexResponsesOptions } from "../providers/openai-responses/codex-options.js";

const provider = /* @__PURE__ */ createApiProvider(openAICodexResponsesAdapter);

/** `stream` for models that speak OpenAI's Responses as ChatGPT offers them. */
export const streamOpenAICodexResponses: StreamFunction<"openai-codex-responses", OpenAICodexResponsesOptions> =
  /* @__PURE__ */ nativeStream(provider);
/** `streamSimple` for models that speak OpenAI's Responses as ChatGPT offers them. */
export const streamSimpleOpenAICodexResponses: SimpleStreamFunction<"openai-codex-responses"> =
  /* @__PURE__ */ simpleStream(provider);
