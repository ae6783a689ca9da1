/** Every protocol of the fault matrix. */
import { anthropicWire } from "../protocols/anthropic-messages/fault-wire.js";
import { azureWire } from "../protocols/azure-openai-responses/fault-wire.js";
import { bedrockWire } from "../protocols/bedrock-converse-stream/fault-wire.js";
import { geminiCliWire } from "../protocols/google-gemini-cli/fault-wire.js";
import { generativeWire } from "../protocols/google-generative-ai/fault-wire.js";
import { vertexWire } from "../protocols/google-vertex/fault-wire.js";
import { mistralWire } from "../protocols/mistral-conversations/fault-wire.js";
import { codexSocketWire, codexWire } from "../protocols/openai-codex-responses/fault-wire.js";
import { completionsWire } from "../protocols/openai-completions/fault-wire.js";
import { responsesWire } from "../protocols/openai-responses/fault-wire.js";
import type { FaultWireFormat } from "./fault-wire-format.js";

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
