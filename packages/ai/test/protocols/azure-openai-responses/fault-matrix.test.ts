/** The Responses API of Azure under every fault. */
import { runFaultMatrix } from "../../faults/run-fault-matrix.js";
import { azureWire } from "./fault-wire.js";

runFaultMatrix(azureWire);
