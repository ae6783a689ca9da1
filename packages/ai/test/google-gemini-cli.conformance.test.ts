/** Cloud Code Assist keeps every promise. */
import { runAdapterConformance } from "./adapter-conformance.js";
import { googleGeminiCli } from "./dialects/google.js";

runAdapterConformance(googleGeminiCli);
