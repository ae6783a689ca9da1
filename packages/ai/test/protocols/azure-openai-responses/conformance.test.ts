/** Runs the conformance suite for the Responses API on Azure. */
import { runAdapterConformance } from "../../conformance/run-conformance.js";
import { tests } from "./index.js";

runAdapterConformance(tests.fixtures);
