/** Tests of the Mistral API. */

import { catalogueModel } from "../../handoff/catalogue-model.js";
import type { ApiTests } from "../api-tests.js";
import { mistralWire as faultWire } from "./fault-wire.js";
import { mistralConversations } from "./fixtures.js";
import { mistralFlags } from "./flags.js";
import { mistralWire } from "./handoff.js";
import { mistralRecordings } from "./recordings.js";
import { checkMistralConversations } from "./validator.js";

export const tests: ApiTests = {
  api: "mistral-conversations",
  fixtures: mistralConversations,
  validate: checkMistralConversations,
  handoff: {
    wire: mistralWire,
    targets: [catalogueModel("mistral", "magistral-medium-latest"), catalogueModel("mistral", "devstral-2512")],
    hidesReasoning: true,
    signsThinking: false,
  },
  sentOptions: {
    temperature: true,
    maxTokens: true,
    stopSequences: true,
    topP: true,
    seed: true,
    parallelToolCalls: true,
    verbosity: false,
    serviceTier: false,
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
  recordings: mistralRecordings,
  flags: mistralFlags,
};
