/** What Vertex AI accepts: generateContent's rules (cloud.google.com, "generateContent", "Thought signatures", 2026-11). */
import type { Model } from "pi-ai";
import type { Faults, Fields } from "../../validators/faults.js";
import { checkGoogleGenerativeAi } from "../google-generative-ai/validator.js";

export function checkGoogleVertex(body: Fields, model: Model, faults: Faults): void {
  checkGoogleGenerativeAi(body, model, faults);
}
