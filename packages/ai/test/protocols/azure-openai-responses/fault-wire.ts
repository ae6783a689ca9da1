/** The events of the Responses API from Azure, for the fault matrix. */
import type { FaultWireFormat } from "../../faults/fault-wire-format.js";
import { createResponsesWire } from "../openai-responses/fault-wire.js";
import { azureOpenAIResponses } from "./fixtures.js";

export const azureWire: FaultWireFormat = createResponsesWire(azureOpenAIResponses);
