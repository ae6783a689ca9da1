/** Tests of the Gemini API on Vertex AI. */

import { catalogueModel } from "../../handoff/catalogue-model.js";
import type { ApiTests } from "../api-tests.js";
import { vertexWire as faultWire } from "./fault-wire.js";
import { googleVertex } from "./fixtures.js";
import { vertexWire } from "./handoff.js";
import { checkGoogleVertex } from "./validator.js";

export const tests: ApiTests = {
  api: "google-vertex",
  fixtures: googleVertex,
  validate: checkGoogleVertex,
  handoff: {
    wire: vertexWire,
    targets: [
      catalogueModel("google-vertex", "gemini-2.5-pro"),
      catalogueModel("google-vertex", "gemini-3-flash-preview"),
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
    serviceTier: false,
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
  faultWires: [faultWire],
};
