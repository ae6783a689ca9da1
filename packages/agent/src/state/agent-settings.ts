/** What an application may change on an agent between runs, and the loop's configuration that comes of it. */
import { type SimpleStreamOptions, streamSimple } from "pi-ai";
import { keepLlmMessages } from "../loop/llm-messages.js";
import type { AgentLoopConfig, AgentLoopHooks, StreamFn } from "../types/config.js";
import type { AgentMessage } from "../types/message.js";
import type { AgentOptions, AgentStreamOptions } from "../types/options.js";
import type { AgentState } from "../types/state.js";
import type { ToolExecutionMode } from "../types/tool.js";

/** What a run takes from the agent's state and queues. */
export interface RunInput extends Pick<AgentState, "model" | "thinkingLevel"> {
  takeSteering: () => AgentMessage[];
  takeFollowUps: () => AgentMessage[];
}

/** The settings of an agent; {@link AgentOptions} says what each is. A run uses what was set when it began. */
export abstract class AgentSettings {
  convertToLlm: NonNullable<AgentOptions["convertToLlm"]>;
  streamFn: StreamFn;
  streamOptions: AgentStreamOptions;
  transport: NonNullable<SimpleStreamOptions["transport"]>;
  toolExecution: ToolExecutionMode;
  transformContext: AgentLoopHooks["transformContext"];
  getApiKey: AgentLoopHooks["getApiKey"];
  beforeToolCall: AgentLoopHooks["beforeToolCall"];
  afterToolCall: AgentLoopHooks["afterToolCall"];
  prepareNextTurn: AgentLoopHooks["prepareNextTurn"];
  shouldStopAfterTurn: AgentLoopHooks["shouldStopAfterTurn"];
  onPayload: SimpleStreamOptions["onPayload"];
  onResponse: SimpleStreamOptions["onResponse"];
  sessionId: SimpleStreamOptions["sessionId"];
  thinkingBudgets: SimpleStreamOptions["thinkingBudgets"];
  maxRetryDelayMs: SimpleStreamOptions["maxRetryDelayMs"];
  maxParallelTools: AgentOptions["maxParallelTools"];
  toolTimeoutMs: AgentOptions["toolTimeoutMs"];
  maxTurns: AgentOptions["maxTurns"];

  constructor(options: AgentOptions) {
    this.convertToLlm = options.convertToLlm ?? keepLlmMessages;
    this.streamFn = options.streamFn ?? streamSimple;
    this.streamOptions = options.streamOptions ?? {};
    this.transport = options.transport ?? "auto";
    this.toolExecution = options.toolExecution ?? "parallel";
    this.transformContext = options.transformContext;
    this.getApiKey = options.getApiKey;
    this.beforeToolCall = options.beforeToolCall;
    this.afterToolCall = options.afterToolCall;
    this.prepareNextTurn = options.prepareNextTurn;
    this.shouldStopAfterTurn = options.shouldStopAfterTurn;
    this.onPayload = options.onPayload;
    this.onResponse = options.onResponse;
    this.sessionId = options.sessionId;
    this.thinkingBudgets = options.thinkingBudgets;
    this.maxRetryDelayMs = options.maxRetryDelayMs;
    this.maxParallelTools = options.maxParallelTools;
    this.toolTimeoutMs = options.toolTimeoutMs;
    this.maxTurns = options.maxTurns;
  }

  protected toLoopConfig({ model, thinkingLevel, takeSteering, takeFollowUps }: RunInput): AgentLoopConfig {
    const config: Undefinable<AgentLoopConfig> = {
      ...this.streamOptions,
      model,
      reasoning: thinkingLevel === "off" ? undefined : thinkingLevel,
      convertToLlm: this.convertToLlm,
      transport: this.transport,
      toolExecution: this.toolExecution,
      transformContext: this.transformContext,
      getApiKey: this.getApiKey,
      beforeToolCall: this.beforeToolCall,
      afterToolCall: this.afterToolCall,
      // Whether there is one is settled at the start of a run; which one, at each call.
      prepareNextTurn: this.prepareNextTurn && ((context, signal) => this.prepareNextTurn?.(context, signal)),
      shouldStopAfterTurn: this.shouldStopAfterTurn,
      onPayload: this.onPayload,
      onResponse: this.onResponse,
      sessionId: this.sessionId,
      thinkingBudgets: this.thinkingBudgets,
      maxRetryDelayMs: this.maxRetryDelayMs,
      maxParallelTools: this.maxParallelTools,
      toolTimeoutMs: this.toolTimeoutMs,
      maxTurns: this.maxTurns,
      getSteeringMessages: async () => takeSteering(),
      getFollowUpMessages: async () => takeFollowUps(),
    };
    return withoutUndefined(config);
  }
}

type Undefinable<TObject> = { [TKey in keyof TObject]: TObject[TKey] | undefined };

function withoutUndefined(config: Undefinable<AgentLoopConfig>): AgentLoopConfig {
  // Required members are set above; what is undefined is left out here.
  return Object.fromEntries(
    Object.entries(config).filter(([, value]) => value !== undefined),
  ) as unknown as AgentLoopConfig;
}
