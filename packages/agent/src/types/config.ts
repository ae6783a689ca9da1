/** What a run is given: the conversation, the model, and the hooks that it calls. */
import type {
  AssistantMessage,
  AssistantMessageEvent,
  Context,
  Message,
  Model,
  ModelThinkingLevel,
  SimpleStreamOptions,
  ToolResultMessage,
  UserBlock,
} from "pi-ai";
import type { AgentMessage, AgentToolCall } from "./message.js";
import type { AgentToolResult, AnyAgentTool, ToolExecutionMode } from "./tool.js";

/** The conversation that a run works on. */
export interface AgentContext {
  /** Instructions that stand above the conversation; empty for none. */
  systemPrompt: string;
  /** The conversation, oldest first. */
  messages: AgentMessage[];
  /** The tools that the model may call. Default: none. */
  tools?: AnyAgentTool[];
}

/** The stream of one response: any async iterable of events with a `result()`. pi-ai's own streams are such. */
export interface AssistantResponseStream extends AsyncIterable<AssistantMessageEvent> {
  /** The final message. May settle later than the last event; the run waits as long as `idleTimeoutMs` allows. */
  result(): Promise<AssistantMessage>;
}

/**
 * Sends a request to a model; `streamSimple` of pi-ai is such a function. It should report failures of the request as the
 * stream's `error` event; if it throws, the run ends as an error.
 */
export type StreamFn = (
  model: Model,
  context: Context,
  options?: SimpleStreamOptions,
) => AssistantResponseStream | Promise<AssistantResponseStream>;

/** A call that is about to run. */
export interface BeforeToolCallContext {
  /** The answer that the call stands in. */
  assistantMessage: AssistantMessage;
  /** The call as it stands in the answer. */
  toolCall: AgentToolCall;
  /** The checked copy that the tool will get. May be changed in place; it is not checked again. */
  // biome-ignore lint/suspicious/noExplicitAny: arguments have the shape of the tool's own schema.
  args: any;
  /** The run's own conversation, the answer included. */
  context: AgentContext;
}

/** What `beforeToolCall` decides; nothing lets the tool run. */
export interface BeforeToolCallResult {
  /** True: the tool is not run, and the model gets an error result. */
  block?: boolean;
  /** The text of that result. Default `Tool execution was blocked`. */
  reason?: string;
}

/** A call that has run. */
export interface AfterToolCallContext extends BeforeToolCallContext {
  /** What the tool gave, or the text of what went wrong. */
  result: AgentToolResult;
  /** Whether the tool failed. */
  isError: boolean;
}

/** Each field that is given replaces the tool's own; nothing is merged deeper. */
export interface AfterToolCallResult {
  /** What the model gets to see. */
  content?: UserBlock[];
  /** What the host gets to see. */
  // biome-ignore lint/suspicious/noExplicitAny: details belong to the host.
  details?: any;
  /** Whether the call counts as failed. */
  isError?: boolean;
  /** Whether the run should end after this batch. */
  terminate?: boolean;
}

/** Decides whether a tool runs. What it throws becomes the call's error result, and the tool does not run. */
export type BeforeToolCallHook = (
  context: BeforeToolCallContext,
  signal?: AbortSignal,
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook that has nothing to say has no return statement.
) => Promise<BeforeToolCallResult | undefined | void>;

/** Changes what a tool gave. What it throws becomes the call's error result. */
export type AfterToolCallHook = (
  context: AfterToolCallContext,
  signal?: AbortSignal,
  // biome-ignore lint/suspicious/noConfusingVoidType: as above.
) => Promise<AfterToolCallResult | undefined | void>;

/** A turn that has just ended. */
export interface ShouldStopAfterTurnContext {
  /** The answer of the turn. */
  message: AssistantMessage;
  /** The results of its calls, in their order. */
  toolResults: ToolResultMessage[];
  /** The run's own conversation. */
  context: AgentContext;
  /** The new messages of the run so far. */
  newMessages: AgentMessage[];
}

/** The turn that has just ended, for `prepareNextTurn`. */
export type PrepareNextTurnContext = ShouldStopAfterTurnContext;

/** What the rest of the run goes on with; a field that is left out stays as it was. */
export interface AgentLoopTurnUpdate {
  /** Another conversation. */
  context?: AgentContext;
  /** Another model. */
  model?: Model;
  /** Another thinking level. */
  thinkingLevel?: ModelThinkingLevel;
}

type MaybePromise<TValue> = TValue | Promise<TValue>;

/** How many tools may run, how long, and for how many turns. No limit is set by default; 0 means none too. */
export interface AgentLimits {
  /** Most tools of one parallel batch that run at the same time. */
  maxParallelTools?: number;
  /** Bound on one tool call in milliseconds; the call then ends in an error result. A tool may have its own. */
  toolTimeoutMs?: number;
  /** Most answers of one run. A run that needs more ends with an error message that says so. */
  maxTurns?: number;
}

/** Hooks that a run calls. What they throw ends the run as an error, except in the tool hooks. */
export interface AgentLoopHooks {
  /** Changes what one call sees of the conversation, before `convertToLlm`. */
  transformContext?: (messages: AgentMessage[], signal?: AbortSignal) => Promise<AgentMessage[]>;
  /** A key for each call; where it gives none, `apiKey` is used. */
  getApiKey?: (provider: string) => MaybePromise<string | undefined>;
  /** Asked after each good turn. True ends the run; the queues keep what they hold. */
  shouldStopAfterTurn?: (context: ShouldStopAfterTurnContext) => MaybePromise<boolean>;
  /** Called after each good turn, the last one too; may change how the run goes on. */
  prepareNextTurn?: (
    context: PrepareNextTurnContext,
    signal?: AbortSignal,
    // biome-ignore lint/suspicious/noConfusingVoidType: as for BeforeToolCallHook.
  ) => MaybePromise<AgentLoopTurnUpdate | undefined | void>;
  /** Called with checked arguments before a tool runs. What it throws becomes the call's error result. */
  beforeToolCall?: BeforeToolCallHook;
  /** Called when a tool has run, well or not. What it throws becomes the call's error result. */
  afterToolCall?: AfterToolCallHook;
}

/** What a run of the loop is configured with: options for each call of the model, hooks and limits. */
export interface AgentLoopConfig extends SimpleStreamOptions, AgentLoopHooks, AgentLimits {
  /** The model that is called. */
  model: Model;
  /** Turns the conversation into what a model may see, once for each call. */
  convertToLlm: (messages: AgentMessage[]) => MaybePromise<Message[]>;
  /** Messages to put in before the next turn: asked at the start and after each good turn. */
  getSteeringMessages?: () => MaybePromise<AgentMessage[]>;
  /** Messages to go on with when the run would end. */
  getFollowUpMessages?: () => MaybePromise<AgentMessage[]>;
  /** Default `"parallel"`. */
  toolExecution?: ToolExecutionMode;
}
