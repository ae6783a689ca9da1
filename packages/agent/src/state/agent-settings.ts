/** What an application may change on an agent between runs, and the loop's configuration that comes of it. */
import type { SimpleStreamOptions } from "pi-ai";
import { streamWithProviders } from "../loop/default-stream-fn.js";
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

/** Settings that mean the same in an agent's options, on the agent, and in the loop's configuration. */
const SHARED = [
  "convertToLlm",
  "transport",
  "toolExecution",
  "transformContext",
  "getApiKey",
  "beforeToolCall",
  "afterToolCall",
  "prepareNextTurn",
  "shouldStopAfterTurn",
  "onPayload",
  "onResponse",
  "sessionId",
  "thinkingBudgets",
  "maxRetryDelayMs",
  "maxParallelTools",
  "toolTimeoutMs",
  "maxTurns",
] as const satisfies (keyof AgentOptions & keyof AgentLoopConfig & keyof AgentSettings)[];

/** The settings of an agent; {@link AgentOptions} says what each is. A run uses what was set when it began. */
export abstract class AgentSettings {
  convertToLlm: NonNullable<AgentOptions["convertToLlm"]> = keepLlmMessages;
  streamFn: StreamFn = streamWithProviders;
  streamOptions: AgentStreamOptions = {};
  transport: NonNullable<SimpleStreamOptions["transport"]> = "auto";
  toolExecution: ToolExecutionMode = "parallel";
  // Without a value of their own: they are set, like those above, from the list of names.
  declare transformContext: AgentLoopHooks["transformContext"];
  declare getApiKey: AgentLoopHooks["getApiKey"];
  declare beforeToolCall: AgentLoopHooks["beforeToolCall"];
  declare afterToolCall: AgentLoopHooks["afterToolCall"];
  declare prepareNextTurn: AgentLoopHooks["prepareNextTurn"];
  declare shouldStopAfterTurn: AgentLoopHooks["shouldStopAfterTurn"];
  declare onPayload: SimpleStreamOptions["onPayload"];
  declare onResponse: SimpleStreamOptions["onResponse"];
  declare sessionId: SimpleStreamOptions["sessionId"];
  declare thinkingBudgets: SimpleStreamOptions["thinkingBudgets"];
  declare maxRetryDelayMs: SimpleStreamOptions["maxRetryDelayMs"];
  declare maxParallelTools: AgentOptions["maxParallelTools"];
  declare toolTimeoutMs: AgentOptions["toolTimeoutMs"];
  declare maxTurns: AgentOptions["maxTurns"];

  constructor(options: AgentOptions) {
    Object.assign(this, pickDefined(options, [...SHARED, "streamFn", "streamOptions"]));
  }

  protected toLoopConfig({ model, thinkingLevel, takeSteering, takeFollowUps }: RunInput): AgentLoopConfig {
    const config: AgentLoopConfig = {
      ...this.streamOptions,
      convertToLlm: this.convertToLlm,
      ...pickDefined<AgentSettings>(this, SHARED),
      model,
      getSteeringMessages: async () => takeSteering(),
      getFollowUpMessages: async () => takeFollowUps(),
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
