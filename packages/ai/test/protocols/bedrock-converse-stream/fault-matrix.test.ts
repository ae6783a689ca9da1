/** ConverseStream of Amazon Bedrock under every fault. */
import { runFaultMatrix } from "../../faults/run-fault-matrix.js";
import { bedrockWire } from "./fault-wire.js";

runFaultMatrix(bedrockWire);
