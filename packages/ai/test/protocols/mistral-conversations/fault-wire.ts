/** The events of the Mistral API, for the fault matrix. */
import type { FaultWireFormat } from "../../faults/fault-wire-format.js";
import { createChatWire } from "../openai-completions/fault-wire.js";
import { mistralConversations } from "./fixtures.js";

export const mistralWire: FaultWireFormat = {
  ...createChatWire(mistralConversations, (text) => ({
    content: [{ type: "thinking", thinking: [{ type: "text", text }] }],
  })),
  error: (words) => ({ object: "error", message: words, type: "internal_error", code: "3000" }),
};
