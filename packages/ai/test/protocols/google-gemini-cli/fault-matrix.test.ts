/** The Gemini API through Cloud Code Assist under every fault. */
import { runFaultMatrix } from "../../faults/run-fault-matrix.js";
import { tests } from "./index.js";

for (const wire of tests.faultWires) runFaultMatrix(wire);
