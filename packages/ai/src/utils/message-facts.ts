/** Facts about a message that several folders ask for: its text, whether it failed, how many attempts it took. */
import type { AssistantBlock, AssistantMessage, Message, ServerToolContent, ToolCall } from "../types/message.js";
import { nameValue } from "./name-value.js";
import { processState } from "./process-state.js";

/**
 * Returns the text of a message: its text blocks without a separator, or the string of a user. Leaves out thinking, images and
 * tool calls.
 *
 * @example
 * const message = await complete(model, "What is the capital of France?");
 * console.log(messageText(message));
 */
export function messageText(message: Pick<Message, "content">): string {
  const content: unknown = message?.content;
  if (typeof content !== "string" && !Array.isArray(content))
    throw new TypeError(`messageText takes a message, but it got ${nameValue(message)}.`);
  return textOf(message.content);
}

/** The text blocks of a content, joined. */
export function textOf(content: Message["content"], separator = ""): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(separator);
}

/** Whether a response with this stop reason failed or was aborted, and so is not part of what the model said. */
export function isFailure(stopReason: unknown): stopReason is "error" | "aborted" {
  return stopReason === "error" || stopReason === "aborted";
}

/** Whether the provider has interrupted a response, with the stop reason `pause`. It rejects any message before the continuation. */
export function isInterrupted(message: { role: string; stopReason?: unknown } | undefined): boolean {
  return message?.role === "assistant" && message.stopReason === "pause";
}

/** A tool call, or a server tool that waits for the application. */
export type PendingCall = ToolCall | ServerToolContent;

/** Whether the next request has to bring a result for a block. */
export function needsResult(block: AssistantBlock): block is PendingCall {
  return block.type === "toolCall" || (block.type === "serverTool" && block.status === "waiting");
}

/** The first id that two calls of a response have, of tools of the application or of the provider. Undefined if each has its own. */
export function repeatedIdOf(content: readonly AssistantBlock[]): string | undefined {
  const seen = new Set<string>();
  for (const block of content) {
    if (block?.type !== "toolCall" && block?.type !== "serverTool") continue;
    if (seen.has(block.id)) return block.id;
    seen.add(block.id);
  }
  return undefined;
}

// How many attempts a request took that succeeded in the end. A message of a failed request says so itself.

const attempts = /* @__PURE__ */ processState("attempts", () => new WeakMap<AssistantMessage, number>());

export function noteAttempts(message: AssistantMessage, count: number): void {
  attempts.set(message, count);
}

/** Undefined for one attempt, and for a copy of the message. */
export function attemptsOf(message: AssistantMessage): number | undefined {
  return attempts.get(message);
}
