/** The Gemini API keeps every promise. */
import { runAdapterConformance } from "./adapter-conformance.js";
import { googleGenerativeAI } from "./dialects/google.js";

runAdapterConformance(googleGenerativeAI);
