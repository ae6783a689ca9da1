/** ConverseStream of Amazon Bedrock. */

import { BEDROCK_OUTPUT, BEDROCK_TOOL_RULES } from "../../catalogue/compat/index.js";
import type { VendorAdapter } from "../../driver/index.js";
import { ProviderError } from "../../errors.js";
import { httpProxyFetch, toWireResponse } from "../../transport/index.js";
import { sendConverseStream } from "../../transport/sdk/aws.js";
import { awsEventStream } from "../../wire/index.js";
import { repairThinking } from "../repair-thinking.js";
import { pricedByTier } from "../service-tier.js";
import { bedrockFileFault } from "./attachments.js";
import { resolveAwsSettings } from "./aws-settings.js";
import { withTitle } from "./bedrock-errors.js";
import { type BedrockOptions, simpleBedrockOptions } from "./options.js";
import { buildBedrockRequest } from "./request.js";
import { BEDROCK_TIER_FACTORS, createBedrockMapping, tierOfEvent } from "./stream.js";
import { BEDROCK_FILES, BEDROCK_TOOLS } from "./vendor-features.js";
import { readWholeConverse } from "./whole-response.js";

export const bedrockAdapter: VendorAdapter<BedrockOptions> = {
  api: "bedrock-converse-stream",
  keyOptional: true,
  endedEarly: "Bedrock stream ended before messageStop",
  omits: ["metadata"],
  fetch: httpProxyFetch,
  ownOptions: {
    region: true,
    profile: true,
    bearerToken: true,
    credentials: true,
    client: true,
    toolChoice: true,
    reasoning: true,
    thinkingBudgets: true,
    interleavedThinking: true,
    thinkingDisplay: true,
    requestMetadata: true,
  },
  serverTools: BEDROCK_TOOLS,
  outputRows: BEDROCK_OUTPUT,
  toolRows: BEDROCK_TOOL_RULES,
  files: BEDROCK_FILES,
  fileFault: bedrockFileFault,
  simpleOptions: simpleBedrockOptions,
  buildRequest: buildBedrockRequest,
  send: async (wireRequest, request, io) => {
    const response = await sendConverseStream(wireRequest, resolveAwsSettings(request), io).catch(rethrowWithTitle);
    return toWireResponse(response, awsEventStream);
  },
  repair: repairThinking,
  readWhole: readWholeConverse,
  createMapping: ({ model, options: { serviceTier } }) =>
    pricedByTier(createBedrockMapping(model.provider), {
      factors: BEDROCK_TIER_FACTORS,
      requested: serviceTier,
      read: tierOfEvent,
    }),
};

function rethrowWithTitle(error: unknown): never {
  throw error instanceof ProviderError && error.status !== undefined ? withTitle(error) : error;
}
