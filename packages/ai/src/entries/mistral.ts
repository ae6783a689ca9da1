/**
 * Mistral's chat API, and nothing else: no other protocol, no registry of protocols, no catalogue of models.
 *
 * @module pi-ai/mistral
 */
import { mistralAdapter } from "../providers/mistral/index.js";
import type { MistralOptions } from "../providers/mistral/options.js";
import { nativeStream, type SimpleStreamFunction, simpleStream } from "../providers/named-stream.js";
import { createApiProvider } from "../runtime/create-api-provider.js";
import type { StreamFunction } from "../types/options.js";

export type { MistralOptions } from "../providers/mistral/options.js";

const provider = /* @__PURE__ */ createApiProvider(mistralAdapter);

/** `stream` for models that speak Mistral's protocol. */
export const streamMistral: StreamFunction<"mistral-conversations", MistralOptions> =
  /* @__PURE__ */ nativeStream(provider);
/** `streamSimple` for models that speak Mistral's protocol. */
export const streamSimpleMistral: SimpleStreamFunction<"mistral-conversations"> =
  /* @__PURE__ */ simpleStream(provider);
