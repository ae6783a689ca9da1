/** The options of one call: those that pi-ai documents, and none of the run's own hooks. */
import type { SimpleStreamOptions } from "pi-ai";
import type { AgentLoopConfig } from "../types/config.js";

/** What the calls of a run have in common. */
export type CommonStreamOptions = Omit<SimpleStreamOptions, "signal" | "apiKey">;

// A record, so that an option that pi-ai adds cannot be forgotten here.
const DOCUMENTED: Record<keyof CommonStreamOptions, true> = {
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
  afterStopTimeoutMs: true,
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

/** Takes them out of what a run was configured with. */
export function pickStreamOptions(config: AgentLoopConfig): CommonStreamOptions {
  const options: Record<string, unknown> = {};
  // Object.keys has no narrower type; the record above names exactly these keys.
  for (const key of Object.keys(DOCUMENTED) as (keyof typeof DOCUMENTED)[]) {
    if (config[key] !== undefined) options[key] = config[key];
  }
  // Each value was read from the option of the same name.
  return options as CommonStreamOptions;
}

/** An object for one call, which its stream function may keep and change. */
export function buildStreamOptions(
  common: CommonStreamOptions,
  apiKey: string | undefined,
  signal: AbortSignal | undefined,
): SimpleStreamOptions {
  const options: SimpleStreamOptions = { ...common };
  if (apiKey) options.apiKey = apiKey;
  if (signal) options.signal = signal;
  return options;
}
