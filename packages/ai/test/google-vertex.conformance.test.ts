/** The Gemini API on Vertex AI keeps every promise. */
import { runAdapterConformance } from "./adapter-conformance.js";
import { googleVertex } from "./dialects/google.js";

runAdapterConformance(googleVertex);
