/** The headers of GitHub Copilot that depend on the conversation (spec of its chat clients, 2026-05). */
import type { Message } from "../types/message.js";

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
