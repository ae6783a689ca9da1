/** Headers that depend on the conversation, for hosts that need them. */
import type { OpenAICompletionsCompat } from "../types/compat.js";

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
