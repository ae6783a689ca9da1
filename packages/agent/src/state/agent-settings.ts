/** What an application may change on an agent between runs, and the loop's configuration that comes of it. */
import type { SimpleStreamOptions } from "pi-ai";
import { streamWithProviders } from "../loop/default-stream-fn.js";
import { keepLlmMessages } from "../loop/llm-messages.js";
import type { AgentLimits, AgentLoopConfig, AgentLoopHooks, StreamFn } from "../types/config.js";
import type { AgentMessage } from "../types/message.js";
import type { AgentOptions, AgentRequestOption, AgentStreamOptions } from "../types/options.js";
import type { AgentState } from "../types/state.js";
import type { ToolExecutionMode } from "../types/tool.js";
import { assertOptionLevels } from "./misplaced-options.js";

/** What a run takes from the agent's state and queues. */
export interface RunInput extends Pick<AgentState, "model" | "thinkingLevel"> {
  takeSteering: () => AgentMessage[];
  takeFollowUps: () => AgentMessage[];
}

/** Settings that mean the same in an agent's options, on the agent, and in the loop's configuration. */
type SharedSetting = keyof AgentLoopHooks | keyof AgentLimits | AgentRequestOption | "convertToLlm" | "toolExecution";

// A record, so that a new hook or limit fails to compile here instead of being lost.
const SHARED_SETTINGS: Readonly<Record<SharedSetting, true>> = {
  convertToLlm: true,
  transport: true,
  toolExecution: true,
  transformContext: true,
  getApiKey: true,
  beforeToolCall: true,
  afterToolCall: true,
  prepareNextTurn: true,
  shouldStopAfterTurn: true,
  onPayload: true,
  onResponse: true,
  sessionId: true,
  thinkingBudgets: true,
  maxRetryDelayMs: true,
  maxParallelTools: true,
  toolTimeoutMs: true,
  maxTurns: true,
};
// Object.keys has no narrower type; the record names exactly these keys.
const SHARED = Object.keys(SHARED_SETTINGS) as readonly SharedSetting[];

/** The settings of an agent; {@link AgentOptions} says what each is. A run uses what was set when it began. */
export abstract class AgentSettings {
  /** What of the conversation a model may see. */
  convertToLlm: NonNullable<AgentOptions["convertToLlm"]> = keepLlmMessages;
  /** Calls the model. */
  streamFn: StreamFn = streamWithProviders;
  /** More options for each call of the model. */
  streamOptions: AgentStreamOptions = {};
  /** How to reach a provider that offers more than one way. Default `"auto"`. */
  transport: NonNullable<SimpleStreamOptions["transport"]> = "auto";
  /** Whether the calls of one answer run at the same time. Default `"parallel"`. */
  toolExecution: ToolExecutionMode = "parallel";
  // Without a value of their own: they are set, like those above, from the list of names.
  /** Changes what one call sees of the conversation, before `convertToLlm`. */
  declare transformContext: AgentLoopHooks["transformContext"];
  /** A key for each call. */
  declare getApiKey: AgentLoopHooks["getApiKey"];
  /** Called with checked arguments before a tool runs. */
  declare beforeToolCall: AgentLoopHooks["beforeToolCall"];
  /** Called when a tool has run, well or not. */
  declare afterToolCall: AgentLoopHooks["afterToolCall"];
  /** Called after each good turn; may change how the run goes on. */
  declare prepareNextTurn: AgentLoopHooks["prepareNextTurn"];
  /** Asked after each good turn; true ends the run. */
  declare shouldStopAfterTurn: AgentLoopHooks["shouldStopAfterTurn"];
  /** Sees each request body before it is sent; anything but `undefined` replaces it. */
  declare onPayload: SimpleStreamOptions["onPayload"];
  /** Called when the headers of a good answer have arrived. */
  declare onResponse: SimpleStreamOptions["onResponse"];
  /** Names the conversation, for the provider's cache. */
  declare sessionId: SimpleStreamOptions["sessionId"];
  /** What a thinking level means in tokens, for models that take a budget. */
  declare thinkingBudgets: SimpleStreamOptions["thinkingBudgets"];
  /** Longest wait that a provider may ask for, in milliseconds. Default 60,000. */
  declare maxRetryDelayMs: SimpleStreamOptions["maxRetryDelayMs"];
  /** Most tools that run at the same time. Default: no limit. */
  declare maxParallelTools: AgentOptions["maxParallelTools"];
  /** Bound on one tool call, in milliseconds. Default: none. */
  declare toolTimeoutMs: AgentOptions["toolTimeoutMs"];
  /** Most answers of one run. Default: no limit. */
  declare maxTurns: AgentOptions["maxTurns"];

  constructor(options: AgentOptions) {
    assertOptionLevels(options);
    Object.assign(this, pickDefined(options, [...SHARED, "streamFn", "streamOptions"]));
  }

  /** @internal */
  protected toLoopConfig({ model, thinkingLevel, takeSteering, takeFollowUps }: RunInput): AgentLoopConfig {
    const config: AgentLoopConfig = {
      ...this.streamOptions,
      convertToLlm: this.convertToLlm,
      ...pickDefined<AgentSettings>(this, SHARED),
      model,
      getSteeringMessages: takeSteering,
      getFollowUpMessages: takeFollowUps,
    };
    if (thinkingLevel !== "off") config.reasoning = thinkingLevel;
    // Whether there is one is settled at the start of a run; which one, at each call.
    if (config.prepareNextTurn) config.prepareNextTurn = (context, signal) => this.prepareNextTurn?.(context, signal);
    return config;
  }
}

type Defined<TSource> = { [TKey in keyof TSource]?: Exclude<TSource[TKey], undefined> };

function pickDefined<TSource extends object>(source: TSource, names: readonly (keyof TSource)[]): Defined<TSource> {
  const entries = names.filter((name) => source[name] !== undefined).map((name) => [name, source[name]]);
  // The entries are the source's own.
  return Object.fromEntries(entries) as Defined<TSource>;
}
