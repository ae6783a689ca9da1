/** The Responses API of Azure keeps every promise. */
import { runAdapterConformance } from "./adapter-conformance.js";
import { azureOpenAIResponses } from "./dialects/responses-hosts.js";

runAdapterConformance(azureOpenAIResponses);
