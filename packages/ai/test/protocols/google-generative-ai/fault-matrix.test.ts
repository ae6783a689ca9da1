/** The Gemini API under every fault. */
import { runFaultMatrix } from "../../faults/run-fault-matrix.js";
import { generativeWire } from "./fault-wire.js";

runFaultMatrix(generativeWire);
