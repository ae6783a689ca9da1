/** Runs the conformance suite for the Gemini API on Vertex AI. */
import { runAdapterConformance } from "../../conformance/run-conformance.js";
import { tests } from "./index.js";

runAdapterConformance(tests.fixtures);
