/** Keeps the conversation of this tab, so that a reload does not lose it. */
import type { AgentMessage } from "pi-agent";
import { isMessage } from "./is-message.ts";

const KEY = "web-chat";
/** The message that is still growing. It has a key of its own, because it is saved often. */
const GROWING_KEY = "web-chat-growing";
/** Milliseconds between two saves of a growing message. */
const INTERVAL_MS = 500;

export interface StoredConversation {
  messages: AgentMessage[];
  /** Whether a part could not be read and was omitted. */
  isDamaged: boolean;
}

/** Loads messages up to the first unreadable one, and the response that a reload interrupted. */
export function loadMessages(): StoredConversation {
  const stored = read(KEY);
  const list = Array.isArray(stored) ? stored : [];
  const end = list.findIndex((message) => !isMessage(message));
  const messages: AgentMessage[] = end === -1 ? list : list.slice(0, end);
  const isDamaged = end !== -1 || !(stored === null || Array.isArray(stored));
  const growing = isDamaged ? null : read(GROWING_KEY);
  if (isMessage(growing) && growing.role === "assistant" && messages.length > 0) {
    const errorMessage = "The page was reloaded.";
    messages.push({ ...growing, stopReason: "error", errorMessage, error: { kind: "aborted" } });
  }
  return { messages, isDamaged };
}

/** Returns null if nothing is stored, and undefined for invalid JSON. */
function read(key: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null");
  } catch {
    return undefined;
  }
}

export function saveMessages(messages: readonly AgentMessage[]): void {
  write(KEY, JSON.stringify(messages));
  sessionStorage.removeItem(GROWING_KEY);
}

let savedAt = 0;

/** @param isLast the page is about to close, so no later save follows */
export function saveGrowing(message: AgentMessage, isLast = false): void {
  const now = Date.now();
  if (!isLast && now - savedAt < INTERVAL_MS) return;
  savedAt = now;
  write(GROWING_KEY, JSON.stringify(message));
}

function write(key: string, text: string): void {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    // The store is full, of images for example. The conversation goes on without it.
  }
}
