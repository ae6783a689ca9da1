/** The options of an agent. */
import type { Message, SimpleStreamOptions } from "pi-ai";
import type { AgentClock, AgentLimits, AgentLoopHooks, AgentOutput } from "./config.js";
import type { AgentEvent } from "./event.js";
import type { StreamFn } from "./hooks.js";
import type { AgentMessage, AgentMessageInput } from "./message.js";
import type { AgentMiddleware } from "./middleware.js";
import type { OnNewMessage } from "./pause.js";
import type { RunSteps } from "./run-steps.js";
import type { AgentState, QueueMode } from "./state.js";
import type { AnyAgentTool, ServerToolHandlers, ToolExecutionMode } from "./tool.js";

/** Options of each request that an agent does not set itself. */
export type AgentStreamOptions = Omit<SimpleStreamOptions, "signal" | "reasoning" | AgentRequestOption>;

/** Options of each request that are fields of an agent. */
export type AgentRequestOption =
  | "sessionId"
  | "thinkingBudgets"
  | "transport"
  | "maxRetryDelayMs"
  | "onPayload"
  | "onResponse";

/** The initial state of an agent. */
export interface AgentInitialState extends Partial<Pick<AgentState, "systemPrompt" | "model" | "thinkingLevel">> {
  /** Makes every run end with an object that fits a schema; see `state.output`. Default: runs end with text. */
  output?: AgentOutput;
  /** The conversation so far; a copy is kept. Default: none. */
  messages?: readonly AgentMessageInput[];
  /** `[]` makes the compiler infer a tuple and check each tool alone, instead of first comparing all pairs. */
  tools?: readonly AnyAgentTool[] | [];
}

/** The options of an agent; none is required. */
export interface AgentOptions
  extends AgentLoopHooks,
    AgentLimits,
    AgentClock,
    Pick<SimpleStreamOptions, AgentRequestOption> {
  /** The initial state. Default: no messages, no tools, an empty system prompt, thinking off. */
  initialState?: AgentInitialState;
  /** Default: keeps the messages of the roles `user`, `assistant` and `toolResult`. */
  convertToLlm?: (messages: AgentMessage[]) => Message[] | Promise<Message[]>;
  /** Default: `streamSimple` of pi-ai. */
  streamFn?: StreamFn;
  /** More options for each request, such as `temperature` or `idleTimeoutMs`. */
  streamOptions?: AgentStreamOptions;
  /** Default `"one-at-a-time"`. */
  steeringMode?: QueueMode;
  /** Default `"one-at-a-time"`. */
  followUpMode?: QueueMode;
  /** Default `"parallel"`. */
  toolExecution?: ToolExecutionMode;
  /** What a new message does while the conversation waits for answers: see {@link OnNewMessage}. Default `"refuse"`. */
  onNewMessage?: OnNewMessage;
  /** Runs the server tools that wait for the application, by name. Default: they get error results. */
  serverToolHandlers?: ServerToolHandlers;
  /** Stores the steps of the run, so that another process can continue it. Created by `durable` of pi-agent/durable. */
  steps?: RunSteps;
  /** Behaviours such as limits, compaction or traces. The first is the outermost. Default: none. */
  middleware?: readonly AgentMiddleware[];
  /** Receives errors of listeners. Default: `console.error`. */
  onListenerError?: (error: unknown, event: AgentEvent) => void;
}

/** The options of an agent that are not settings. */
type NotASetting = "initialState" | "steeringMode" | "followUpMode" | "onListenerError";
/** The settings that every agent has. */
type PresetSetting = "convertToLlm" | "streamFn" | "streamOptions" | "transport" | "toolExecution";

type Fields<TOptions> = { [TName in keyof TOptions]-?: TOptions[TName] | undefined };

/**
 * The options of an agent that are also its fields. An application may change them; a run uses those from when it
 * began, but looks up `prepareNextTurn` after each turn.
 */
export interface AgentSettings
  extends Fields<Omit<AgentOptions, NotASetting | PresetSetting>>,
    Required<Pick<AgentOptions, PresetSetting>> {
  /** The typed output that each run must end with. Default: `initialState.output`. */
  outputRequest: AgentOutput | undefined;
}
