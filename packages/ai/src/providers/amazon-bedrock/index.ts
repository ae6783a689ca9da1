/**
 * Amazon Bedrock's ConverseStream API, without the other apis, the registry and the model catalogue.
 *
 * @module pi-ai/amazon-bedrock
 */
// Generated from data/apis.jsonl by scripts/generate-apis.ts; do not edit.
// biome-ignore-all format: generated.
// biome-ignore-all assist/source/organizeImports: generated.
import { createApiProvider } from "../../driver/index.js";
import type { StreamFunction } from "../../types/options.js";
import { nativeStream, type SimpleStreamFunction, simpleStream } from "../../api-registry.js";
import { bedrockAdapter } from "./adapter.js";
import type { BedrockOptions } from "./options.js";

export type { BedrockOptions, BedrockThinkingDisplay } from "./options.js";

const provider = /* @__PURE__ */ createApiProvider(bedrockAdapter);

/** Streams a response over Amazon Bedrock's ConverseStream API, with the api's own options. */
export const streamBedrock: StreamFunction<"bedrock-converse-stream", BedrockOptions> =
  /* @__PURE__ */ nativeStream(provider);
/** Streams a response over Amazon Bedrock's ConverseStream API, with the options that every api takes. */
export const streamSimpleBedrock: SimpleStreamFunction<"bedrock-converse-stream"> =
  /* @__PURE__ */ simpleStream(provider);
