/** Hand-written responses of the Responses API, from Azure. */
import type { HttpFixtures } from "../../conformance/http-target.js";
import { createResponsesFixtures } from "../openai-responses/fixtures.js";

export const azureOpenAIResponses: HttpFixtures = createResponsesFixtures("azure-openai-responses");
