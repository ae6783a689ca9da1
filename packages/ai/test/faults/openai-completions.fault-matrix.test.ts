/** The Chat Completions API under every fault. */
import { runFaultMatrix } from "./run-fault-matrix.js";
import { completionsWire } from "./wires/chat.js";

runFaultMatrix(completionsWire);
