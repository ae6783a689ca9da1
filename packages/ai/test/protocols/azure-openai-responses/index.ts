/** Tests of the Responses API on Azure. */

import { azureOpenAIResponsesAdapter } from "../../../src/providers/openai-responses/azure.js";
import type { Model } from "../../../src/types/model.js";
import { catalogueModel } from "../../handoff/catalogue-model.js";
import type { ApiTests } from "../api-tests.js";
import { azureWire } from "./fault-wire.js";
import { azureOpenAIResponses } from "./fixtures.js";
import { azureResponsesWire } from "./handoff.js";
import { checkAzureOpenAIResponses } from "./validator.js";

export const tests: ApiTests = {
  adapter: azureOpenAIResponsesAdapter,
  fixtures: azureOpenAIResponses,
  validate: checkAzureOpenAIResponses,
  handoff: {
    wire: azureResponsesWire,
    targets: [azureModel("gpt-5.2"), azureModel("gpt-4o")],
  },
  sentOptions: {
    temperature: true,
    maxTokens: true,
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
