/** Options of an agent on the wrong level, where they would be ignored. The types refuse them; plain JavaScript does not. */
import type { AgentInitialState, AgentOptions, AgentStreamOptions } from "../types/options.js";

// Records, so that a field that is added cannot be forgotten here.
const STATE: Record<keyof AgentInitialState, true> = {
  model: true,
  systemPrompt: true,
  thinkingLevel: true,
  tools: true,
  messages: true,
};
const STREAM: Record<keyof AgentStreamOptions, true> = {
  temperature: true,
  maxTokens: true,
  apiKey: true,
  cacheRetention: true,
  headers: true,
  timeoutMs: true,
  idleTimeoutMs: true,
  afterStopTimeoutMs: true,
  limits: true,
  maxRetries: true,
  foreignThinking: true,
  metadata: true,
  fetch: true,
  toolChoice: true,
};

/** @throws TypeError that names the options and where to write them */
export function assertOptionLevels(options: AgentOptions): void {
  assertLevel(options, "initialState", STATE);
  assertLevel(options, "streamOptions", STREAM);
}

function assertLevel(
  options: AgentOptions,
  level: "initialState" | "streamOptions",
  names: Readonly<Record<string, true>>,
): void {
  const given: Readonly<Record<string, unknown>> = { ...options };
  const placed: Readonly<Record<string, unknown>> = { ...options[level] };
  // What is set on its own level too is not lost.
  const misplaced = Object.keys(names).filter((name) => given[name] !== undefined && placed[name] === undefined);
  if (misplaced.length === 0) return;
  const list = misplaced.join(", ");
  const verb = misplaced.length === 1 ? "is not an option" : "are not options";
  throw new TypeError(`${list} ${verb} of an Agent. Write new Agent({ ${level}: { ${list} } }).`);
}
