/** The Responses API under every fault. */
import { runFaultMatrix } from "../../faults/run-fault-matrix.js";
import { responsesWire } from "./fault-wire.js";

runFaultMatrix(responsesWire);
