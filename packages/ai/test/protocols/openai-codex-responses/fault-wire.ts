/** The events of the Responses API from ChatGPT, over HTTP and over a WebSocket, for the fault matrix. */
import type { FaultWireFormat } from "../../faults/fault-wire-format.js";
import { createResponsesWire } from "../openai-responses/fault-wire.js";
import { openAICodexResponses } from "./fixtures.js";

export const codexWire: FaultWireFormat = createResponsesWire(openAICodexResponses);
export const codexSocketWire: FaultWireFormat = createResponsesWire({
  ...openAICodexResponses,
  name: "openai-codex-responses over a WebSocket",
  options: { transport: "websocket" },
});
