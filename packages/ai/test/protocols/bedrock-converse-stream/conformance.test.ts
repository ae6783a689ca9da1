/** Runs the conformance suite for Amazon Bedrock's ConverseStream API. */
import { runAdapterConformance } from "../../conformance/run-conformance.js";
import { tests } from "./index.js";

runAdapterConformance(tests.fixtures);
