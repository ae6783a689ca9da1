/** The events of the Gemini API, wrapped as Cloud Code Assist wraps them, for the fault matrix. */
import type { FaultWireFormat } from "../../faults/fault-wire-format.js";
import { createGoogleWire } from "../google-generative-ai/fault-wire.js";
import { googleGeminiCli } from "./fixtures.js";

export const geminiCliWire: FaultWireFormat = createGoogleWire(googleGeminiCli, (json) => `{"response":${json}}`);
