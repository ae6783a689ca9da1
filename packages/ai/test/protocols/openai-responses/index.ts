/** Tests of the Responses API. */

import { catalogueModel, firstModelOf } from "../../handoff/catalogue-model.js";
import type { ApiTests } from "../api-tests.js";
import { responsesWire as faultWire } from "./fault-wire.js";
import { openAIResponses } from "./fixtures.js";
import { responsesFlags } from "./flags.js";
import { responsesWire } from "./handoff.js";
import { responsesRecordings } from "./recordings.js";
import { checkOpenAIResponses } from "./validator.js";

export const tests: ApiTests = {
  api: "openai-responses",
  fixtures: openAIResponses,
  validate: checkOpenAIResponses,
  handoff: {
    wire: responsesWire,
    targets: [
      catalogueModel("openai", "gpt-5.2"),
      catalogueModel("openai", "gpt-4o"),
      firstModelOf("xai", "openai-responses"),
      firstModelOf("github-copilot", "openai-responses"),
    ],
  },
  sentOptions: {
    temperature: true,
    maxTokens: true,
    stopSequences: false,
    topP: true,
    seed: false,
    parallelToolCalls: true,
    verbosity: true,
    serviceTier: true,
    fallbacks: false,
    cacheRetention: true,
    sessionId: true,
    headers: true,
    metadata: false,
    foreignThinking: true,
    outputFormat: true,
    reasoning: true,
    thinkingBudgets: false,
    toolChoice: true,
  },
  faultWires: [faultWire],
  recordings: responsesRecordings,
  flags: responsesFlags,
};
