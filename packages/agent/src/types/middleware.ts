/** Middleware: one behaviour of an agent, such as a budget, a compaction or a trace. */
import type { AssistantMessage, Context, Message, Model, ModelThinkingLevel, ToolResultMessage } from "pi-ai";
import type { AgentContext } from "./agent-context.js";
import type { AgentEvent, RunStop } from "./event.js";
import type {
  AgentLoopTurnUpdate,
  ModelRequest,
  SideRequest,
  TransformContextHook,
  WrapModelCallHook,
} from "./hooks.js";
import type { AgentMessage, AgentToolCall } from "./message.js";
import type { ParentToolCall } from "./parent-run.js";
import type { PausedCall, PauseRequest, SignedCall } from "./pause.js";
import type { QueueStore } from "./queue.js";
import type { AgentToolCallOutcome, AnyAgentTool, StepToolCall } from "./tool.js";
import type {
  AfterToolCallHook,
  BeforeToolCallHook,
  BeforeToolCallResult,
  WrapToolCallHook,
} from "./tool-call-hooks.js";

/**
 * One behaviour of an agent. It holds no run, so several agents can share it: what it remembers of a run belongs to the
 * hooks that {@link AgentMiddleware.begin} returns.
 *
 * @example
 * const log: AgentMiddleware = {
 *   name: "log",
 *   begin: () => ({
 *     afterTurn: ({ message }) => void console.log(message.usage.totalTokens),
 *   }),
 * };
 * const agent = new Agent({ initialState: { model }, middleware: [log] });
 */
export interface AgentMiddleware {
  /** Identifies it in errors, in the `origin` of messages that it adds, and in {@link MiddlewareRun.middleware}. */
  readonly name: string;
  /**
   * Names of middleware that must come earlier in the list (`outside`) or later (`inside`), if they are in it. The list is
   * checked at the beginning of a run, never sorted.
   */
  readonly order?: { readonly outside?: readonly string[]; readonly inside?: readonly string[] };
  /** Whether agents that the run's tools run have it, too: see `agentTool`. Default false. */
  readonly inherit?: boolean;
  /**
   * Whether `afterTurn` decides from the conversation, the clock and what its own hooks have seen, without other effects. A
   * durable run then calls it again for a turn that it repeats, and stores nothing for it. Default false: its decision, with
   * the messages that it adds, is a step.
   */
  readonly isRepeatable?: boolean;
  /**
   * Whether forks of a run have it, too: see {@link MiddlewareRun.fork}. False for a middleware that reports runs, such as a
   * log, or asks a person. Default true.
   */
  readonly inForks?: boolean;
  /**
   * Checks a request that is about to be answered, and rejects with an `AnswerError` if the answer must not count.
   *
   * @param conversation the `sessionId` of the agent
   */
  checkRequest?(request: PauseRequest, call: SignedCall, conversation: string | undefined): Promise<void>;
  /** Stores what the agent has queued. Only the agent's own middleware is asked, not what a run inherits. */
  readonly queue?: QueueStore;
  /** Begins a run. An error ends the run with an error message. */
  begin(run: MiddlewareRun): RunHooks;
}

type MaybePromise<TValue> = TValue | Promise<TValue>;

/**
 * The hooks of one run, all optional. None is called for a delta of a response. An error in one ends the run with an error
 * message, except in the hooks of tool calls, where it becomes the result of the call, and in `end`, which is too late for one.
 */
