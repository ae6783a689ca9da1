/** Headers by which a router finds the cache of a conversation again. */

type SessionAffinityFormat = "openai" | "openai-nosession" | "openrouter";

export function sessionHeaders(sessionId: string, format: SessionAffinityFormat = "openai"): Record<string, string> {
  if (format === "openrouter") return { "x-session-id": sessionId, "x-session-affinity": sessionId };
  const common = { "x-client-request-id": sessionId, "x-session-affinity": sessionId };
  // Strict proxies refuse a header name with an underscore.
  return format === "openai-nosession" ? common : { session_id: sessionId, ...common };
}
