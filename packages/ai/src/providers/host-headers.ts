/** Headers that depend on the conversation, for hosts that need them. */
import type { OpenAICompletionsCompat } from "../types/compat.js";
import type { Message } from "../types/message.js";

type SessionAffinityFormat = NonNullable<OpenAICompletionsCompat["sessionAffinityFormat"]>;

const HEADERS: Readonly<Record<SessionAffinityFormat, readonly string[]>> = {
  openai: ["session_id", "x-client-request-id", "x-session-affinity"],
  // Strict proxies reject a header name with an underscore.
  "openai-nosession": ["x-client-request-id", "x-session-affinity"],
  openrouter: ["x-session-id", "x-session-affinity"],
};

export function sessionHeaders(sessionId: string, format: SessionAffinityFormat = "openai"): Record<string, string> {
  // A flag set by the user can be any string.
  const names = HEADERS[format] ?? HEADERS.openai;
  return Object.fromEntries(names.map((name) => [name, sessionId]));
}

// The headers of GitHub Copilot that depend on the conversation (spec of its chat clients, 2026-05).

export function copilotHeaders(messages: readonly Message[]): Record<string, string> {
  const last = messages.at(-1);
  const headers: Record<string, string> = {
    "X-Initiator": !last || last.role === "user" ? "user" : "agent",
    "Openai-Intent": "conversation-edits",
  };
  if (messages.some(hasImage)) headers["Copilot-Vision-Request"] = "true";
  return headers;
}

function hasImage(message: Message): boolean {
  return (
    message.role !== "assistant" &&
    Array.isArray(message.content) &&
    message.content.some((part) => part.type === "image")
  );
}
