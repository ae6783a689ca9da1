/** The options that all apis share, to find those that no code reads. */
import type { SimpleStreamOptions, StreamOptions } from "../types/options.js";

/** The names of options, as the keys of a record: an option that is missing here does not compile. */
export type OptionNames<TName extends PropertyKey = string> = Readonly<Record<TName, true>>;

/** The options of `stream` and `complete` that every api takes. */
export const STREAM_OPTIONS: OptionNames<keyof StreamOptions> = {
  temperature: true,
  maxTokens: true,
  stopSequences: true,
  topP: true,
  seed: true,
  parallelToolCalls: true,
  verbosity: true,
  serviceTier: true,
  fallbacks: true,
  signal: true,
  apiKey: true,
  apiKeyFor: true,
  transport: true,
  cacheRetention: true,
  sessionId: true,
  conversation: true,
  onPayload: true,
  onResponse: true,
  headers: true,
  timeoutMs: true,
  idleTimeoutMs: true,
  afterStopTimeoutMs: true,
  maxRetries: true,
  maxRetryDelayMs: true,
  limits: true,
  foreignThinking: true,
  outputFormat: true,
  contextManagement: true,
  metadata: true,
  fetch: true,
};

/** The options of `streamSimple` and `completeSimple`. */
export const SIMPLE_OPTIONS: OptionNames<keyof SimpleStreamOptions> = {
  ...STREAM_OPTIONS,
  reasoning: true,
  thinkingBudgets: true,
  toolChoice: true,
};

/** The options that are neither shared nor specific to the api. Options with the value undefined are skipped. */
export function findUnknownOptions(options: object, shared: OptionNames, own: OptionNames): string[] {
  return Object.entries(options).flatMap(([name, value]) =>
    value === undefined || Object.hasOwn(shared, name) || Object.hasOwn(own, name) ? [] : [name],
  );
}
