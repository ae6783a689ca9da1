/** The Mistral API under every fault. */
import { runFaultMatrix } from "../../faults/run-fault-matrix.js";
import { mistralWire } from "./fault-wire.js";

runFaultMatrix(mistralWire);
