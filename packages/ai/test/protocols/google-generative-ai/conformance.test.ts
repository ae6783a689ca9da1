/** The Gemini API keeps every promise. */
import { runAdapterConformance } from "../../conformance/run-conformance.js";
import { googleGenerativeAI } from "./fixtures.js";

runAdapterConformance(googleGenerativeAI);
