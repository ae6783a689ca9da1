/** The Anthropic Messages API keeps every promise. */
import { runAdapterConformance } from "../../conformance/run-conformance.js";
import { anthropicMessages } from "./fixtures.js";

runAdapterConformance(anthropicMessages);