export interface RunHooks {
  /**
   * Does what has effects before a turn's request, such as a compaction: in the order of the list, before
   * `transformContext`. A durable run stores the messages that it adds, and does not call it again.
   */
  beforeRequest?(): MaybePromise<void>;
  /** Transforms the conversation for one request. In the order of the list; the application's own hook comes last. */
  transformContext?: TransformContextHook | undefined;
  /** Changes a request that is about to be sent, after `convertToLlm`. In the order of the list. */
  prepareRequest?(request: ModelRequest): ModelRequest;
  /** Surrounds a request and its response. The first in the list is the outermost. */
  wrapModelCall?: WrapModelCallHook | undefined;
  /**
   * Surrounds each request that is sent, inside of all `wrapModelCall`: it does not see what these refuse or answer
   * themselves, and sees each request that they repeat. The first in the list is the outermost.
   */
  wrapSend?: WrapModelCallHook | undefined;
  /**
   * Called with the response of a turn that has no content, such as that of an error. True if the request should be built
   * again and sent once more through all hooks, because something has changed. In the order of the list, until one says so.
   */
  recover?(response: AssistantMessage): MaybePromise<boolean>;
  /**
   * Chooses the tools of the next request from those of the conversation, and adds tools of its own, which `tools` then
   * runs. A call of a tool that it leaves out runs as any other. In the order of the list.
   */
  chooseTools?(tools: readonly AnyAgentTool[]): readonly AnyAgentTool[];
  /** Returns tools of its own for the calls of a response. The other middleware's hooks of tool calls do not see them. */
  tools?(message: AssistantMessage): readonly AnyAgentTool[];
  /**
   * Decides about the calls of a response that are about to run, all at once, before any of them has an effect; in a
   * sequential batch, about each call alone. Called after {@link RunHooks.beforeToolCall}, in the order of the list, with
   * the calls that are not blocked yet. An error becomes the result of each of them.
   *
   * @returns one verdict for each call, in their order; undefined lets a call run
   */
  beforeTools?(calls: readonly StepToolCall[]): Promise<readonly ToolVerdict[] | undefined>;
  /**
   * Called with the requests of a call that pauses, and the call as the model has written it; returns those that the transcript
   * keeps, such as with a signature. In the order of the list.
   */
  beforePause?(
    requests: readonly PauseRequest[],
    toolCall: AgentToolCall,
    /** The tool of the call, what precedes the ids of its requests, what it keeps to go on, and what it has asked before. */
    waiting: {
      readonly tool: AnyAgentTool | undefined;
      readonly key: string;
      readonly resume?: unknown;
      readonly paused?: PausedCall | undefined;
    },
  ): Promise<readonly PauseRequest[]>;
  /** Called before a tool runs, in the order of the list. The first one that blocks decides. */
  beforeToolCall?: BeforeToolCallHook | undefined;
  /** Surrounds a tool. The first in the list is the outermost. */
  wrapToolCall?: WrapToolCallHook | undefined;
  /** Called after a tool, in reverse order, so that the first in the list has the last word on the result. */
  afterToolCall?: AfterToolCallHook | undefined;
  /** Decides what follows from a turn that did not fail and waits for no answers. In the order of the list; the decisions are merged. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook may have no return statement.
  afterTurn?(turn: FinishedTurn): MaybePromise<TurnDecision | undefined | void>;
  /** Receives the queued messages that come before the next turn. */
  beforeMessages?(messages: readonly AgentMessage[]): void;
  /**
   * Receives a response that an earlier process of a durable run requested.
   *
   * @param isRefused whether a limit refused a request, so that `message` is the end of the run. What was sent before that is
   *   in its usage and in its diagnostic `side_requests`
   */
  onRemembered?(message: AssistantMessage, isRefused: boolean): void;
  /** Receives the outcome of a tool call that an earlier process of a durable run has stored, before other work goes on. */
  onRememberedCall?(outcome: AgentToolCallOutcome): void;
  /**
   * Receives every event of the run but deltas (`message_update`, also that of a child), after the agent's state has changed.
   * The run waits for it. See {@link MiddlewareRun.onDelta}.
   */
  onEvent?(event: AgentEvent): MaybePromise<void>;
  /** Called once, when the run has ended in any way, in reverse order. */
  end?(outcome: RunOutcome): MaybePromise<void>;
}

/** The decision about a call before its tool runs: undefined lets it run. */
export type ToolVerdict = ToolBlock | undefined;

/** The decision that a tool does not run, or not yet. */
export interface ToolBlock extends BeforeToolCallResult {
  /** The call waits for an answer to this request. The run ends when the other calls have ended. */
  pause?: PauseRequest;
}

