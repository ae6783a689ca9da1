/** ChatGPT's Responses API over a WebSocket under every fault. */
import { runFaultMatrix } from "./run-fault-matrix.js";
import { codexSocketWire } from "./wires/responses.js";

runFaultMatrix(codexSocketWire);
