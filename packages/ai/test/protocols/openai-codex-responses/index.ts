/** Tests of the Responses API of a ChatGPT subscription. */

import { catalogueModel } from "../../handoff/catalogue-model.js";
import type { ApiTests } from "../api-tests.js";
import { codexSocketWire, codexWire } from "./fault-wire.js";
import { openAICodexResponses } from "./fixtures.js";
import { codexResponsesWire } from "./handoff.js";
import { checkOpenAICodexResponses } from "./validator.js";

export const tests: ApiTests = {
  api: "openai-codex-responses",
  fixtures: openAICodexResponses,
  validate: checkOpenAICodexResponses,
  handoff: {
    wire: codexResponsesWire,
    targets: [catalogueModel("openai-codex", "gpt-6-luna"), catalogueModel("openai-codex", "gpt-5.6-sol")],
    apiKey: createCodexToken(),
  },
  sentOptions: {
    temperature: true,
    maxTokens: true,
    stopSequences: false,
    topP: false,
    seed: false,
    parallelToolCalls: true,
    verbosity: true,
    serviceTier: true,
    fallbacks: false,
    cacheRetention: false,
    sessionId: true,
    headers: true,
    metadata: false,
    foreignThinking: true,
    outputFormat: true,
    reasoning: true,
    thinkingBudgets: false,
    toolChoice: true,
  },
  faultWires: [codexWire, codexSocketWire],
};

/** An unsigned token: only the account id is read. */
function createCodexToken(): string {
  const claims = { "https://api.openai.com/auth": { chatgpt_account_id: "account" } };
  return `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`;
}
