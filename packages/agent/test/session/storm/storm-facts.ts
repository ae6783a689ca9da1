/** What the processes of a storm and their judge both know. */
import type { AgentMessage } from "pi-agent";
import { createRandom } from "../../../../../test/support/random.js";

/** What a process says. */
export type StormLine =
  /** It has the session. */
  | { kind: "open" }
  /** It may be killed anywhere, and most likely here. */
  | { kind: "point" }
  /** A message that it knows to be stored, in the conversation or in the queue. */
  | { kind: "stored"; name: string }
  /** A tool has been called. */
  | { kind: "begin"; name: string; callId: string };

/** How a process ends that was not killed. */
export const EXITS = { inUse: 3, lost: 4, orphaned: 5 } as const;

/** A message of a user, one of the model, or the result of a call; undefined for what may go, such as a failed response at the end. */
export function nameOf(message: AgentMessage): string | undefined {
  if (message.role === "toolResult") return "pause" in message ? undefined : `result of ${message.toolCallId}`;
  if (message.role === "assistant" && (message.stopReason === "error" || message.stopReason === "aborted"))
    return undefined;
  if (message.role !== "user" && message.role !== "assistant") return undefined;
  const [first] = typeof message.content === "string" ? [] : message.content;
  if (first?.type === "toolCall") return first.id;
  return first?.type === "text" ? first.text : undefined;
}

/** What the user decides about a call, in every process. */
export function isApproved(callId: string): boolean {
  let hash = 7;
  for (const letter of callId) hash = (hash * 31 + letter.charCodeAt(0)) % 1_000_003;
  return createRandom(hash).chance(0.8);
}
