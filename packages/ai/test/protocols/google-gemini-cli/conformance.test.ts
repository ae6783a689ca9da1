/** Cloud Code Assist keeps every promise. */
import { runAdapterConformance } from "../../conformance/run-conformance.js";
import { googleGeminiCli } from "./fixtures.js";

runAdapterConformance(googleGeminiCli);
