/**
 * The settings of a run and of a tool call, each declared once. `Agent`, the functions of the loop and `runToolCall` take names,
 * checks and defaults from here and copy what is declared for them. The type of the table demands a row for each setting, and
 * each place where its interface has it, so a setting that is not carried through does not compile.
 */
import type { ModelThinkingLevel, SimpleStreamOptions, ThinkingBudgets } from "pi-ai";
import { nearestName } from "pi-ai/call";
import {
  type Check,
  type Checks,
  checkOptions,
  mayBeAnything,
  mustBeCount,
  mustBeCountOrOff,
  mustBeDuration,
  mustBeFunction,
  mustBeMiddlewareList,
  mustBeObject,
  mustBeOneOf,
  mustBeOutput,
  mustBeText,
  unknownOption,
} from "./checks.js";
import type { AgentLoopConfig } from "./types/config.js";
import type { AgentOptions, AgentRequestOption } from "./types/options.js";
import type { RunToolCallOptions } from "./types/run-tool-call.js";
import type { AnyAgentTool } from "./types/tool.js";

/** The names of all settings of a run: what its configuration has beside the options of requests, and options that an agent sets. */
export type RunSettingName =
  | Exclude<keyof AgentLoopConfig, keyof SimpleStreamOptions>
  | AgentRequestOption
  | "reasoning";
/** Of those that are also options and fields of an `Agent`. */
export type AgentSettingName = RunSettingName & keyof AgentOptions;
/** Of those of a single tool call. */
export type CallSettingName = RunSettingName & keyof RunToolCallOptions;
/** Of those of a single tool call for which the tool's own value replaces that of the run. */
export type ToolSettingName = CallSettingName & keyof AnyAgentTool;

/** Where a setting can be set beside the configuration of a run. */
type Places<TName> = (TName extends AgentSettingName ? { agent: true } : unknown) &
  (TName extends CallSettingName ? { call: true } : unknown) &
  (TName extends ToolSettingName ? { tool: true } : unknown);

type Settings = { readonly [TName in RunSettingName]: Readonly<{ check: Check } & Places<TName>> };

const THINKING_LEVELS: readonly ModelThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

const BUDGETS: Checks<keyof ThinkingBudgets> = {
  minimal: mustBeCountOrOff,
  low: mustBeCountOrOff,
  medium: mustBeCountOrOff,
  high: mustBeCountOrOff,
};
const mustBeBudgets: Check = (name, value) => {
  mustBeObject(name, value);
  checkOptions(Object(value), BUDGETS, `${name}.`);
};

export const SETTINGS: Settings = {
  model: { check: mayBeAnything },
  output: { check: mustBeOutput },
  getSteeringMessages: { check: mustBeFunction },
  getFollowUpMessages: { check: mustBeFunction },
  convertToLlm: { check: mustBeFunction, agent: true },
  transformContext: { check: mustBeFunction, agent: true },
  getApiKey: { check: mustBeFunction, agent: true },
  wrapModelCall: { check: mustBeFunction, agent: true },
  prepareNextTurn: { check: mustBeFunction, agent: true },
  shouldStopAfterTurn: { check: mustBeFunction, agent: true },
  beforeToolCall: { check: mustBeFunction, agent: true, call: true },
  wrapToolCall: { check: mustBeFunction, agent: true, call: true },
  afterToolCall: { check: mustBeFunction, agent: true, call: true },
  toolTimeoutMs: { check: mustBeDuration, agent: true, call: true, tool: true },
  toolExecution: { check: mustBeOneOf(["sequential", "parallel"]), agent: true },
  maxParallelTools: { check: mustBeCount, agent: true },
  onNewMessage: { check: /* @__PURE__ */ mustBeOneOf(["refuse", "decline"]), agent: true },
  keepPartial: { check: /* @__PURE__ */ mustBeOneOf(["text"]), agent: true },
  maxTurns: { check: mustBeCount, agent: true },
  maxRepeats: { check: mustBeCountOrOff, agent: true },
  now: { check: mustBeFunction, agent: true, call: true },
  serverToolHandlers: { check: mustBeObject, agent: true },
  steps: { check: mustBeObject, agent: true },
  middleware: { check: mustBeMiddlewareList, agent: true },
  transport: { check: mustBeOneOf(["auto", "sse", "websocket", "websocket-cached"]), agent: true },
  sessionId: { check: mustBeText, agent: true },
  thinkingBudgets: { check: mustBeBudgets, agent: true },
  reasoning: { check: mustBeOneOf(THINKING_LEVELS) },
  maxRetryDelayMs: { check: mustBeDuration, agent: true },
  onPayload: { check: mustBeFunction, agent: true },
  onResponse: { check: mustBeFunction, agent: true },
};

