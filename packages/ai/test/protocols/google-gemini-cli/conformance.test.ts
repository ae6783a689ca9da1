/** Runs the conformance suite for the Gemini API through Cloud Code Assist. */
import { runAdapterConformance } from "../../conformance/run-conformance.js";
import { tests } from "./index.js";

runAdapterConformance(tests.fixtures);
