/** The Mistral API: chat completions with Mistral's own rules. */

import { MISTRAL_OUTPUT, MISTRAL_TOOL_RULES } from "../../catalogue/compat/index.js";
import type { VendorAdapter } from "../../driver/index.js";
import { ProviderError } from "../../errors.js";
import { directFetch, postJson, toWireResponse } from "../../transport/index.js";
import { statesReasons } from "../chat-ending.js";
import { largeDocumentFault } from "../file-limits.js";
import { readWholeChat } from "../whole-chat.js";
import { type MistralOptions, simpleMistralOptions } from "./options.js";
import { buildMistralRequest, MAX_DOCUMENT_BYTES } from "./request.js";
import { createMistralMapping } from "./stream.js";
import { MISTRAL_FILES } from "./vendor-features.js";

export const mistralAdapter: VendorAdapter<MistralOptions> = {
  api: "mistral-conversations",
  fetch: directFetch,
  endedEarly: "Stream ended without finish_reason",
  omits: ["metadata", "thinkingBudgets"],
  ownOptions: { toolChoice: true, promptMode: true, reasoningEffort: true },
  conversation: { field: "messages" },
  // "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant" (NEKOparapa/AiNiee#641, 2025-06).
  refusesPrefill: true,
  outputRows: MISTRAL_OUTPUT,
  toolRows: MISTRAL_TOOL_RULES,
  files: MISTRAL_FILES,
  fileFault: (block) => largeDocumentFault(block, MAX_DOCUMENT_BYTES),
  simpleOptions: simpleMistralOptions,
  buildRequest: buildMistralRequest,
  send: async (wireRequest, _request, io) =>
    toWireResponse(await postJson(wireRequest, io).catch(rethrowWithBody), "sse"),
  readWhole: readWholeChat,
  createMapping: ({ model, context }) => createMistralMapping(model.provider, () => statesReasons({ model, context })),
};

/** Names the provider and quotes the raw body, because its shape varies between errors. */
function rethrowWithBody(error: unknown): never {
  if (!(error instanceof ProviderError) || error.status === undefined) throw error;
  throw error.withMessage(`Mistral API error (${error.status}): ${error.body || error.message}`);
}
