/** The Mistral API under every fault. */
import { runFaultMatrix } from "../../faults/run-fault-matrix.js";
import { tests } from "./index.js";

for (const wire of tests.faultWires) runFaultMatrix(wire);
