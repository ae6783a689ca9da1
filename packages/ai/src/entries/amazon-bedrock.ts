/**
 * Amazon Bedrock's ConverseStream API, and nothing else: no other protocol, no registry of protocols, no catalogue of models.
 *
 * @module pi-ai/amazon-bedrock
 */
import { bedrockAdapter } from "../providers/amazon-bedrock/index.js";
import type { BedrockOptions } from "../providers/amazon-bedrock/options.js";
import { nativeStream, type SimpleStreamFunction, simpleStream } from "../providers/named-stream.js";
import { createApiProvider } from "../runtime/create-api-provider.js";
import type { StreamFunction } from "../types/options.js";

export type { BedrockOptions, BedrockThinkingDisplay } from "../providers/amazon-bedrock/options.js";

const provider = /* @__PURE__ */ createApiProvider(bedrockAdapter);

/** `stream` for models that speak Bedrock's ConverseStream. */
export const streamBedrock: StreamFunction<"bedrock-converse-stream", BedrockOptions> =
  /* @__PURE__ */ nativeStream(provider);
/** `streamSimple` for models that speak Bedrock's ConverseStream. */
export const streamSimpleBedrock: SimpleStreamFunction<"bedrock-converse-stream"> =
  /* @__PURE__ */ simpleStream(provider);
