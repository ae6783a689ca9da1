/** The faux provider keeps every promise that needs no network. */
import { runProviderConformance } from "../conformance/run-conformance.js";
import { faux } from "./faux-target.js";

runProviderConformance(faux);
