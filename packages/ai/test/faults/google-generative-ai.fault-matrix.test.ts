/** The Gemini API under every fault. */
import { runFaultMatrix } from "./run-fault-matrix.js";
import { generativeWire } from "./wires/google.js";

runFaultMatrix(generativeWire);
