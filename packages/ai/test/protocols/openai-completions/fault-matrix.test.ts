/** The Chat Completions API under every fault. */
import { runFaultMatrix } from "../../faults/run-fault-matrix.js";
import { completionsWire } from "./fault-wire.js";

runFaultMatrix(completionsWire);
