/** ChatGPT's Responses API over a WebSocket under every fault. */
import { runFaultMatrix } from "../../faults/run-fault-matrix.js";
import { codexSocketWire } from "./fault-wire.js";

runFaultMatrix(codexSocketWire);