/** A turn that has just ended. */
export interface FinishedTurn {
  /** The response of the turn. */
  readonly message: AssistantMessage;
  /** The results of its tool calls, in their order. */
  readonly toolResults: readonly ToolResultMessage[];
  /**
   * In the first turn of a run that goes on after a pause: the results of the calls that ran before the response. They belong to
   * an earlier one.
   */
  readonly resumedResults?: readonly ToolResultMessage[];
  /** Whether the model has to see the results, or has to continue an interrupted response. */
  readonly needsResponse: boolean;
  /**
   * How many rounds in a row had the same calls, in any order, with the same results, this one included. A round is the tool
   * calls of one response. 0 without calls, and with a tool that `polls`. Queued messages begin the count anew.
   */
  readonly repeats: number;
  /** The ids of its calls that were wrong: there is no such tool, the arguments are invalid, or the response was cut. */
  readonly rejectedCalls: readonly string[];
}

/** Decides what follows from a turn. The decisions of all middleware are merged. */
export interface TurnDecision {
  /** Ends the run as it is; queued messages stay queued. One middleware that says so is enough. */
  end?: boolean;
  /** Why the run ends: with an error message if it would go on. The outermost one is the reason. */
  stop?: RunStop;
  /** The model need not respond to this turn: the run goes on for queued messages only. */
  done?: boolean;
  /** Messages for the next turn, if there is one. Those of all middleware are joined, in the order of the list. */
  messages?: readonly AgentMessage[];
  /** The model must respond to `messages`: the run goes on for them, even if it would end otherwise. */
  demand?: boolean;
  /** Changes for the rest of the run. Merged in the order of the list; a later field replaces an earlier one. */
  update?: AgentLoopTurnUpdate;
}

/** How a run ended. */
export interface RunOutcome {
  /** The new messages of the run. */
  readonly messages: readonly AgentMessage[];
  /** The limit that ended the run, if one did. */
  readonly stop: RunStop | undefined;
  /** The error of the engine of a durable run. The run has not ended then: another process may continue it. */
  readonly failure: unknown;
}

