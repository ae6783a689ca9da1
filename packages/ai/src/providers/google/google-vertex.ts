/**
 * The Gemini API on Vertex AI, without the other apis, the registry and the model catalogue.
 *
 * @module pi-ai/google-vertex
 */
// Generated from data/apis.jsonl by scripts/generate-apis.ts; do not edit.
// biome-ignore-all format: generated.
// biome-ignore-all assist/source/organizeImports: generated.
import { createApiProvider } from "../../driver/index.js";
import type { StreamFunction } from "../../types/options.js";
import { nativeStream, type SimpleStreamFunction, simpleStream } from "../../api-registry.js";
import { googleVertexAdapter } from "./vertex.js";
import type { GoogleVertexOptions } from "./vertex.js";

export type { GoogleVertexOptions } from "./vertex.js";

const provider = /* @__PURE__ */ createApiProvider(googleVertexAdapter);

/** Streams a response over the Gemini API on Vertex AI, with the api's own options. */
export const streamGoogleVertex: StreamFunction<"google-vertex", GoogleVertexOptions> =
  /* @__PURE__ */ nativeStream(provider);
/** Streams a response over the Gemini API on Vertex AI, with the options that every api takes. */
export const streamSimpleGoogleVertex: SimpleStreamFunction<"google-vertex"> =
  /* @__PURE__ */ simpleStream(provider);
