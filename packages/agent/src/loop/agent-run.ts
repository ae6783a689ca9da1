/** The state of one run: its own copy of the conversation, and the sink for its events. */
import type { AssistantMessage, AssistantMessageEvent, ToolResultMessage, Usage } from "pi-ai";
import { collectSecrets, formatThrownValue, isRecord, redact } from "pi-ai/call";
import { type AbortGate, isPromiseLike } from "../abort-gate.js";
import { assertTools } from "../check-tools.js";
import { isObject } from "../checks.js";
import { RepeatedRounds } from "../middleware/repeats.js";
import { SideRequests } from "../middleware/side-requests.js";
import { createMark, MessagesWithoutMarks, pendingRequests } from "../pause/index.js";
import {
  type CallSettings,
  type CommonStreamOptions,
  checkRunSettings,
  pickCallSettings,
  pickStreamOptions,
} from "../settings.js";
import type { AgentContext } from "../types/agent-context.js";
import type { AgentLoopConfig } from "../types/config.js";
import type { AgentEvent, AgentEventSink, RunStop } from "../types/event.js";
import type { AgentLoopTurnUpdate, StreamFn } from "../types/hooks.js";
import type { AgentMessage, AgentToolCall } from "../types/message.js";
import type { AgentMiddleware, RunHooks } from "../types/middleware.js";
import type { ParentRun, RunParent } from "../types/parent-run.js";
import type { CallMark, Pause } from "../types/pause.js";
import type { RunSteps, StepRun } from "../types/run-steps.js";
import type { AgentToolCallOutcome, AnyAgentTool } from "../types/tool.js";
import { LlmMessages } from "./llm-messages.js";

export interface AgentRunOptions {
  context: AgentContext;
  config: AgentLoopConfig;
  emit: AgentEventSink;
  /** Whether `emit` never throws or rejects and already enforces the post-abort grace period. */
  emitIsSafe?: boolean;
  gate: AbortGate;
  streamFn: StreamFn;
  /** Called when a durable run removes messages from the end of the conversation, see `StepRun`. */
  onRewind?: (length: number) => void;
  /** What the last run of the agent has used after its last response. */
  sideUsages?: readonly Usage[] | undefined;
  /** The run whose tool runs this agent, and the call. */
  parent?: RunParent | undefined;
  /** Aborts the run, through the signal of the gate. */
  abort: () => void;
}

/** The events of a response before its terminal event. */
export type ResponseProgress = Exclude<AssistantMessageEvent, { type: "done" | "error" }>;

type ToolCallEnd = Extract<AgentEvent, { type: "tool_execution_end" }>;

/** The middleware of a run: its names in the order of the list, and one hook of each kind that any of them has. */
export interface RunMiddleware extends RunHooks {
  readonly names: readonly string[];
}

