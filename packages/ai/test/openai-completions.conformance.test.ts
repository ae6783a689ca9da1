/** The Chat Completions API keeps every promise. */
import { runAdapterConformance } from "./adapter-conformance.js";
import { openAICompletions } from "./dialects/openai-completions.js";

runAdapterConformance(openAICompletions);
