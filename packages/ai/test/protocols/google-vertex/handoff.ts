/** Turns in the wire format of generateContent, from Vertex AI. */
import type { Wire } from "../../handoff/script.js";
import { createGoogleWire } from "../google-generative-ai/handoff.js";

export const vertexWire: Wire = createGoogleWire("google-vertex");
