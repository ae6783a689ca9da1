/** The Mistral API keeps every promise. */
import { runAdapterConformance } from "./adapter-conformance.js";
import { mistralConversations } from "./dialects/mistral-conversations.js";

runAdapterConformance(mistralConversations);
