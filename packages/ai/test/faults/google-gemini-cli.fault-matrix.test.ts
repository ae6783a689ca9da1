/** Cloud Code Assist under every fault. */
import { runFaultMatrix } from "./run-fault-matrix.js";
import { geminiCliWire } from "./wires/google.js";

runFaultMatrix(geminiCliWire);
