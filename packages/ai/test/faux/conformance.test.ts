/** The faux provider passes the part of the conformance suite that needs no network. */
import { runProviderConformance } from "../conformance/run-conformance.js";
import { faux } from "./faux-target.js";

runProviderConformance(faux);
