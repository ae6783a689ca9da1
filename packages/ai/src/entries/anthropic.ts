/**
 * The Anthropic Messages API, and nothing else: no other protocol, no registry of protocols, no catalogue of models.
 *
 * @module pi-ai/anthropic
 */
import { anthropicAdapter } from "../providers/anthropic/index.js";
import type { AnthropicOptions } from "../providers/anthropic/options.js";
import { nativeStream, type SimpleStreamFunction, simpleStream } from "../providers/named-stream.js";
import { createApiProvider } from "../runtime/create-api-provider.js";
import type { StreamFunction } from "../types/options.js";

export type { AnthropicEffort, AnthropicOptions, AnthropicThinkingDisplay } from "../providers/anthropic/options.js";

const provider = /* @__PURE__ */ createApiProvider(anthropicAdapter);

/** `stream` for models that speak Anthropic's Messages. */
export const streamAnthropic: StreamFunction<"anthropic-messages", AnthropicOptions> =
  /* @__PURE__ */ nativeStream(provider);
/** `streamSimple` for models that speak Anthropic's Messages. */
export const streamSimpleAnthropic: SimpleStreamFunction<"anthropic-messages"> = /* @__PURE__ */ simpleStream(provider);
