/** The check of the options of an agent: each name stands where it belongs. */
import { assertModel, nearestName } from "pi-ai/call";
import {
  type Checks,
  checkOptions,
  mayBeAnything,
  mustBeFunction,
  mustBeObject,
  mustBeOneOf,
  mustBeOutput,
  mustBeText,
  waitsForEngine,
} from "../checks.js";
import {
  AGENT_SETTINGS,
  type AgentSettingName,
  checkStreamOption,
  isSetting,
  SETTINGS,
  STREAM_OPTION_NAMES,
} from "../settings.js";
import type { AgentInitialState, AgentOptions } from "../types/options.js";
import type { AgentState } from "../types/state.js";

const isQueueMode = mustBeOneOf(["all", "one-at-a-time"]);

// Records, so that a new option or a new field of the state fails to compile here.
const AGENT_ONLY: Checks<Exclude<keyof AgentOptions, AgentSettingName>> = {
  initialState: mustBeObject,
  streamFn: mustBeFunction,
  streamOptions: mustBeObject,
  steeringMode: isQueueMode,
  followUpMode: isQueueMode,
  onListenerError: mustBeFunction,
};
/** A request without a model, or with one that is not, fails with an error that knows how models are found. */
export function mustBeNoName(_name: string, model: unknown): void {
  if (typeof model === "string") assertModel(model);
}
const STATE: Checks<keyof AgentInitialState> = {
  model: mustBeNoName,
  systemPrompt: mustBeText,
  thinkingLevel: SETTINGS.reasoning.check,
  tools: mayBeAnything,
  messages: mayBeAnything,
  output: mustBeOutput,
};
/** Fields that an application may copy from the state of another agent. They have no effect. */
const UNUSED: Checks<Exclude<keyof AgentState, keyof AgentInitialState>> = {
  isStreaming: mayBeAnything,
  streamingMessage: mayBeAnything,
  pendingToolCalls: mayBeAnything,
  pendingApprovals: mayBeAnything,
  pause: mayBeAnything,
  stopped: mayBeAnything,
  errorMessage: mayBeAnything,
};
/** Options of a request that are not separate fields of an agent. */
const STREAM_NAMES: readonly string[] = [...STREAM_OPTION_NAMES.filter((name) => !isSetting(name)), "apiKey"];
const STATE_NAMES = Object.keys(STATE);
const OPTIONS: Checks = {
  ...AGENT_ONLY,
  ...Object.fromEntries(AGENT_SETTINGS.map((name) => [name, SETTINGS[name].check])),
};
/** Names of other libraries, and where the thing stands here. */
const FOREIGN: Readonly<Record<string, string>> = {
  abortSignal: "agent.abort()",
  instructions: "initialState.systemPrompt",
  maxSteps: "maxTurns",
  onEvent: "agent.subscribe()",
  prompt: "agent.prompt()",
  reasoning: "initialState.thinkingLevel",
  reasoningEffort: "initialState.thinkingLevel",
  signal: "agent.abort()",
};
/** Where each name belongs. */
const PLACES: Readonly<Record<string, string>> = {
  ...placesIn("initialState.", STATE_NAMES),
  ...placesIn("streamOptions.", STREAM_NAMES),
  ...placesIn("", Object.keys(OPTIONS)),
  ...FOREIGN,
};

function placesIn(level: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, level + name]));
}

/** @throws TypeError that says where an unknown name belongs */
function assertKnown(given: object, checks: Checks, path = ""): void {
  const names = Object.keys(PLACES);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || Object.hasOwn(checks, name)) continue;
    const near = nearestName(name, names) ?? names.find((one) => one.startsWith(name));
    if (near) throw new TypeError(`Unknown option "${path}${name}": did you mean "${PLACES[near]}"?`);
  }
  checkOptions(given, checks, path);
}

/** Names that are allowed here if they also stand in their own place. */
const IGNORED: readonly string[] = [...STATE_NAMES, ...STREAM_NAMES];
const REQUEST_OPTION_NAMES: readonly string[] = [...STREAM_OPTION_NAMES, "apiKey", "signal"];

/** @throws TypeError that names the option, and its nearest known name or its place; ConfigError for a duration */
export function checkAgentOptions(options: AgentOptions): void {
  mustBeObject("The options of an Agent", options);
  assertLevel(options, "initialState", STATE_NAMES);
  assertLevel(options, "streamOptions", STREAM_NAMES);
  const own = Object.fromEntries(Object.entries(options).filter(([name]) => !IGNORED.includes(name)));
  assertKnown(own, OPTIONS);
  const waiting = options.steps ? undefined : options.middleware?.find((one) => waitsForEngine.has(one));
  if (waiting) throw new TypeError(waitsForEngine.get(waiting));
  assertKnown(options.initialState ?? {}, { ...STATE, ...UNUSED }, "initialState.");
  checkRequestOptions(options.streamOptions ?? {});
}

function checkRequestOptions(given: object): void {
  for (const [name, value] of Object.entries(given)) {
    if (name === "reasoning" && value !== undefined) SETTINGS.reasoning.check("streamOptions.reasoning", value);
    const instead = placeOf(name, value);
    if (instead) throw new TypeError(`${name} is not an option of a request. Write ${instead}.`);
    checkStreamOption(name, REQUEST_OPTION_NAMES, "streamOptions.");
  }
}

/** What to write for an option of a request that is one of the agent. */
function placeOf(name: string, value: unknown): string | undefined {
  if (name === "signal") return value ? "agent.abort()" : undefined;
  if (REQUEST_OPTION_NAMES.includes(name)) return undefined;
  if (STATE_NAMES.includes(name)) return `new Agent({ initialState: { ${name} } })`;
  return isSetting(name) ? `new Agent({ ${name} })` : undefined;
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
