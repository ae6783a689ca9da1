/** Checks the options of an agent, also those on the wrong level, where they would be ignored. */
import {
  AGENT_SETTINGS,
  type AgentSetting,
  type Checks,
  checkOptions,
  checkStreamOption,
  isAnything,
  isFunction,
  isObject,
  isOneOf,
  isSetting,
  isText,
  SETTINGS,
  STREAM_OPTION_NAMES,
} from "../loop/settings/index.js";
import type { AgentInitialState, AgentOptions } from "../types/options.js";
import type { AgentState } from "../types/state.js";

const isQueueMode = isOneOf(["all", "one-at-a-time"]);

// Records, so that a new option or a new field of the state fails to compile here.
const AGENT_ONLY: Checks<Exclude<keyof AgentOptions, AgentSetting>> = {
  initialState: isObject,
  streamFn: isFunction,
  streamOptions: isObject,
  steeringMode: isQueueMode,
  followUpMode: isQueueMode,
  onListenerError: isFunction,
};
const STATE: Checks<keyof AgentInitialState> = {
  // A request without a model, or with one that is not, fails with an error that knows how models are found.
  model: isAnything,
  systemPrompt: isText,
  thinkingLevel: SETTINGS.reasoning.check,
  tools: isAnything,
  messages: isAnything,
  output: isObject,
};
/** What an application may copy from the state of another agent. It has no effect. */
const UNUSED: Checks<Exclude<keyof AgentState, keyof AgentInitialState>> = {
  isStreaming: isAnything,
  streamingMessage: isAnything,
  pendingToolCalls: isAnything,
  pendingApprovals: isAnything,
  stopped: isAnything,
  errorMessage: isAnything,
};
/** Options of a request that are not separate fields of an agent. */
const STREAM_NAMES: readonly string[] = [...STREAM_OPTION_NAMES.filter((name) => !isSetting(name)), "apiKey"];
const STATE_NAMES = Object.keys(STATE);
const OPTIONS: Checks = {
  ...AGENT_ONLY,
  ...Object.fromEntries(AGENT_SETTINGS.map((name) => [name, SETTINGS[name].check])),
};
/** Names that are allowed here if they also stand in their own place. */
const IGNORED: readonly string[] = [...STATE_NAMES, ...STREAM_NAMES];
const STREAM_OPTIONS: readonly string[] = [...STREAM_OPTION_NAMES, "apiKey", "signal"];

/** @throws TypeError that names the option, and its nearest known name or its place; ConfigError for a duration */
export function checkAgentOptions(options: AgentOptions): void {
  isObject("The options of an Agent", options);
  assertLevel(options, "initialState", STATE_NAMES);
  assertLevel(options, "streamOptions", STREAM_NAMES);
  const own = Object.entries(options).filter(([name]) => !IGNORED.includes(name));
  checkOptions(Object.fromEntries(own), OPTIONS);
  checkOptions(options.initialState ?? {}, { ...STATE, ...UNUSED }, "initialState.");
  for (const name of Object.keys(options.streamOptions ?? {})) {
    if (isSetting(name) && !STREAM_OPTIONS.includes(name))
      throw new TypeError(`${name} is not an option of a request. Write new Agent({ ${name} }).`);
    checkStreamOption(name, STREAM_OPTIONS, "streamOptions.");
  }
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
