/** Keeps the conversation of this tab, so that a reload does not lose it. */
import type { AgentMessage } from "pi-agent";

const KEY = "web-chat";

export function loadMessages(): AgentMessage[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
    return Array.isArray(stored) ? stored : [];
  } catch {
    return [];
  }
}

export function saveMessages(messages: readonly AgentMessage[]): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(messages));
  } catch {
    // Full, of images for example: the conversation goes on without.
  }
}
