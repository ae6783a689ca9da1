/** The Anthropic Messages API under every fault. */
import { runFaultMatrix } from "../../faults/run-fault-matrix.js";
import { anthropicWire } from "./fault-wire.js";

runFaultMatrix(anthropicWire);
