/**
 * Mistral's chat API, without the other apis, the registry and the model catalogue.
 *
 * @module pi-ai/mistral
 */
// Generated from data/apis.jsonl by scripts/generate-apis.ts; do not edit.
// biome-ignore-all format: generated.
// biome-ignore-all assist/source/organizeImports: generated.
import { createApiProvider } from "../../driver/index.js";
import type { StreamFunction } from "../../types/options.js";
import { nativeStream, type SimpleStreamFunction, simpleStream } from "../../api-registry.js";
import { mistralAdapter } from "./adapter.js";
import type { MistralOptions } from "./options.js";

export type { MistralOptions } from "./options.js";

const provider = /* @__PURE__ */ createApiProvider(mistralAdapter);

/** Streams a response over Mistral's chat API, with the api's own options. */
export const streamMistral: StreamFunction<"mistral-conversations", MistralOptions> =
  /* @__PURE__ */ nativeStream(provider);
/** Streams a response over Mistral's chat API, with the options that every api takes. */
export const streamSimpleMistral: SimpleStreamFunction<"mistral-conversations"> =
  /* @__PURE__ */ simpleStream(provider);
