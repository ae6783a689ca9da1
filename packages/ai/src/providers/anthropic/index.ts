/**
 * The Anthropic Messages API, without the other apis, the registry and the model catalogue.
 *
 * @module pi-ai/anthropic
 */
// Generated from data/apis.jsonl by scripts/generate-apis.ts; do not edit.
// biome-ignore-all format: generated.
// biome-ignore-all assist/source/organizeImports: generated.
import { createApiProvider } from "../../driver/index.js";
import type { StreamFunction } from "../../types/options.js";
import { nativeStream, type SimpleStreamFunction, simpleStream } from "../../api-registry.js";
import { anthropicAdapter } from "./adapter.js";
import type { AnthropicOptions } from "./options.js";

export type { AnthropicEffort, AnthropicOptions, AnthropicThinkingDisplay } from "./options.js";

const provider = /* @__PURE__ */ createApiProvider(anthropicAdapter);

/** Streams a response over the Anthropic Messages API, with the api's own options. */
export const streamAnthropic: StreamFunction<"anthropic-messages", AnthropicOptions> =
  /* @__PURE__ */ nativeStream(provider);
/** Streams a response over the Anthropic Messages API, with the options that every api takes. */
export const streamSimpleAnthropic: SimpleStreamFunction<"anthropic-messages"> =
  /* @__PURE__ */ simpleStream(provider);
