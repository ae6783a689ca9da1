/** The Responses API keeps every promise. */
import { runAdapterConformance } from "../../conformance/run-conformance.js";
import { openAIResponses } from "./fixtures.js";

runAdapterConformance(openAIResponses);
