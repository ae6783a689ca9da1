/**
 * Google's Gemini API, without the other apis, the registry and the model catalogue.
 *
 * @module pi-ai/google
 */
// Generated from data/apis.jsonl by scripts/generate-apis.ts; do not edit.
// biome-ignore-all format: generated.
// biome-ignore-all assist/source/organizeImports: generated.
import { createApiProvider } from "../../driver/index.js";
import type { StreamFunction } from "../../types/options.js";
import { nativeStream, type SimpleStreamFunction, simpleStream } from "../../api-registry.js";
import { googleAdapter } from "./adapter.js";
import type { GoogleOptions } from "./options.js";

export type { GoogleOptions, GoogleThinking, GoogleThinkingLevel } from "./options.js";

const provider = /* @__PURE__ */ createApiProvider(googleAdapter);

/** Streams a response over Google's Gemini API, with the api's own options. */
export const streamGoogle: StreamFunction<"google-generative-ai", GoogleOptions> =
  /* @__PURE__ */ nativeStream(provider);
/** Streams a response over Google's Gemini API, with the options that every api takes. */
export const streamSimpleGoogle: SimpleStreamFunction<"google-generative-ai"> =
  /* @__PURE__ */ simpleStream(provider);
