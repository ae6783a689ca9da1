/** The Gemini API on Vertex AI under every fault. */
import { runFaultMatrix } from "../../faults/run-fault-matrix.js";
import { vertexWire } from "./fault-wire.js";

runFaultMatrix(vertexWire);
