/** The Responses API of Azure under every fault. */
import { runFaultMatrix } from "./run-fault-matrix.js";
import { azureWire } from "./wires/responses.js";

runFaultMatrix(azureWire);
