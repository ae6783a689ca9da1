/** Tests of the Gemini API through Cloud Code Assist. */

import type { Model } from "pi-ai";
import { catalogueModel } from "../../handoff/catalogue-model.js";
import type { ApiTests } from "../api-tests.js";
import { geminiCliWire as faultWire } from "./fault-wire.js";
import { googleGeminiCli } from "./fixtures.js";
import { geminiCliWire } from "./handoff.js";
import { checkGoogleGeminiCli } from "./validator.js";

export const tests: ApiTests = {
  api: "google-gemini-cli",
  fixtures: googleGeminiCli,
  validate: checkGoogleGeminiCli,
  handoff: {
    wire: geminiCliWire,
    targets: [
      codeAssistModel("gemini-2.5-pro"),
      codeAssistModel("gemini-3.1-pro-preview"),
      // Google pairs calls and results by id for hosted models of other vendors.
      { ...codeAssistModel("gemini-3.1-pro-preview"), id: "claude-sonnet-4-5" },
    ],
    apiKey: JSON.stringify({ token: "token", projectId: "project" }),
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

/** Cloud Code Assist's models are not in the catalogue. */
function codeAssistModel(id: string): Model {
  const provider = "google-gemini-cli";
  return { ...catalogueModel("google", id), api: provider, provider, baseUrl: "https://cloudcode-pa.googleapis.com" };
}
