/** The Responses API of OpenAI and compatible servers. */
import { RESPONSES_OUTPUT, RESPONSES_TOOL_RULES, resolveResponsesFlags } from "../../catalogue/compat/index.js";
import type { VendorAdapter } from "../../driver/index.js";
import { directFetch, toWireResponse } from "../../transport/index.js";
import { sendThroughOpenAI } from "../../transport/sdk/openai.js";
import { RESPONSES_CONVERSATION } from "./attachments.js";
import { type OpenAIResponsesOptions, simpleResponsesOptions } from "./options.js";
import { buildResponsesRequest } from "./request.js";
import { createResponsesMapping, RESPONSES_ENDED_EARLY } from "./stream.js";
import { RESPONSES_CONTEXT, RESPONSES_FILES, RESPONSES_TOOLS } from "./vendor-features.js";
import { readWholeResponse } from "./whole-response.js";

export const openAIResponsesAdapter: VendorAdapter<OpenAIResponsesOptions> = {
  api: "openai-responses",
  fetch: directFetch,
  takesClient: true,
  keyOptional: "loopback",
  endedEarly: RESPONSES_ENDED_EARLY,
  omits: ["metadata", "thinkingBudgets"],
  ownOptions: { toolChoice: true, reasoningEffort: true, reasoningSummary: true, client: true },
  conversation: RESPONSES_CONVERSATION,
  serverTools: RESPONSES_TOOLS,
  contextManagement: RESPONSES_CONTEXT,
  outputRows: RESPONSES_OUTPUT,
  toolRows: RESPONSES_TOOL_RULES,
  files: RESPONSES_FILES,
  simpleOptions: simpleResponsesOptions,
  buildRequest: buildResponsesRequest,
  send: async (wireRequest, { options }, io) =>
    toWireResponse(await sendThroughOpenAI(wireRequest, io, options.client), "sse"),
  readWhole: readWholeResponse,
  createMapping: ({ model, options }) =>
    createResponsesMapping(model.provider, resolveResponsesFlags(model), options.serviceTier),
};
