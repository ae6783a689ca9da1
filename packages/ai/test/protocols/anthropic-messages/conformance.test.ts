/** Runs the conformance suite for the Anthropic Messages API. */
import { runAdapterConformance } from "../../conformance/run-conformance.js";
import { tests } from "./index.js";

runAdapterConformance(tests.fixtures);
