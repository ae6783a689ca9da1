/** The Chat Completions API keeps every promise. */
import { runAdapterConformance } from "../../conformance/run-conformance.js";
import { openAICompletions } from "./fixtures.js";

runAdapterConformance(openAICompletions);
