/** The Gemini API on Vertex AI keeps every promise. */
import { runAdapterConformance } from "../../conformance/run-conformance.js";
import { googleVertex } from "./fixtures.js";

runAdapterConformance(googleVertex);
