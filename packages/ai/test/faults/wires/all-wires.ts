/** Every protocol of the fault matrix. */
import { anthropicWire } from "./anthropic.js";
import { bedrockWire } from "./bedrock.js";
import { completionsWire, mistralWire } from "./chat.js";
import { geminiCliWire, generativeWire, vertexWire } from "./google.js";
import { azureWire, codexSocketWire, codexWire, responsesWire } from "./responses.js";
import type { FaultWireFormat } from "./wire.js";

export const allWires: readonly FaultWireFormat[] = [
  anthropicWire,
  bedrockWire,
  completionsWire,
  mistralWire,
  generativeWire,
  vertexWire,
  geminiCliWire,
  responsesWire,
  azureWire,
  codexWire,
  codexSocketWire,
];
