/** How many attempts a request took that succeeded in the end. A message of a failed request says so itself. */
import type { AssistantMessage } from "../types/message.js";
import { processState } from "./process-state.js";

const attempts = /* @__PURE__ */ processState("attempts", () => new WeakMap<AssistantMessage, number>());

export function noteAttempts(message: AssistantMessage, count: number): void {
  attempts.set(message, count);
}

/** Undefined for one attempt, and for a copy of the message. */
export function attemptsOf(message: AssistantMessage): number | undefined {
  return attempts.get(message);
}
