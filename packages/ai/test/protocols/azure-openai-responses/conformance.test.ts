/** The Responses API of Azure keeps every promise. */
import { runAdapterConformance } from "../../conformance/run-conformance.js";
import { azureOpenAIResponses } from "./fixtures.js";

runAdapterConformance(azureOpenAIResponses);
