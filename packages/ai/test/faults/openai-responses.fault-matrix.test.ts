/** The Responses API under every fault. */
import { runFaultMatrix } from "./run-fault-matrix.js";
import { responsesWire } from "./wires/responses.js";

runFaultMatrix(responsesWire);
