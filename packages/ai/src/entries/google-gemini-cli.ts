/**
 * The Gemini API of the Gemini CLI's subscription, and nothing else: no other protocol, no registry of protocols, no catalogue of models.
 *
 * @module pi-ai/google-gemini-cli
 */
import { type GoogleGeminiCliOptions, googleGeminiCliAdapter } from "../providers/google/gemini-cli.js";
import { nativeStream, type SimpleStreamFunction, simpleStream } from "../providers/named-stream.js";
import { createApiProvider } from "../runtime/create-api-provider.js";
import type { StreamFunction } from "../types/options.js";

export type { GoogleGeminiCliOptions } from "../providers/google/gemini-cli.js";

const provider = /* @__PURE__ */ createApiProvider(googleGeminiCliAdapter);

/** `stream` for models that are reached as Gemini CLI reaches them. */
export const streamGoogleGeminiCli: StreamFunction<"google-gemini-cli", GoogleGeminiCliOptions> =
  /* @__PURE__ */ nativeStream(provider);
/** `streamSimple` for models that are reached as Gemini CLI reaches them. */
export const streamSimpleGoogleGeminiCli: SimpleStreamFunction<"google-gemini-cli"> =
  /* @__PURE__ */ simpleStream(provider);
