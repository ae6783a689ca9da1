/** ChatGPT's Responses API over HTTP under every fault. */
import { runFaultMatrix } from "../../faults/run-fault-matrix.js";
import { codexWire } from "./fault-wire.js";

runFaultMatrix(codexWire);
