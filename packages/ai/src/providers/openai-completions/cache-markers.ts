/** Adds Anthropic's cache markers to a chat body, for routers that pass them through. */
import type { WireMessage } from "./messages.js";
import type { WirePart } from "./user-parts.js";

/** Marks the system prompt, the last tool, and the last message of user or assistant. Mutates the body. */
export function markForCache(
  messages: readonly WireMessage[],
  tools: readonly Record<string, unknown>[],
  long: boolean,
): void {
  const marker = long ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" };
  const system = messages.find((message) => message.role === "system" || message.role === "developer");
  const last = messages.findLast(
    (message) => (message.role === "user" || message.role === "assistant") && message.content,
  );
  for (const message of [system, last]) if (message) markMessage(message, marker);
  const tool = tools.at(-1);
  if (tool) tool["cache_control"] = marker;
}

function markMessage(message: WireMessage, marker: object): void {
  const parts: WirePart[] =
    typeof message.content === "string" ? [{ type: "text", text: message.content }] : (message.content ?? []);
  const text = parts.findLast((part) => part.type === "text");
  if (!text) return;
  text.cache_control = marker;
  message.content = parts;
}
