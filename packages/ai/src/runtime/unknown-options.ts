/** Finds options that no code reads, so that a diagnostic of the message can report them. */
import type { SimpleStreamOptions, StreamOptions } from "../types/options.js";
import { editDistance } from "../utils/nearest-names.js";

/** The names of options, as the keys of a record: an option that is missing here does not compile. */
export type OptionNames<TName extends PropertyKey = string> = Readonly<Record<TName, true>>;

/** The options of `stream` and `complete` that every api takes. */
export const STREAM_OPTIONS: OptionNames<keyof StreamOptions> = {
  temperature: true,
  maxTokens: true,
  signal: true,
  apiKey: true,
  transport: true,
  cacheRetention: true,
  sessionId: true,
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

/** Advice for option names of other libraries that differ from ours in more than spelling. */
const ADVICE: Readonly<Record<string, string>> = {
  max_completion_tokens: "write maxTokens",
  max_output_tokens: "write maxTokens",
  maxOutputTokens: "write maxTokens",
  abortSignal: "write signal",
  timeout: "write timeoutMs",
  thinkingLevel: "write reasoning, for streamSimple or completeSimple",
  reasoningEffort: "write reasoning, for streamSimple or completeSimple",
  reasoning_effort: "write reasoning, for streamSimple or completeSimple",
  system: "write systemPrompt, in the context",
  systemPrompt: "write it in the context",
  messages: "write it in the context",
  tools: "write it in the context",
  context_management: "write contextManagement",
  baseUrl: "set it on the model",
  baseURL: "set baseUrl on the model",
};

/** Largest edit distance between a misspelled name and a suggested one. */
const MAX_DISTANCE = 2;

/**
 * Returns advice for each option that is neither shared nor specific to the api, by name; undefined if all options are
 * known. Options with the value undefined are skipped.
 */
export function adviseUnknownOptions(
  options: object,
  shared: OptionNames,
  own: OptionNames,
): Record<string, string> | undefined {
  let advice: Record<string, string> | undefined;
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(shared, name) || Object.hasOwn(own, name)) continue;
    advice ??= {};
    advice[name] = advise(name, Object.keys({ ...shared, ...own }));
  }
  return advice;
}

function advise(name: string, known: readonly string[]): string {
  const camelCase = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const near = known.find((candidate) => editDistance(candidate, camelCase.slice(0, 100)) <= MAX_DISTANCE);
  if (near) return `write ${near}`;
  if (Object.hasOwn(SIMPLE_OPTIONS, name)) return "use streamSimple or completeSimple";
  const other = Object.hasOwn(ADVICE, name) ? ADVICE[name] : undefined;
  return other ?? "this option does not exist; onPayload can add fields to the request body";
}
