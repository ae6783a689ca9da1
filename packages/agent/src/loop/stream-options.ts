/** Builds the options of one request: those that pi-ai documents, without the run's own hooks. */
import type { SimpleStreamOptions } from "pi-ai";
import type { AgentLoopConfig } from "../types/config.js";

/** The options that all requests of a run share. */
export type CommonStreamOptions = Omit<SimpleStreamOptions, "signal" | "apiKey">;

// A record, so that an option that is added to pi-ai does not compile until it is listed here.
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
  outputFormat: true,
  contextManagement: true,
  metadata: true,
  fetch: true,
  reasoning: true,
  thinkingBudgets: true,
  toolChoice: true,
};

// Object.keys has no narrower type; the record names exactly these keys.
export const STREAM_OPTION_NAMES = Object.keys(DOCUMENTED) as readonly (keyof CommonStreamOptions)[];

/** Picks them from the configuration of a run. */
export function pickStreamOptions(config: AgentLoopConfig): CommonStreamOptions {
  const options: Record<string, unknown> = {};
  for (const key of STREAM_OPTION_NAMES) {
    if (config[key] !== undefined) options[key] = config[key];
  }
  // Each value was read from the option of the same name.
  return options as CommonStreamOptions;
}

/** A new object for one request: its stream function may keep and change it. */
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
