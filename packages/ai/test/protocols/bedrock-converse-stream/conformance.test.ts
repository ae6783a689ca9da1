/** ConverseStream of Amazon Bedrock keeps every promise. */
import { runAdapterConformance } from "../../conformance/run-conformance.js";
import { bedrockConverseStream } from "./fixtures.js";

runAdapterConformance(bedrockConverseStream);
