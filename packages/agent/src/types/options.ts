/** The options of an agent. */

import type { Message, Model, SimpleStreamOptions } from "pi-ai";
import type { Complete } from "pi-ai/call";
import type { AgentClock, AgentLimits, AgentLoopConfig, AgentLoopHooks, AgentOutput } from "./config.js";
import type { AgentEvent } from "./event.js";
import type { StreamFn } from "./hooks.js";
import type { AgentMessage, AgentMessageInput } from "./message.js";
import type { QueueMode, ThinkingLevel } from "./state.js";
import type { AnyAgentTool } from "./tool.js";

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

/** Options of each run that are fields of an agent. */
type AgentRunOption = "toolExecution" | "onNewMessage" | "keepPartial" | "serverToolHandlers" | "steps" | "middleware";

/** The initial state of an agent. */
export interface AgentInitialState<TSchema extends object = object> {
  /** Default: no instructions. */
  systemPrompt?: string | undefined;
  /** Default: none, so that a request fails unless `streamFn` needs no model. */
  model?: Model | undefined;
  /** Default `"off"`. */
  thinkingLevel?: ThinkingLevel | undefined;
  /** Makes every run end with an object that fits a schema; see `state.output`. Default: runs end with text. */
  output?: AgentOutput<TSchema> | undefined;
  /** The conversation so far; a copy is kept. Default: none. */
  messages?: readonly AgentMessageInput[] | undefined;
  /** `[]` makes the compiler infer a tuple and check each tool alone, instead of first comparing all pairs. */
  tools?: readonly AnyAgentTool[] | [] | undefined;
}

/** The options of an agent; none is required. */
export interface AgentOptions<TSchema extends object = object>
  extends AgentLoopHooks,
    AgentLimits,
    AgentClock,
    Pick<AgentLoopConfig, AgentRunOption>,
    Pick<SimpleStreamOptions, AgentRequestOption> {
  /** The initial state. Default: no messages, no tools, an empty system prompt, thinking off. */
  initialState?: AgentInitialState<TSchema> | undefined;
  /**
   * Default: keeps the messages of the roles `user`, `assistant` and `toolResult` and the notes of changes; the texts of system
   * messages become a part of the prompt.
   */
  convertToLlm?: ((messages: AgentMessage[]) => Message[] | Promise<Message[]>) | undefined;
  /** Default: `streamSimple` of pi-ai. */
  streamFn?: StreamFn | undefined;
  /** More options for each request, such as `temperature` or `idleTimeoutMs`. */
  streamOptions?: AgentStreamOptions | undefined;
  /** Default `"one-at-a-time"`. */
  steeringMode?: QueueMode | undefined;
  /** Default `"one-at-a-time"`. */
  followUpMode?: QueueMode | undefined;
  /** Receives errors of listeners, and what middleware throws at the end of a run. Default: `console.error`. */
  onListenerError?: ((error: unknown, event: AgentEvent) => void) | undefined;
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
    Complete<Pick<AgentOptions, PresetSetting>> {
  /** The typed output that each run must end with. Default: `initialState.output`. */
  outputRequest: AgentOutput | undefined;
}
