/** The Mistral API keeps every promise. */
import { runAdapterConformance } from "../../conformance/run-conformance.js";
import { mistralConversations } from "./fixtures.js";

runAdapterConformance(mistralConversations);
