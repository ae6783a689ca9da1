/** The Chat Completions API of OpenAI and compatible servers. */
import { COMPLETIONS_OUTPUT, COMPLETIONS_TOOL_RULES, resolveCompletionsFlags } from "../../catalogue/compat/index.js";
import type { VendorAdapter } from "../../driver/index.js";
import { directFetch, toWireResponse } from "../../transport/index.js";
import { sendThroughOpenAI } from "../../transport/sdk/openai.js";
import { statesReasons } from "../chat-ending.js";
import { OPENAI_TIER_FACTORS, pricedByTier } from "../service-tier.js";
import { readWholeChat } from "../whole-chat.js";
import { type OpenAICompletionsOptions, simpleCompletionsOptions } from "./options.js";
import { buildCompletionsRequest } from "./request.js";
import { createCompletionsMapping, tierOfChunk } from "./stream.js";
import { COMPLETIONS_FILES, COMPLETIONS_TOOLS } from "./vendor-features.js";

export const openAICompletionsAdapter: VendorAdapter<OpenAICompletionsOptions> = {
  api: "openai-completions",
  fetch: directFetch,
  takesClient: true,
  keyOptional: "loopback",
  endedEarly: "Stream ended without finish_reason",
  omits: ["metadata"],
  ownOptions: { toolChoice: true, reasoningEffort: true, thinkingBudgets: true, client: true },
  serverTools: COMPLETIONS_TOOLS,
  conversation: { field: "messages" },
  outputRows: COMPLETIONS_OUTPUT,
  toolRows: COMPLETIONS_TOOL_RULES,
  files: COMPLETIONS_FILES,
  simpleOptions: simpleCompletionsOptions,
  buildRequest: buildCompletionsRequest,
  send: async (wireRequest, { options }, io) =>
    toWireResponse(await sendThroughOpenAI(wireRequest, io, options.client), "sse"),
  readWhole: readWholeChat,
  createMapping: ({ model, context, options: { serviceTier } }) => {
    const flags = resolveCompletionsFlags(model);
    const mapping = createCompletionsMapping(model.provider, flags, () => statesReasons({ model, context }));
    const factors = flags.isOpenAI ? { ...OPENAI_TIER_FACTORS, ...flags.tierFactors } : undefined;
    return factors ? pricedByTier(mapping, { factors, requested: serviceTier, read: tierOfChunk }) : mapping;
  },
};
