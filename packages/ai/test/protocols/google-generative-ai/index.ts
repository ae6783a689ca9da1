/** Tests of the Gemini API. */

import { catalogueModel } from "../../handoff/catalogue-model.js";
import type { ApiTests } from "../api-tests.js";
import { generativeWire } from "./fault-wire.js";
import { googleGenerativeAI } from "./fixtures.js";
import { googleWire } from "./handoff.js";
import { googleRecordings } from "./recordings.js";
import { checkGoogleGenerativeAi } from "./validator.js";

export const tests: ApiTests = {
  api: "google-generative-ai",
  fixtures: googleGenerativeAI,
  validate: checkGoogleGenerativeAi,
  handoff: {
    wire: googleWire,
    targets: [
      catalogueModel("google", "gemini-3.1-pro-preview"),
      catalogueModel("google", "gemini-2.5-flash"),
      catalogueModel("google", "gemma-4-31b-it"),
    ],
  },
  sentOptions: {
    temperature: true,
    maxTokens: true,
    stopSequences: true,
    topP: true,
    seed: true,
    parallelToolCalls: false,
    verbosity: false,
    serviceTier: true,
    fallbacks: false,
    cacheRetention: false,
    sessionId: false,
    headers: true,
    metadata: false,
    foreignThinking: true,
    outputFormat: true,
    reasoning: true,
    thinkingBudgets: true,
    toolChoice: true,
  },
  optionsModel: { id: "gemini-2.5-flash" },
  faultWires: [generativeWire],
  recordings: googleRecordings,
};
