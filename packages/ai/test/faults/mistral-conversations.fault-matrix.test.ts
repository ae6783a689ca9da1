/** The Mistral API under every fault. */
import { runFaultMatrix } from "./run-fault-matrix.js";
import { mistralWire } from "./wires/chat.js";

runFaultMatrix(mistralWire);
