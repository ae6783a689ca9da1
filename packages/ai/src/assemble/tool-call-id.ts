/** Creates ids for tool calls that arrived without one. */

let callCount = 0;

/** Unique within a conversation, and accepted by every provider: letters and digits. */
export function createToolCallId(): string {
  callCount = (callCount + 1) % 1_679_616;
  return `call${Date.now().toString(36)}${callCount.toString(36).padStart(4, "0")}${Math.floor(Math.random() * 1e9).toString(36)}`;
}