// Object.keys has no narrower type; the table names exactly these keys.
const SETTING_NAMES = Object.keys(SETTINGS) as readonly RunSettingName[];
export const AGENT_SETTINGS: readonly AgentSettingName[] = namesIn("agent");
export const CALL_SETTINGS: readonly CallSettingName[] = namesIn("call");
export const TOOL_SETTINGS: readonly ToolSettingName[] = namesIn("tool");

function namesIn<TName extends RunSettingName>(place: "agent" | "call" | "tool"): readonly TName[] {
  // The flags follow the types: see `Places`.
  return SETTING_NAMES.filter((name): name is TName => place in SETTINGS[name]);
}

/** The options that all requests of a run share: those that pi-ai documents, without the hooks of a run. */
export type CommonStreamOptions = Omit<SimpleStreamOptions, "signal" | "apiKey">;

/**
 * Whether a request beside the conversation, such as that for a summary, has the option, too. Those of the conversation
 * itself would change what it returns, or whose cache it uses. A record, so that an option that is added to pi-ai does not
 * compile until it is listed here.
 */
export const SIDE_REQUEST_HAS: Record<keyof CommonStreamOptions, boolean> = {
  temperature: false,
  maxTokens: false,
  stopSequences: false,
  topP: false,
  seed: false,
  parallelToolCalls: false,
  verbosity: false,
  serviceTier: true,
  fallbacks: true,
  apiKeyFor: true,
  transport: true,
  cacheRetention: true,
  sessionId: false,
  conversation: false,
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
  SIDE_REQUEST_HAS,
) as readonly (keyof CommonStreamOptions)[];

/**
 * Refuses a name that is a known one but for its spelling. Others are passed on: a stream function can have options of its
 * own, and those of pi-ai note an option that they do not know in the message.
 */
export function checkStreamOption(name: string, known: readonly string[], path: string): void {
  if (!known.includes(name) && nearestName(name, known)) throw unknownOption(name, known, path);
}

export function isSetting(name: string): name is RunSettingName {
  return Object.hasOwn(SETTINGS, name);
}

/** Copies the settings of a tool call. Each key is required, so a new setting is passed on by everything that copies them. */
export function pickCallSettings(source: Pick<AgentLoopConfig, CallSettingName>): CallSettings {
  // The entries have the names and values of these settings.
  return Object.fromEntries(CALL_SETTINGS.map((name) => [name, source[name]])) as unknown as CallSettings;
}

/** A setting of a call of this tool: the tool's own, or that of the run. A call that names no tool has that of the run. */
export function callSettingOf<TName extends ToolSettingName>(
  tool: AnyAgentTool | undefined,
  settings: CallSettings,
  name: TName,
): CallSettings[TName] {
  return tool?.[name] ?? settings[name];
}

/** The settings of a tool call. */
export type CallSettings = { readonly [TName in CallSettingName]: AgentLoopConfig[TName] | undefined };

// --- The settings of a run when it begins: their check, and the options of its requests.

/** Options of a request that the run itself sets. */
const OF_RUN: readonly string[] = ["apiKey", "signal"];
/** The names that a run knows. Options of requests are among them, because a configuration holds both. */
const KNOWN: readonly string[] = [...SETTING_NAMES, ...STREAM_OPTION_NAMES, ...OF_RUN];

/** Picks the options of requests from the configuration of a run: all that is not a setting, or is an option as well. */
export function pickStreamOptions(config: AgentLoopConfig): CommonStreamOptions {
  const names: readonly string[] = STREAM_OPTION_NAMES;
  const isOption = (name: string): boolean => names.includes(name) || !(isSetting(name) || OF_RUN.includes(name));
  // Each value was read from the option of the same name.
  const options = Object.fromEntries(
    Object.entries(config).filter(([name, value]) => value !== undefined && isOption(name)),
  ) as CommonStreamOptions;
  // A route asks for the keys of the other models that it tries.
  if (config.getApiKey && !options.apiKeyFor) options.apiKeyFor = config.getApiKey;
  return options;
}

/** @throws TypeError or ConfigError that names a setting with a wrong value or an unknown name */
export function checkRunSettings(config: AgentLoopConfig): void {
  for (const [name, value] of Object.entries(config)) {
    if (value === undefined) continue;
    if (isSetting(name)) SETTINGS[name].check(name, value);
    else checkStreamOption(name, KNOWN, "");
  }
}

/**
 * Asks `getApiKey`.
 *
 * @throws TypeError for anything but a string or nothing: it would be sent as a key
 */
export async function askKey(config: AgentLoopConfig, provider: string): Promise<string | undefined> {
  const key: unknown = await config.getApiKey?.(provider);
  if (key === undefined || key === null) return undefined;
  // A key is never shown.
  if (typeof key !== "string")
    throw new TypeError(`getApiKey must return a string or undefined, not a value of the type ${typeof key}`);
  return key;
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
