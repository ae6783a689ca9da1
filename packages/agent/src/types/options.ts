/** How an agent is made. */
import type { Message, SimpleStreamOptions } from "pi-ai";
import type { AgentLimits, AgentLoopHooks, StreamFn } from "./config.js";
import type { AgentEvent } from "./event.js";
import type { AgentMessage, AgentMessageInput } from "./message.js";
import type { AgentState, QueueMode } from "./state.js";
import type { AnyAgentTool, ToolExecutionMode } from "./tool.js";

/** Options of each call of the model that an agent does not set itself. */
export type AgentStreamOptions = Omit<SimpleStreamOptions, "signal" | "reasoning" | AgentRequestOption>;

/** Options of each call that have a field of their own on an agent. */
export type AgentRequestOption =
  | "sessionId"
  | "thinkingBudgets"
  | "transport"
  | "maxRetryDelayMs"
  | "onPayload"
  | "onResponse";

/** What an agent begins with. */
export interface AgentInitialState extends Partial<Pick<AgentState, "systemPrompt" | "model" | "thinkingLevel">> {
  /** The conversation so far; a copy is kept. Default: none. */
  messages?: readonly AgentMessageInput[];
  /** The empty list makes the compiler take the tools one by one; otherwise it compares each with each first. */
  tools?: readonly AnyAgentTool[] | [];
}

/** How an agent is set up; nothing is required. */
export interface AgentOptions extends AgentLoopHooks, AgentLimits, Pick<SimpleStreamOptions, AgentRequestOption> {
  /** What the agent begins with. Default: no messages, no tools, an empty system prompt, thinking off. */
  initialState?: AgentInitialState;
  /** Default: user messages, answers and tool results go to the model, other messages do not. */
  convertToLlm?: (messages: AgentMessage[]) => Message[] | Promise<Message[]>;
  /** Default: `streamSimple` of pi-ai. */
  streamFn?: StreamFn;
  /** More options for each call of the model, such as `temperature` or `idleTimeoutMs`. */
  streamOptions?: AgentStreamOptions;
  /** Default `"one-at-a-time"`. */
  steeringMode?: QueueMode;
  /** Default `"one-at-a-time"`. */
  followUpMode?: QueueMode;
  /** Default `"parallel"`. */
  toolExecution?: ToolExecutionMode;
  /** Told what a listener threw, or that it held up the run it waited for. Default: `console.error`. */
  onListenerError?: (error: unknown, event: AgentEvent) => void;
}
