/**
 * The Gemini API as Gemini CLI reaches it, through Cloud Code Assist, without the other apis, the registry and the model catalogue.
 *
 * @module pi-ai/google-gemini-cli
 */
// Generated from data/apis.jsonl by scripts/generate-apis.ts; do not edit.
// biome-ignore-all format: generated.
// biome-ignore-all assist/source/organizeImports: generated.
import { createApiProvider } from "../../driver/index.js";
import type { StreamFunction } from "../../types/options.js";
import { nativeStream, type SimpleStreamFunction, simpleStream } from "../../api-registry.js";
import { googleGeminiCliAdapter } from "./gemini-cli.js";
import type { GoogleGeminiCliOptions } from "./gemini-cli.js";

export type { GoogleGeminiCliOptions } from "./gemini-cli.js";

const provider = /* @__PURE__ */ createApiProvider(googleGeminiCliAdapter);

/** Streams a response over the Gemini API as Gemini CLI reaches it, through Cloud Code Assist, with the api's own options. */
export const streamGoogleGeminiCli: StreamFunction<"google-gemini-cli", GoogleGeminiCliOptions> =
  /* @__PURE__ */ nativeStream(provider);
/** Streams a response over the Gemini API as Gemini CLI reaches it, through Cloud Code Assist, with the options that every api takes. */
export const streamSimpleGoogleGeminiCli: SimpleStreamFunction<"google-gemini-cli"> =
  /* @__PURE__ */ simpleStream(provider);
