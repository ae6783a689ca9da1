/** Tests of the Responses API on Azure. */

import type { Model } from "pi-ai";
import { catalogueModel } from "../../handoff/catalogue-model.js";
import type { ApiTests } from "../api-tests.js";
import { azureWire } from "./fault-wire.js";
import { azureOpenAIResponses } from "./fixtures.js";
import { azureResponsesWire } from "./handoff.js";
import { checkAzureOpenAIResponses } from "./validator.js";

export const tests: ApiTests = {
  api: "azure-openai-responses",
  fixtures: azureOpenAIResponses,
  validate: checkAzureOpenAIResponses,
  handoff: {
    wire: azureResponsesWire,
    targets: [azureModel("gpt-5.2"), azureModel("gpt-4o")],
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
  faultWires: [azureWire],
};

/** The user sets the address. */
function azureModel(id: string): Model {
  return { ...catalogueModel("azure", id), baseUrl: "https://resource.openai.azure.com/openai/v1" };
}
