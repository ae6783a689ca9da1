/** The Anthropic Messages API. */
import { ANTHROPIC_OUTPUT, ANTHROPIC_TOOL_RULES, resolveAnthropicFlags } from "../../catalogue/compat/index.js";
import type { VendorAdapter } from "../../driver/index.js";
import { inputKindOf } from "../../request/index.js";
import { directFetch, toWireResponse } from "../../transport/index.js";
import { sendThroughAnthropic } from "../../transport/sdk/anthropic.js";
import { repairThinking } from "../repair-thinking.js";
import { findPrice } from "./fallbacks.js";
import { ANTHROPIC_CONVERSATION } from "./messages.js";
import { type AnthropicOptions, simpleAnthropicOptions } from "./options.js";
import { buildAnthropicRequest } from "./request.js";
import { withoutGoneTools } from "./settle-server-tools.js";
import { createAnthropicMapping } from "./stream.js";
import { ANTHROPIC_THREAD } from "./thread.js";
import { ANTHROPIC_CONTEXT, ANTHROPIC_FILES, ANTHROPIC_TOOLS } from "./vendor-features.js";
import { readWholeMessage } from "./whole-message.js";

export const anthropicAdapter: VendorAdapter<AnthropicOptions> = {
  api: "anthropic-messages",
  fetch: directFetch,
  takesClient: true,
  keyOptional: "loopback",
  endedEarly: "Anthropic stream ended before message_stop",
  ownOptions: {
    thinkingEnabled: true,
    thinkingBudgetTokens: true,
    effort: true,
    thinkingDisplay: true,
    interleavedThinking: true,
    toolChoice: true,
    client: true,
  },
  conversation: ANTHROPIC_CONVERSATION,
  serverTools: ANTHROPIC_TOOLS,
  contextManagement: ANTHROPIC_CONTEXT,
  outputRows: ANTHROPIC_OUTPUT,
  toolRows: ANTHROPIC_TOOL_RULES,
  files: ANTHROPIC_FILES,
  settle: withoutGoneTools,
  thread: ANTHROPIC_THREAD,
  fileFault: (block) =>
    block.type === "file" && !block.data && !block.fileId && block.url && inputKindOf(block.mimeType) === "text"
      ? "Anthropic loads images and PDF files by URL only"
      : undefined,
  simpleOptions: simpleAnthropicOptions,
  buildRequest: buildAnthropicRequest,
  send: async (wireRequest, { options }, io) =>
    toWireResponse(await sendThroughAnthropic(wireRequest, io, options.client), "sse"),
  repair: repairThinking,
  readWhole: readWholeMessage,
  createMapping: ({ model }) =>
    createAnthropicMapping(model.provider, {
      ...resolveAnthropicFlags(model),
      model,
      find: (id) => findPrice(model.provider, id),
    }),
};
