/** The Gemini API. */
import { GOOGLE_OUTPUT, GOOGLE_TOOL_RULES } from "../../catalogue/compat/index.js";
import type { VendorAdapter } from "../../driver/index.js";
import { directFetch, toWireResponse } from "../../transport/index.js";
import { sendThroughGoogle, sendThroughInjectedClient } from "../../transport/sdk/google.js";
import { largeDocumentFault } from "../file-limits.js";
import { pricedByTier } from "../service-tier.js";
import { type GoogleOptions, simpleGoogleOptions } from "./options.js";
import { repairChoice } from "./repair-choice.js";
import { buildGoogleRequest, continueGoogleRequest, MAX_DOCUMENT_BYTES } from "./request.js";
import { googleRetryDelay } from "./retry-delay.js";
import { createGoogleMapping, GEMINI_TIER_FACTORS, GOOGLE_ENDED_EARLY, tierOfChunk } from "./stream.js";
import { GOOGLE_FILES, GOOGLE_TOOLS } from "./vendor-features.js";
import { readWholeGoogle } from "./whole-response.js";

export const googleAdapter: VendorAdapter<GoogleOptions> = {
  api: "google-generative-ai",
  fetch: directFetch,
  takesClient: true,
  endedEarly: GOOGLE_ENDED_EARLY,
  omits: ["metadata"],
  ownOptions: { toolChoice: true, thinking: true, client: true },
  serverTools: GOOGLE_TOOLS,
  outputRows: GOOGLE_OUTPUT,
  toolRows: GOOGLE_TOOL_RULES,
  files: GOOGLE_FILES,
  fileFault: (block) => largeDocumentFault(block, MAX_DOCUMENT_BYTES),
  simpleOptions: simpleGoogleOptions,
  buildRequest: buildGoogleRequest,
  send: async (wireRequest, { options: { client } }, io) => {
    const send = client ? sendThroughInjectedClient(client, wireRequest, io) : sendThroughGoogle(wireRequest, io);
    return toWireResponse(await send, "sse");
  },
  repair: repairChoice,
  readWhole: readWholeGoogle,
  continueWith: continueGoogleRequest,
  createMapping: ({ model, options: { serviceTier } }) =>
    pricedByTier(createGoogleMapping(model.provider), {
      factors: GEMINI_TIER_FACTORS,
      requested: serviceTier,
      read: tierOfChunk,
    }),
  retryDelay: googleRetryDelay,
};
