/** Creates messages for tests. */
import type { AssistantMessage, Usage } from "pi-ai";

export type AssistantMessageFields = Partial<Omit<AssistantMessage, "usage">> & { usage?: Partial<Usage> };

/** A response with the given fields. Missing usage counts are 0, and the total is their sum. */
export function createResponse(fields: AssistantMessageFields = {}): AssistantMessage {
  const counts = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, ...fields.usage };
  return {
    role: "assistant",
    content: [],
    api: "openai-completions",
    provider: "openai",
    model: "gpt",
    stopReason: "stop",
    timestamp: 0,
    ...fields,
    usage: {
      totalTokens: counts.input + counts.output + counts.cacheRead + counts.cacheWrite,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
      ...counts,
    },
  };
}

/** A failed response with a text. */
export function createFailure(errorMessage: string, fields: AssistantMessageFields = {}): AssistantMessage {
  return createResponse({ stopReason: "error", errorMessage, ...fields });
}

/** Texts with many near misses, on which careless patterns take forever. */
export const HOSTILE_TEXTS: readonly string[] = [
  "input token count ".repeat(20_000),
  `input (${"1,".repeat(100_000)}`,
  `exceeds maximum context length of ${"9".repeat(200_000)}`,
  "413 ".repeat(50_000),
  "http2 ".repeat(50_000),
  "connection ".repeat(50_000),
  " ".repeat(200_000),
  "please ".repeat(50_000),
];
