/** Tests of the Anthropic Messages API. */

import { catalogueModel, firstModelOf } from "../../handoff/catalogue-model.js";
import type { ApiTests } from "../api-tests.js";
import { anthropicWire as faultWire } from "./fault-wire.js";
import { anthropicMessages } from "./fixtures.js";
import { anthropicFlags } from "./flags.js";
import { anthropicWire } from "./handoff.js";
import { anthropicEvent } from "./random-events.js";
import { anthropicRecordings } from "./recordings.js";
import { checkAnthropicMessages } from "./validator.js";

export const tests: ApiTests = {
  api: "anthropic-messages",
  fixtures: anthropicMessages,
  validate: checkAnthropicMessages,
  handoff: {
    wire: anthropicWire,
    targets: [
      catalogueModel("anthropic", "claude-sonnet-4-5"),
      catalogueModel("anthropic", "claude-opus-4-6"),
      firstModelOf("fireworks", "anthropic-messages"),
    ],
  },
  sentOptions: {
    temperature: true,
    maxTokens: true,
    stopSequences: true,
    topP: true,
    seed: false,
    parallelToolCalls: true,
    verbosity: false,
    serviceTier: true,
    fallbacks: true,
    cacheRetention: true,
    sessionId: true,
    headers: true,
    metadata: true,
    foreignThinking: true,
    outputFormat: true,
    reasoning: true,
    thinkingBudgets: true,
    toolChoice: true,
  },
  optionsModel: { baseUrl: "https://api.anthropic.com", compat: { sendSessionAffinityHeaders: true } },
  faultWires: [faultWire],
  recordings: anthropicRecordings,
  flags: anthropicFlags,
  events: anthropicEvent,
};
