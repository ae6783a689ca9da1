/**
 * The Chat Completions API, of OpenAI and of all who copy it, and nothing else: no other protocol, no registry of protocols, no catalogue of models.
 *
 * @module pi-ai/openai-completions
 */

import { nativeStream, type SimpleStreamFunction, simpleStream } from "../providers/named-stream.js";
import { openAICompletionsAdapter } from "../providers/openai-completions/index.js";
import type { OpenAICompletionsOptions } from "../providers/openai-completions/options.js";
import { createApiProvider } from "../runtime/create-api-provider.js";
import type { StreamFunction } from "../types/options.js";

export type { OpenAICompletionsOptions } from "../providers/openai-completions/options.js";

const provider = /* @__PURE__ */ createApiProvider(openAICompletionsAdapter);

/** `stream` for models that speak OpenAI's chat completions. */
export const streamOpenAICompletions: StreamFunction<"openai-completions", OpenAICompletionsOptions> =
  /* @__PURE__ */ nativeStream(provider);
/** `streamSimple` for models that speak OpenAI's chat completions. */
export const streamSimpleOpenAICompletions: SimpleStreamFunction<"openai-completions"> =
  /* @__PURE__ */ simpleStream(provider);
