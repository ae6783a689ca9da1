/** The options of one call: those that pi-ai documents, and none of the run's own hooks. */
import type { SimpleStreamOptions } from "pi-ai";
import type { AgentLoopConfig } from "../types/config.js";

// A record, so that an option that pi-ai adds cannot be forgotten here.
const DOCUMENTED: Record<Exclude<keyof SimpleStreamOptions, "signal" | "apiKey">, true> = {
  temperature: true,
  maxTokens: true,
  transport: true,
  cacheRetention: true,
  sessionId: true,
  onPayload: true,
  onResponse: true,
  headers: true,
  timeoutMs: true,
  idleTimeoutMs: true,
  limits: true,
  maxRetries: true,
  maxRetryDelayMs: true,
  foreignThinking: true,
  metadata: true,
  fetch: true,
  reasoning: true,
  thinkingBudgets: true,
  toolChoice: true,
};

export function buildStreamOptions(
  config: AgentLoopConfig,
  apiKey: string | undefined,
  signal: AbortSignal | undefined,
): SimpleStreamOptions {
  const options: Record<string, unknown> = {};
  // Object.keys has no narrower type; the record above names exactly these keys.
  for (const key of Object.keys(DOCUMENTED) as (keyof typeof DOCUMENTED)[]) {
    if (config[key] !== undefined) options[key] = config[key];
  }
  if (apiKey) options["apiKey"] = apiKey;
  if (signal) options["signal"] = signal;
  // Each value was read from the option of the same name.
  return options as SimpleStreamOptions;
}
