/** The Gemini API through Cloud Code Assist passes the conformance suite. */
import { runAdapterConformance } from "../../conformance/run-conformance.js";
import { tests } from "./index.js";

runAdapterConformance(tests.fixtures);
