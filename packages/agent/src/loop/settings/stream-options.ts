/** The options of requests: those that pi-ai documents, without the hooks of a run. */
import type { SimpleStreamOptions } from "pi-ai";

/** The options that all requests of a run share. */
export type CommonStreamOptions = Omit<SimpleStreamOptions, "signal" | "apiKey">;

/**
 * Whether a request beside the conversation, such as that for a summary, has the option, too. Those of the conversation
 * itself would change what it returns, or whose cache it uses. A record, so that an option that is added to pi-ai does not
 * compile until it is listed here.
 */
export const STREAM_OPTIONS: Record<keyof CommonStreamOptions, boolean> = {
  temperature: false,
  maxTokens: false,
  apiKeyFor: true,
  transport: true,
  cacheRetention: true,
  sessionId: false,
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
  outputFormat: false,
  contextManagement: false,
  metadata: true,
  fetch: true,
  reasoning: false,
  thinkingBudgets: false,
  toolChoice: false,
};

// Object.keys has no narrower type; the record names exactly these keys.
export const STREAM_OPTION_NAMES = /* @__PURE__ */ Object.keys(
  STREAM_OPTIONS,
) as readonly (keyof CommonStreamOptions)[];
