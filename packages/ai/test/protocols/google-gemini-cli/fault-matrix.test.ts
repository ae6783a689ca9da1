/** Cloud Code Assist under every fault. */
import { runFaultMatrix } from "../../faults/run-fault-matrix.js";
import { geminiCliWire } from "./fault-wire.js";

runFaultMatrix(geminiCliWire);
