/** The events of the Gemini API from Vertex AI, for the fault matrix. */
import type { FaultWireFormat } from "../../faults/fault-wire-format.js";
import { createGoogleWire } from "../google-generative-ai/fault-wire.js";
import { googleVertex } from "./fixtures.js";

export const vertexWire: FaultWireFormat = createGoogleWire(googleVertex, (json) => json);
