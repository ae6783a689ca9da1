/**
 * The Gemini API on Vertex AI, and nothing else: no other protocol, no registry of protocols, no catalogue of models.
 *
 * @module
 */
import { type GoogleVertexOptions, googleVertexAdapter } from "./providers/google/vertex.js";
import { nativeStream, type SimpleStreamFunction, simpleStream } from "./providers/named-stream.js";
import { createApiProvider } from "./runtime/create-api-provider.js";
import type { StreamFunction } from "./types/options.js";

export type { GoogleVertexOptions } from "./providers/google/vertex.js";

const provider = /* @__PURE__ */ createApiProvider(googleVertexAdapter);

export const streamGoogleVertex: StreamFunction<"google-vertex", GoogleVertexOptions> =
  /* @__PURE__ */ nativeStream(provider);
export const streamSimpleGoogleVertex: SimpleStreamFunction<"google-vertex"> = /* @__PURE__ */ simpleStream(provider);
