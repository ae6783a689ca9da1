/**
 * OpenAI's Responses API, without the other apis, the registry and the model catalogue.
 *
 * @module pi-ai/openai-responses
 */
// Generated from data/apis.jsonl by scripts/generate-apis.ts; do not edit.
// biome-ignore-all format: generated.
// biome-ignore-all assist/source/organizeImports: generated.
import { createApiProvider } from "../../driver/index.js";
import type { StreamFunction } from "../../types/options.js";
import { nativeStream, type SimpleStreamFunction, simpleStream } from "../../api-registry.js";
import { openAIResponsesAdapter } from "./adapter.js";
import type { OpenAIResponsesOptions } from "./options.js";

export type { OpenAIResponsesOptions, ResponsesToolChoice } from "./options.js";

const provider = /* @__PURE__ */ createApiProvider(openAIResponsesAdapter);

/** Streams a response over OpenAI's Responses API, with the api's own options. */
export const streamOpenAIResponses: StreamFunction<"openai-responses", OpenAIResponsesOptions> =
  /* @__PURE__ */ nativeStream(provider);
/** Streams a response over OpenAI's Responses API, with the options that every api takes. */
export const streamSimpleOpenAIResponses: SimpleStreamFunction<"openai-responses"> =
  /* @__PURE__ */ simpleStream(provider);
