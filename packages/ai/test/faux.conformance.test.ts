/** The faux provider keeps every promise that needs no network. */
import { runProviderConformance } from "./adapter-conformance.js";
import { faux } from "./dialects/faux.js";

runProviderConformance(faux);
