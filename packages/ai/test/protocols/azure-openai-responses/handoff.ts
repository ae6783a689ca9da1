/** Turns in the wire format of the Responses API, from Azure. */
import type { Wire } from "../../handoff/script.js";
import { createResponsesWire } from "../openai-responses/handoff.js";

export const azureResponsesWire: Wire = createResponsesWire("azure-openai-responses");
