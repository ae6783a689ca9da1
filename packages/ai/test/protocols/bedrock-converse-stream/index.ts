/** Tests of Amazon Bedrock's ConverseStream API. */

import { catalogueModel } from "../../handoff/catalogue-model.js";
import type { ApiTests } from "../api-tests.js";
import { bedrockWire as faultWire } from "./fault-wire.js";
import { bedrockConverseStream } from "./fixtures.js";
import { bedrockWire } from "./handoff.js";
import { awsEvent } from "./random-events.js";
import { bedrockRecordings } from "./recordings.js";
import { checkBedrockConverseStream } from "./validator.js";

export const tests: ApiTests = {
  api: "bedrock-converse-stream",
  fixtures: bedrockConverseStream,
  validate: checkBedrockConverseStream,
  handoff: {
    wire: bedrockWire,
    targets: [
      catalogueModel("amazon-bedrock", "anthropic.claude-sonnet-4-5-20250929-v1:0"),
      catalogueModel("amazon-bedrock", "anthropic.claude-opus-4-6-v1"),
      catalogueModel("amazon-bedrock", "amazon.nova-lite-v1:0"),
      catalogueModel("amazon-bedrock", "deepseek.v3.2"),
    ],
  },
  sentOptions: {
    temperature: true,
    maxTokens: true,
    stopSequences: true,
    topP: true,
    seed: false,
    parallelToolCalls: false,
    verbosity: false,
    serviceTier: true,
    fallbacks: false,
    cacheRetention: true,
    sessionId: false,
    headers: true,
    metadata: false,
    foreignThinking: true,
    outputFormat: true,
    reasoning: true,
    thinkingBudgets: true,
    toolChoice: true,
  },
  optionsModel: { id: "anthropic.claude-sonnet-4-5-20250929-v1:0" },
  faultWires: [faultWire],
  recordings: bedrockRecordings,
  events: awsEvent,
};
