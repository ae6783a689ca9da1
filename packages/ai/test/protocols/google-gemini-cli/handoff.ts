/** Turns in the wire format of generateContent, wrapped as Cloud Code Assist wraps them. */
import type { Wire } from "../../handoff/script.js";
import { createGoogleWire } from "../google-generative-ai/handoff.js";

export const geminiCliWire: Wire = createGoogleWire("google-gemini-cli");
