/** ConverseStream of Amazon Bedrock keeps every promise. */
import { runAdapterConformance } from "./adapter-conformance.js";
import { bedrockConverseStream } from "./dialects/bedrock-converse-stream.js";

runAdapterConformance(bedrockConverseStream);
