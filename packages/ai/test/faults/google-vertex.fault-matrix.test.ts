/** The Gemini API on Vertex AI under every fault. */
import { runFaultMatrix } from "./run-fault-matrix.js";
import { vertexWire } from "./wires/google.js";

runFaultMatrix(vertexWire);
