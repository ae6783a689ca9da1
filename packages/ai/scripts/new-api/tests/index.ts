/** Tests of the Example API. */
import type { ApiTests } from "../../../test/protocols/api-tests.js";
import { faultWire } from "./fault-wire.js";
import { exampleApi } from "./fixtures.js";
import { exampleApiWire } from "./handoff.js";
import { checkExampleApi } from "./validator.js";

export const tests: ApiTests = {
  api: "example-api",
  fixtures: exampleApi,
  validate: checkExampleApi,
  handoff: {
    wire: exampleApiWire,
    targets: [exampleApi.model("https://api.example-api.test")],
    hidesReasoning: true,
    signsThinking: false,
  },
  sentOptions: {
    temperature: true,
    maxTokens: true,
    stopSequences: false,
    topP: false,
    seed: false,
    parallelToolCalls: false,
    verbosity: false,
    serviceTier: false,
    fallbacks: false,
    cacheRetention: false,
    sessionId: false,
    headers: true,
    metadata: false,
    foreignThinking: true,
    outputFormat: false,
    reasoning: true,
    thinkingBudgets: false,
    toolChoice: true,
  },
  faultWires: [faultWire],
};