export class AgentRun implements StepRun {
  /** The conversation. Hooks see it live; the caller's own arrays are never touched. */
  context: AgentContext;
  /** The messages that the run added. */
  readonly newMessages: AgentMessage[] = [];
  /** The tools at the start of the run. */
  readonly tools: readonly AnyAgentTool[] | undefined;
  readonly config: AgentLoopConfig;
  /** The configuration as it was passed in, before the hooks of middleware were added. */
  readonly given: AgentLoopConfig;
  readonly gate: AbortGate;
  /** What the run gets from outside. */
  readonly steps: RunSteps;
  /** The clock of the run, if it is not that of the system; in a durable run the same in each process. */
  readonly clock: (() => number) | undefined;
  readonly streamFn: StreamFn;
  llmMessages: LlmMessages;
  /** The middleware for the setting `output`. */
  output: AgentMiddleware | undefined;
  /** What the model may see of the conversation. */
  readonly withoutMarks: MessagesWithoutMarks = new MessagesWithoutMarks();
  /** The composed hooks of its middleware. Set when the run begins. */
  middleware: RunMiddleware = { names: [] };
  /** Counts the rounds of tool calls that repeat the one before. */
  readonly rounds: RepeatedRounds = new RepeatedRounds();
  /** The run whose tool runs this agent, and the call. */
  readonly parent: RunParent | undefined;
  readonly abort: () => void;
  /** Passed to tools that run agents of their own. */
  readonly asParent: ParentRun;
  /** The reason, if a limit ends the run. */
  stop: RunStop | undefined;
  #pause: Pause | undefined;
  #resumedResults: readonly ToolResultMessage[] | undefined;
  /** The key of the latest request. */
  apiKey: string | undefined;
  /** The settings of each tool call. */
  callSettings: CallSettings;
  /** The options of the next request. */
  readonly streamOptions: CommonStreamOptions;
  /** The partial response that has a `message_start` but no `message_end` yet. */
  openResponse: AssistantMessage | undefined;
  #onDelta: ((event: AgentEvent) => void) | undefined;
  /** The requests beside the conversation. */
  readonly side: SideRequests;
  /** The messages that middleware has added. */
  readonly added: AgentMessage[] = [];
  /** Content indexes of tool calls in the open response whose arguments are still streaming. */
  readonly openCalls: Set<number> = new Set();
  /** Results that join the conversation when all calls of a response have ended. */
  #held: AgentMessage[] | undefined;
  /** Messages of middleware that come after these results. */
  #waiting: AgentMessage[] = [];
  readonly #emit: AgentEventSink;
  readonly #emitIsSafe: boolean;
  readonly #onRewind: AgentRunOptions["onRewind"];
  #closed = false;
  #sinkFailure: { readonly error: unknown } | undefined;

  constructor(options: AgentRunOptions) {
    isObject("The argument context", options.context);
    isObject("The argument config", options.config);
    assertTools(options.context.tools);
    checkRunSettings(options.config);
    this.context = { ...options.context, messages: options.context.messages.slice() };
    this.tools = options.context.tools;
    this.given = options.config;
    this.config = { ...options.config };
    this.streamOptions = pickStreamOptions(this.config);
    this.callSettings = pickCallSettings(this.config);
    const { steps = directSteps, now } = this.config;
    this.steps = steps;
    this.clock = steps.now ? () => steps.now?.() ?? Date.now() : now;
    this.gate = options.gate;
    this.streamFn = options.streamFn;
    this.llmMessages = new LlmMessages(this.config);
    this.#emit = options.emit;
    this.#emitIsSafe = options.emitIsSafe ?? false;
    this.#onRewind = options.onRewind;
    this.side = new SideRequests(options.sideUsages);
    this.parent = options.parent;
    this.abort = options.abort;
    const inherited = options.parent?.run.middleware ?? [];
    // A wrong entry is reported when the run has begun.
    const own = this.config.middleware?.filter((one) => one?.inherit) ?? [];
    this.asParent = {
      emit: (event) => this.emit(event),
      middleware: [...new Set([...inherited, ...own])],
      countUsage: (usage) => this.side.countUsage(usage),
      reportUsage: (call, usage) => this.side.reportUsage(call, usage),
    };
  }

