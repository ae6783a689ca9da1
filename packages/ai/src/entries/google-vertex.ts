/**
 * The Gemini API on Vertex AI, and nothing else: no other protocol, no registry of protocols, no catalogue of models.
 *
 * @module pi-ai/google-vertex
 */
import { type GoogleVertexOptions, googleVertexAdapter } from "../providers/google/vertex.js";
import { nativeStream, type SimpleStreamFunction, simpleStream } from "../providers/named-stream.js";
import { createApiProvider } from "../runtime/create-api-provider.js";
import type { StreamFunction } from "../types/options.js";

export type { GoogleVertexOptions } from "../providers/google/vertex.js";

const provider = /* @__PURE__ */ createApiProvider(googleVertexAdapter);

/** `stream` for models that speak generateContent on Vertex AI. */
export const streamGoogleVertex: StreamFunction<"google-vertex", GoogleVertexOptions> =
  /* @__PURE__ */ nativeStream(provider);
/** `streamSimple` for models that speak generateContent on Vertex AI. */
export const streamSimpleGoogleVertex: SimpleStreamFunction<"google-vertex"> = /* @__PURE__ */ simpleStream(provider);
