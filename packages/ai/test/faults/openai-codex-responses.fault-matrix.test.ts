/** ChatGPT's Responses API over HTTP under every fault. */
import { runFaultMatrix } from "./run-fault-matrix.js";
import { codexWire } from "./wires/responses.js";

runFaultMatrix(codexWire);
