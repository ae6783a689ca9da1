/** Creates ids for tool calls that arrived without one. */
import { processState } from "../utils/process-state.js";

const calls = /* @__PURE__ */ processState("tool calls", () => ({ count: 0 }));

/** Unique within a conversation, and accepted by every provider: letters and digits. */
export function createToolCallId(): string {
  calls.count = (calls.count + 1) % 1_679_616;
  return `call${Date.now().toString(36)}${calls.count.toString(36).padStart(4, "0")}${Math.floor(Math.random() * 1e9).toString(36)}`;
}
