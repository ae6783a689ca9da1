/** The Responses API keeps every promise. */
import { runAdapterConformance } from "./adapter-conformance.js";
import { openAIResponses } from "./dialects/openai-responses.js";

runAdapterConformance(openAIResponses);
