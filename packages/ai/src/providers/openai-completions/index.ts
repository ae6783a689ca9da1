/**
 * OpenAI's Chat Completions API, without the other apis, the registry and the model catalogue.
 *
 * @module pi-ai/openai-completions
 */
// Generated from data/apis.jsonl by scripts/generate-apis.ts; do not edit.
// biome-ignore-all format: generated.
// biome-ignore-all assist/source/organizeImports: generated.
import { createApiProvider } from "../../driver/index.js";
import type { StreamFunction } from "../../types/options.js";
import { nativeStream, type SimpleStreamFunction, simpleStream } from "../../api-registry.js";
import { openAICompletionsAdapter } from "./adapter.js";
import type { OpenAICompletionsOptions } from "./options.js";

export type { OpenAICompletionsOptions } from "./options.js";

const provider = /* @__PURE__ */ createApiProvider(openAICompletionsAdapter);

/** Streams a response over OpenAI's Chat Completions API, with the api's own options. */
export const streamOpenAICompletions: StreamFunction<"openai-completions", OpenAICompletionsOptions> =
  /* @__PURE__ */ nativeStream(provider);
/** Streams a response over OpenAI's Chat Completions API, with the options that every api takes. */
export const streamSimpleOpenAICompletions: SimpleStreamFunction<"openai-completions"> =
  /* @__PURE__ */ simpleStream(provider);