/** A run, as a middleware sees it. */
export interface MiddlewareRun {
  /** Identifies the run. The same object for all of its middleware, and the `parent` of runs that its tools begin. */
  readonly root: object;
  /** Identifies the agent: the same object for all of its runs. Undefined for a run of the functions of the loop. */
  readonly owner?: object | undefined;
  /** The `root` of the run whose tool runs this agent. */
  readonly parent: object | undefined;
  /** The tool call of that run. */
  readonly parentCall: ParentToolCall | undefined;
  /** Identifies the conversation, if it has a `sessionId`. */
  readonly sessionId: string | undefined;
  /** Aborted when the run is. */
  readonly signal: AbortSignal | undefined;
  /** The model of the next request. */
  readonly model: Model;
  /** The level of thinking of the next request. */
  readonly thinkingLevel: ModelThinkingLevel;
  /** The conversation, the system prompt and the tools. Read only. */
  readonly context: Readonly<AgentContext>;
  /** The names of all middleware of the run, in their order. */
  readonly middleware: readonly string[];
  /** Whether a durable run repeats what an earlier process did: its events were reported there. */
  readonly isReplaying: boolean;
  /**
   * Whether {@link MiddlewareRun.add} may be called now. False before the first `turn_start`; while a response is open, because a
   * message must not come between its start and its end; while a request or tools of a durable run are under way, which
   * stores only the response and the results; and from `agent_end` on.
   */
  readonly canAdd: boolean;
  /** Whether the run must end with a typed output. */
  readonly hasOutput: boolean;
  /** Aborts the run. */
  abort(): void;
  /**
   * Calls a function with each delta of the run: a `message_update`, or the `child_event` with that of a child. The run does
   * not wait for it. It must be fast, because there may be thousands in a second, and must not throw.
   */
  onDelta(listener: (event: AgentEvent) => void): void;
  /**
   * Does something when the agent is idle. Other runs may come before that: the agent begins them by itself, for messages that
   * came late. `prompt()` waits for it. Absent in a run of the functions of the loop, which no other follows.
   */
  whenIdle?(work: () => Promise<void>): void;
  /** Returns the time in Unix milliseconds. In a durable run, that of the latest step. */
  now(): number;
  /** When the run began, by {@link MiddlewareRun.now}; in a durable run, in its first process. */
  readonly startedAt: number;
  /** Emits an event. Returns a promise only if there is something to wait for. */
  emit(event: AgentEvent): Promise<void> | undefined;
  /**
   * Adds a message to the conversation and emits it. While tool calls of a response are open, it comes after the results of
   * all of them. One that is added between two turns, such as at `turn_end` or in `afterTurn`, is shown there, before the next
   * `turn_start` or `agent_end`. The `origin` of a message with the role `user` is the name of the middleware. A durable run stores what is
   * added in a step: in {@link MiddlewareRun.step}, `beforeRequest`, `beforeToolCall` or `afterTurn`.
   *
   * @throws Error if {@link MiddlewareRun.canAdd} is false
   */
  add(message: AgentMessage): Promise<void>;
  /** Builds the request of this turn again, through all hooks, after something that they return has changed. */
  prepare(): Promise<ModelRequest>;
  /** Passes messages through the `transformContext` of all others, and `convertToLlm`. */
  toLlm(messages: readonly AgentMessage[]): Promise<Message[]>;
  /**
   * Sends a request beside the conversation, through the `wrapModelCall` of all others, and returns its response. It emits
   * nothing. Its usage becomes a part of the next response, as the diagnostic `side_requests`, which `sumUsage` counts.
   *
   * Rejects if a limit refuses it, with the error of the stream function, and on an abort.
   */
  request(request: SideRequest): Promise<AssistantMessage>;
  /**
   * Repeats requests and tool calls of the run beside it, also after its end, with its settings, and with its middleware begun
   * anew, except that which is not {@link AgentMiddleware.inForks}. The run does not see it.
   *
   * @param signal aborts the fork
   */
  fork(signal: AbortSignal): Promise<RunFork>;
  /** Returns the messages of a request that is about to be sent, without a copy. Read only: the array grows later. */
  peek(context: Context): readonly Message[];
  /** The part of a response that had arrived when `send` rejected with this error. It was paid. */
  partialOf(error: unknown): AssistantMessage | undefined;
  /**
   * Does work with effects as a step: a durable run that is repeated returns the stored value, which must survive JSON.
   * Other runs do it at once.
   *
   * @param name identifies the step within this middleware, whose name is put in front of it
   * @param work receives an id of the step that is unique in the run
   */
  step<TValue>(name: string, work: (id: string) => Promise<TValue>): Promise<TValue>;
  /**
   * Waits for a value that another process sends under this name: the first one counts. Absent if the run has no engine
   * that can wait.
   */
  waitFor?(name: string): Promise<unknown>;
}

/** Requests and tool calls beside a run. See {@link MiddlewareRun.fork}. */
export interface RunFork {
  /** The signal that its requests carry: aborted with that of the caller, or by its middleware. */
  readonly signal: AbortSignal;
  /** Sends a request through all hooks. Rejects with what a hook or the stream function throws. */
  respond(request: ForkedRequest): Promise<AssistantMessage>;
  /** Runs a tool call with all hooks. An error becomes its outcome. */
  runTool(
    toolCall: AgentToolCall,
    assistantMessage: AssistantMessage,
    context: AgentContext,
  ): Promise<AgentToolCallOutcome>;
  /** Ends the middleware of the fork. */
  end(): Promise<void>;
}

/** A request of a fork. */
export interface ForkedRequest {
  /** The model. */
  model: Model;
  /** The conversation, the system prompt and the tools. */
  context: AgentContext;
  /** The level of thinking. */
  thinkingLevel: ModelThinkingLevel;
  /** Called with the response so far each time that it grows. */
  onPartial?: ((partial: AssistantMessage) => void) | undefined;
}
