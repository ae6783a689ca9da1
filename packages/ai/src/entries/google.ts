/**
 * The Gemini API, and nothing else: no other protocol, no registry of protocols, no catalogue of models.
 *
 * @module pi-ai/google
 */
import { googleAdapter } from "../providers/google/index.js";
import type { GoogleOptions } from "../providers/google/options.js";
import { nativeStream, type SimpleStreamFunction, simpleStream } from "../providers/named-stream.js";
import { createApiProvider } from "../runtime/create-api-provider.js";
import type { StreamFunction } from "../types/options.js";

export type { GoogleOptions, GoogleThinking, GoogleThinkingLevel } from "../providers/google/options.js";

const provider = /* @__PURE__ */ createApiProvider(googleAdapter);

/** `stream` for models that speak Google's generateContent. */
export const streamGoogle: StreamFunction<"google-generative-ai", GoogleOptions> =
  /* @__PURE__ */ nativeStream(provider);
/** `streamSimple` for models that speak Google's generateContent. */
export const streamSimpleGoogle: SimpleStreamFunction<"google-generative-ai"> = /* @__PURE__ */ simpleStream(provider);
