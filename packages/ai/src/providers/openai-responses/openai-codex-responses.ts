/**
 * The Responses API of a ChatGPT subscription, without the other apis, the registry and the model catalogue.
 *
 * @module pi-ai/openai-codex-responses
 */
// Generated from data/apis.jsonl by scripts/generate-apis.ts; do not edit.
// biome-ignore-all format: generated.
// biome-ignore-all assist/source/organizeImports: generated.
import { createApiProvider } from "../../driver/index.js";
import type { StreamFunction } from "../../types/options.js";
import { nativeStream, type SimpleStreamFunction, simpleStream } from "../../api-registry.js";
import { openAICodexResponsesAdapter } from "./codex.js";
import type { OpenAICodexResponsesOptions } from "./codex.js";

export type { OpenAICodexResponsesOptions } from "./codex.js";

const provider = /* @__PURE__ */ createApiProvider(openAICodexResponsesAdapter);

/** Streams a response over the Responses API of a ChatGPT subscription, with the api's own options. */
export const streamOpenAICodexResponses: StreamFunction<"openai-codex-responses", OpenAICodexResponsesOptions> =
  /* @__PURE__ */ nativeStream(provider);
/** Streams a response over the Responses API of a ChatGPT subscription, with the options that every api takes. */
export const streamSimpleOpenAICodexResponses: SimpleStreamFunction<"openai-codex-responses"> =
  /* @__PURE__ */ simpleStream(provider);
