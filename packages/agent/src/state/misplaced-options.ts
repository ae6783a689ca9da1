/** Rejects options on the wrong level, where they would be ignored. Plain JavaScript has no types to prevent that. */
import { STREAM_OPTION_NAMES } from "../loop/stream-options.js";
import type { AgentInitialState, AgentOptions, AgentRequestOption } from "../types/options.js";

// A record, so that a new field of the state fails to compile here.
const STATE: Record<keyof AgentInitialState, true> = {
  model: true,
  systemPrompt: true,
  thinkingLevel: true,
  tools: true,
  messages: true,
  output: true,
};
/** Options of a request that are separate fields of an agent. */
const ON_AGENT: Readonly<Record<AgentRequestOption | "reasoning", true>> = {
  sessionId: true,
  thinkingBudgets: true,
  transport: true,
  maxRetryDelayMs: true,
  onPayload: true,
  onResponse: true,
  reasoning: true,
};
const STATE_NAMES = Object.keys(STATE);
const STREAM_NAMES: readonly string[] = [...STREAM_OPTION_NAMES.filter((name) => !(name in ON_AGENT)), "apiKey"];

/** @throws TypeError that names the options and where to write them */
export function assertOptionLevels(options: AgentOptions): void {
  assertLevel(options, "initialState", STATE_NAMES);
  assertLevel(options, "streamOptions", STREAM_NAMES);
}

function assertLevel(options: AgentOptions, level: "initialState" | "streamOptions", names: readonly string[]): void {
  const given: Readonly<Record<string, unknown>> = { ...options };
  const placed: Readonly<Record<string, unknown>> = { ...options[level] };
  // If the option is also set in the right place, that value applies.
  const misplaced = names.filter((name) => given[name] !== undefined && placed[name] === undefined);
  if (misplaced.length === 0) return;
  const list = misplaced.join(", ");
  const verb = misplaced.length === 1 ? "is not an option" : "are not options";
  throw new TypeError(`${list} ${verb} of an Agent. Write new Agent({ ${level}: { ${list} } }).`);
}
