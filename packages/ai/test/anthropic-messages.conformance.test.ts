/** The Anthropic Messages API keeps every promise. */
import { runAdapterConformance } from "./adapter-conformance.js";
import { anthropicMessages } from "./dialects/anthropic-messages.js";

runAdapterConformance(anthropicMessages);