  /** Whether events are dropped: the run is over, or the event sink threw. */
  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Emits an event, first to the sink, then to middleware. The one place that returns a promise only if there is something to
   * wait for: there is an event for every delta, and a promise for each would cost more than all else in the loop.
   */
  emit(event: AgentEvent): Promise<void> | undefined {
    if (this.#closed) return undefined;
    try {
      const shown: AgentEvent = this.steps.isReplaying ? { ...event, replayed: true } : event;
      const taken = this.#emit(shown);
      const pending = taken !== undefined && isPromiseLike(taken);
      const delivered = pending ? (this.#emitIsSafe ? taken : this.#settle(taken)) : undefined;
      if (isDelta(event)) this.#onDelta?.(shown);
      else if (this.middleware.onEvent) return this.#observe(shown, delivered);
      return delivered;
    } catch (error) {
      throw this.#fail(error);
    }
  }

  /** Passes an event on to middleware, once it was delivered. After an abort the run waits no longer than for a listener. */
  async #observe(event: AgentEvent, delivered: Promise<void> | undefined): Promise<void> {
    await delivered;
    const observed = this.middleware.onEvent?.(event);
    if (observed) await this.gate.waitForObserver(observed);
  }

  /** Calls a function with each delta, as soon as it was emitted. */
  watchDeltas(listener: (event: AgentEvent) => void): void {
    const earlier = this.#onDelta;
    this.#onDelta = earlier
      ? (event) => {
          earlier(event);
          listener(event);
        }
      : listener;
  }

  /**
   * The only way into the conversation: adds a message and emits it, so that what listeners have seen and what the model
   * will see never differ.
   *
   * @param shown what `message_start` shows; null if it was emitted before
   */
  async deliver(message: AgentMessage, shown: AgentMessage | null = message): Promise<void> {
    (this.#held ?? this.context.messages).push(message);
    this.newMessages.push(message);
    if (shown) await this.emit({ type: "message_start", message: shown });
    await this.emit({ type: "message_end", message });
  }

  /** Hooks of tool calls see the conversation without the results of siblings, so those join it after the last call. */
  holdResults(): void {
    this.#held = [];
  }

  /** Adds the results that are held, and what middleware has added meanwhile. */
  async releaseResults(): Promise<void> {
    if (this.#held) this.context.messages.push(...this.#held);
    this.#held = undefined;
    for (const message of this.#waiting.splice(0)) await this.deliver(message);
  }

  /** Adds a message of middleware. It must not come between tool calls and their results. */
  async add(message: AgentMessage): Promise<void> {
    this.added.push(message);
    if (this.#held) this.#waiting.push(message);
    else await this.deliver(message);
  }

  /** Resets the state of the previous response. */
  beginResponse(): void {
    this.openResponse = undefined;
    this.openCalls.clear();
  }

  /** Emits the progress of a response. */
  showProgress(event: ResponseProgress): Promise<void> | undefined {
    const begins = event.type === "start";
    // Without a start there is no message to update.
    if (!begins && !this.openResponse) return undefined;
    this.openResponse = event.partial;
    if (event.type === "toolcall_start") this.openCalls.add(event.contentIndex);
    else if (event.type === "toolcall_end") this.openCalls.delete(event.contentIndex);
    const message = { ...event.partial };
    return this.emit(
      begins ? { type: "message_start", message } : { type: "message_update", message, assistantMessageEvent: event },
    );
  }

  /** Adds the final message. Ends the open response with it, or emits it whole if none was open. */
  endResponse(message: AssistantMessage): Promise<void> {
    const hasBegun = this.openResponse !== undefined;
    this.openResponse = undefined;
    return this.deliver(message, hasBegun ? null : { ...message });
  }

  beginToolCall({ id, name, arguments: args }: AgentToolCall): Promise<void> | undefined {
    return this.emit({ type: "tool_execution_start", toolCallId: id, toolName: name, args });
  }

  /** Every tool call ends here, whether it ran, failed, was refused or aborted. Its message follows in the order of the calls. */
  endToolCall({ toolCall, result, isError, durationMs, pause }: AgentToolCallOutcome): Promise<void> | undefined {
    const { id: toolCallId, name: toolName } = toolCall;
    const event: ToolCallEnd = { type: "tool_execution_end", toolCallId, toolName, result, isError };
    if (durationMs !== undefined) event.durationMs = durationMs;
    if (pause) event.isWaiting = true;
    return this.emit(event);
  }

  /** Adds the mark of a call that has paused. */
  mark(toolCall: AgentToolCall, mark: CallMark, details?: unknown): Promise<void> {
    return this.deliver(createMark(toolCall, mark, { timestamp: this.now(), details }));
  }

  /** Adds the message with the result of a call that has ended, and returns it. */
  async addToolResult(outcome: AgentToolCallOutcome): Promise<ToolResultMessage> {
    const message = this.#createToolResult(outcome);
    await this.deliver(message);
    return message;
  }

  /** What the run needs answers to, if that ends it. */
  get pause(): Pause | undefined {
    return this.#pause;
  }

  /** Ends the run, because it needs answers. */
  waitForAnswers(): void {
    this.#pause = { requests: pendingRequests(this.context.messages) };
  }

  /** Keeps the results of the calls with which the run goes on after a pause, until the end of the first turn. */
  resume(results: readonly ToolResultMessage[]): void {
    this.#resumedResults = results;
  }

  /** Takes the results that {@link AgentRun.resume} keeps. */
  takeResumed(): readonly ToolResultMessage[] | undefined {
    const results = this.#resumedResults;
    this.#resumedResults = undefined;
    return results;
  }

  #createToolResult({ toolCall, result, isError, durationMs }: AgentToolCallOutcome): ToolResultMessage {
    const { id: toolCallId, name: toolName, serverTool } = toolCall;
    const { content, details, output } = result;
    const timestamp = this.now();
    const message: ToolResultMessage = {
      role: "toolResult",
      toolCallId,
      toolName,
      content,
      details,
      isError,
      timestamp,
    };
    if (serverTool && isRecord(output)) message.output = output;
    if (durationMs !== undefined) message.durationMs = durationMs;
    return message;
  }

  /** Unix time in milliseconds; in a durable run the same in each process. */
  now(): number {
    return this.clock ? this.clock() : Date.now();
  }

  /** Removes messages from the end of the conversation. */
  rewind(length: number): void {
    this.context.messages.length = length;
    this.#onRewind?.(length);
  }

  /** Applies an update of `prepareNextTurn`. Its array of messages is copied. */
  update({ context, model, thinkingLevel }: AgentLoopTurnUpdate): void {
    if (context) {
      assertTools(context.tools);
      const own = context.messages === this.context.messages;
      this.context = { ...context, messages: own ? context.messages : context.messages.slice() };
    }
    if (model) this.config.model = model;
    if (thinkingLevel === "off") delete this.streamOptions.reasoning;
    else if (thinkingLevel) this.streamOptions.reasoning = thinkingLevel;
  }

  async #settle(taken: PromiseLike<void>): Promise<void> {
    try {
      await this.gate.waitForObserver(taken);
    } catch (error) {
      throw this.#fail(error);
    }
  }

  #fail(error: unknown): unknown {
    this.#sinkFailure ??= { error };
    this.close();
    return error;
  }

  /** Throws the error of the event sink, if it had one. */
  assertDelivered(): void {
    if (this.#sinkFailure) throw this.#sinkFailure.error;
  }

  /** The text of an error. A stream function or a hook of the application may quote the key that it received. */
  describeError(thrown: unknown): string {
    return redact(formatThrownValue(thrown), this.secrets());
  }

  /** The values that must not appear in texts. */
  secrets(): readonly string[] {
    return collectSecrets([this.apiKey], this.config.headers, this.config.model.headers);
  }

  /** Stops emitting: a tool that goes on after the end must not reach a later run. */
  close(): void {
    this.#closed = true;
  }
}

/** Children of children are nested. */
function isDelta(event: AgentEvent): boolean {
  return event.type === "message_update" || (event.type === "child_event" && isDelta(event.event));
}

let count = 0;

/** The steps of a run that nothing stores: each is done at once. */
export const directSteps: RunSteps = {
  failure: undefined,
  isReplaying: false,
  stores: false,
  isStoring: false,
  begin: (prompts) => prompts,
  poll: (_queue, take) => take(),
  respond: (request) => request(),
  decide: (_name, call) => call(),
  step: (_name, work) => work(String(++count)),
  keyOf: ({ id }) => id,
  runTools: (_calls, work) => work(),
  runTool: (_call, perform) => perform(undefined),
  catchUp: () => {},
};
