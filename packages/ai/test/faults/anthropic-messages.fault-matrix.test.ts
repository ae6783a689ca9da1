/** The Anthropic Messages API under every fault. */
import { runFaultMatrix } from "./run-fault-matrix.js";
import { anthropicWire } from "./wires/anthropic.js";

runFaultMatrix(anthropicWire);
