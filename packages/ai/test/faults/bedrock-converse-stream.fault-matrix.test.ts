/** ConverseStream of Amazon Bedrock under every fault. */
import { runFaultMatrix } from "./run-fault-matrix.js";
import { bedrockWire } from "./wires/bedrock.js";

runFaultMatrix(bedrockWire);
