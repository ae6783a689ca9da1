/** The settings of an agent that an application may change between runs, and the loop configuration built from them. */
import type { SimpleStreamOptions } from "pi-ai";
import { keepLlmMessages, streamWithProviders } from "../loop/index.js";
import { AGENT_SETTINGS, SETTINGS } from "../loop/settings/index.js";
import type { AgentLoopConfig, AgentLoopHooks } from "../types/config.js";
import type { StreamFn } from "../types/hooks.js";
import type { AgentMessage } from "../types/message.js";
import type { AgentOptions, AgentStreamOptions } from "../types/options.js";
import type { AgentOutput } from "../types/output.js";
import type { AgentState } from "../types/state.js";
import type { ToolExecutionMode } from "../types/tool.js";
import { checkAgentOptions } from "./check-agent-options.js";

/** The parts of the agent's state and queues that a run uses. */
export interface RunInput extends Pick<AgentState, "model" | "thinkingLevel"> {
  takeSteering: () => AgentMessage[];
  takeFollowUps: () => AgentMessage[];
}

/** Settings whose value is checked as soon as it is assigned. The others have types that are hard to get wrong. */
const CHECKED = ["maxParallelTools", "toolTimeoutMs", "maxTurns", "maxRepeats", "maxRetryDelayMs"] as const;

/** The settings of an agent, as in {@link AgentOptions}. A run uses the settings from when it began. */
export abstract class AgentSettings {
  /** Converts the conversation to the messages that a model receives. */
  convertToLlm: NonNullable<AgentOptions["convertToLlm"]> = keepLlmMessages;
  /** Sends a request to the model. */
  streamFn: StreamFn = streamWithProviders;
  /** More options for each request. */
  streamOptions: AgentStreamOptions = {};
  /** How to reach a provider that offers more than one way. Default `"auto"`. */
  transport: NonNullable<SimpleStreamOptions["transport"]> = "auto";
  /** Whether the tool calls of one response run at the same time. Default `"parallel"`. */
  toolExecution: ToolExecutionMode = "parallel";
  // Declared without an initializer: the constructor sets them from the list of names.
  /** Transforms the conversation for one request, before `convertToLlm`. */
  declare transformContext: AgentLoopHooks["transformContext"];
  /** Returns the API key for each request. */
  declare getApiKey: AgentLoopHooks["getApiKey"];
  /** Called with validated arguments before a tool runs. */
  declare beforeToolCall: AgentLoopHooks["beforeToolCall"];
  /** Surrounds the execution of each tool. */
  declare wrapToolCall: AgentLoopHooks["wrapToolCall"];
  /** Called after a tool succeeded or failed. */
  declare afterToolCall: AgentLoopHooks["afterToolCall"];
  /** Surrounds each request to the model. */
  declare wrapModelCall: AgentLoopHooks["wrapModelCall"];
  /** Called after each successful turn; may change the context, model or thinking level. */
  declare prepareNextTurn: AgentLoopHooks["prepareNextTurn"];
  /** Called after each successful turn; true ends the run. */
  declare shouldStopAfterTurn: AgentLoopHooks["shouldStopAfterTurn"];
  /** Receives each request body before it is sent; a returned value replaces it. */
  declare onPayload: SimpleStreamOptions["onPayload"];
  /** Called when the headers of a successful response arrive. */
  declare onResponse: SimpleStreamOptions["onResponse"];
  /** Identifies the conversation to the provider's cache. */
  declare sessionId: SimpleStreamOptions["sessionId"];
  /** Token budgets of the thinking levels, for models that take a budget. */
  declare thinkingBudgets: SimpleStreamOptions["thinkingBudgets"];
  /** The longest wait that a provider may request, in milliseconds. Default 60,000. */
  declare maxRetryDelayMs: SimpleStreamOptions["maxRetryDelayMs"];
  /** Runs the server tools that wait for the application, by name. */
  declare serverToolHandlers: AgentOptions["serverToolHandlers"];
  /** The maximum number of tools that run at the same time. Default: no limit. */
  declare maxParallelTools: AgentOptions["maxParallelTools"];
  /** Timeout of one tool call, in milliseconds. Default: none. */
  declare toolTimeoutMs: AgentOptions["toolTimeoutMs"];
  /** Stores the steps of a run, so that another process can continue it. */
  declare steps: AgentOptions["steps"];
  /** The typed output that each run must end with. Default: `initialState.output`. */
  outputRequest: AgentOutput | undefined;
  /** The maximum number of responses in one run. Default: no limit. */
  declare maxTurns: AgentOptions["maxTurns"];
  /** The maximum number of identical rounds of tool calls in a row. Default 10. */
  declare maxRepeats: AgentOptions["maxRepeats"];
  /** Behaviours such as limits, compaction or traces. The first is the outermost. */
  declare middleware: AgentOptions["middleware"];
  /** Returns the time in Unix milliseconds. Default: the clock of the system. */
  declare now: AgentOptions["now"];

  constructor(options: AgentOptions) {
    checkAgentOptions(options);
    this.outputRequest = options.initialState?.output;
    for (const name of CHECKED) checkAtAssignment(this, name);
    Object.assign(this, pickDefined(options, [...AGENT_SETTINGS, "streamFn", "streamOptions"]));
  }

  /** @internal */
  protected toLoopConfig({ model, thinkingLevel, takeSteering, takeFollowUps }: RunInput): AgentLoopConfig {
    const config: AgentLoopConfig = {
      ...this.streamOptions,
      convertToLlm: this.convertToLlm,
      ...pickDefined<AgentSettings>(this, AGENT_SETTINGS),
      model,
      getSteeringMessages: takeSteering,
      getFollowUpMessages: takeFollowUps,
    };
    if (this.outputRequest) config.output = this.outputRequest;
    if (thinkingLevel !== "off") config.reasoning = thinkingLevel;
    // Whether there is a hook is decided at the start of a run; which one, at each call.
    if (config.prepareNextTurn) config.prepareNextTurn = (context, signal) => this.prepareNextTurn?.(context, signal);
    return config;
  }
}

/** Makes a field of an agent refuse wrong values. It stays a field of its own, so that an agent can be listed and copied. */
function checkAtAssignment(agent: AgentSettings, name: (typeof CHECKED)[number]): void {
  let current: number | undefined;
  Object.defineProperty(agent, name, {
    enumerable: true,
    get: () => current,
    set: (value: number | undefined) => {
      if (value !== undefined) SETTINGS[name].check(name, value);
      current = value;
    },
  });
}

type Defined<TSource> = { [TKey in keyof TSource]?: Exclude<TSource[TKey], undefined> };

function pickDefined<TSource extends object>(source: TSource, names: readonly (keyof TSource)[]): Defined<TSource> {
  const entries = names.filter((name) => source[name] !== undefined).map((name) => [name, source[name]]);
  // The entries come from the source itself.
  return Object.fromEntries(entries) as Defined<TSource>;
}
