/** The state of one run: its own copy of the conversation, and the sink for its events. */
import type { AssistantMessage, AssistantMessageEvent, ToolResultMessage, Usage } from "pi-ai";
import { collectSecrets, formatThrownValue, isRecord, redact } from "pi-ai/call";
import type { AgentContext } from "../types/agent-context.js";
import type { AgentLoopConfig } from "../types/config.js";
import type { AgentEvent, AgentEventSink, RunStop } from "../types/event.js";
import type { AgentLoopTurnUpdate, StreamFn } from "../types/hooks.js";
import type { AgentMessage, AgentToolCall } from "../types/message.js";
import type { RunHooks, RunOutcome, ToolVerdict } from "../types/middleware.js";
import type { ParentRun, RunParent } from "../types/parent-run.js";
import type { RunBeginning, RunSteps } from "../types/run-steps.js";
import type { AgentToolCallOutcome, AnyAgentTool, StepToolCall } from "../types/tool.js";
import { type AbortGate, isPromiseLike } from "./abort-gate.js";
import { LlmMessages } from "./llm-messages.js";
import {
  type CallSettings,
  type CommonStreamOptions,
  checkRunSettings,
  isObject,
  pickCallSettings,
  pickStreamOptions,
} from "./settings/index.js";
import { SideRequests } from "./side-requests.js";
import { assertTools } from "./tools/check-tools.js";

export interface AgentRunOptions {
  context: AgentContext;
  config: AgentLoopConfig;
  emit: AgentEventSink;
  /** Whether `emit` never throws or rejects and already enforces the post-abort grace period. */
  emitIsSafe?: boolean;
  gate: AbortGate;
  streamFn: StreamFn;
  /** Called when a durable run removes messages from the end of the conversation, see `RunBeginning`. */
  onRewind?: (length: number) => void;
  /** What the last run of the agent has used after its last response. */
  sideUsages?: readonly Usage[] | undefined;
  /** The run whose tool runs this agent, and the call. */
  parent?: RunParent | undefined;
  /** Aborts the run, through the signal of the gate. */
  abort: () => void;
  /** Set if the beginning was emitted before the code of the run was there. */
  begun?: { delivered: void | Promise<void> } | undefined;
}

/** The events of a response before its terminal event. */
export type ResponseProgress = Exclude<AssistantMessageEvent, { type: "done" | "error" }>;

/** The middleware of a run, begun. A hook that none of them has is absent, so that a turn reads one property for it. */
export interface RunMiddleware {
  /** The names of the list. */
  names: readonly string[];
  /** The hooks of each, in the order of the list. */
  all: readonly RunHooks[];
  /** Does what has effects before a request. */
  beforeRequest?: (() => Promise<void>) | undefined;
  prepareRequest?: RunHooks["prepareRequest"] | undefined;
  recover?: RunHooks["recover"] | undefined;
  onRemembered?: RunHooks["onRemembered"] | undefined;
  onRememberedCall?: RunHooks["onRememberedCall"] | undefined;
  tools?: RunHooks["tools"] | undefined;
  beforeTools?: ((calls: readonly StepToolCall[]) => Promise<readonly ToolVerdict[]>) | undefined;
  afterTurn?: RunHooks["afterTurn"] | undefined;
  beforeMessages?: RunHooks["beforeMessages"] | undefined;
  /** Calls the last hook of each. */
  end?: ((outcome: RunOutcome) => Promise<void>) | undefined;
}

/** The middleware of a run without any. */
const NO_MIDDLEWARE: RunMiddleware = { names: [], all: [] };

export class AgentRun {
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
  /** Its middleware. When the run begins, the loop's own limit of repeats is added first. */
  middleware: RunMiddleware = NO_MIDDLEWARE;
  /** Counts the rounds of tool calls that repeat the one before. Set when the run begins. */
  countRepeats: (toolCalls: readonly AgentToolCall[], toolResults: readonly ToolResultMessage[]) => number = () => 0;
  /** The run whose tool runs this agent, and the call. */
  readonly parent: RunParent | undefined;
  readonly abort: () => void;
  readonly begun: AgentRunOptions["begun"];
  /** Passed to tools that run agents of their own. */
  readonly asParent: ParentRun;
  /** The reason, if a limit ends the run. */
  stop: RunStop | undefined;
  /** The key of the latest request. */
  apiKey: string | undefined;
  /** The settings of each tool call. */
  callSettings: CallSettings;
  /** The options of the next request. */
  readonly streamOptions: CommonStreamOptions;
  /** The partial response that has a `message_start` but no `message_end` yet. */
  openResponse: AssistantMessage | undefined;
  /** Passes an event on to middleware, after it was delivered. Undefined if none receives events. */
  observe: ((event: AgentEvent, delivered: Promise<void> | undefined) => Promise<void>) | undefined;
  #onDelta: ((event: AgentEvent) => void) | undefined;
  /** The requests beside the conversation. */
  readonly side: SideRequests;
  /** Whether a request, or tools, of a durable run are under way, which stores only the response and the outcomes. */
  isStoring = false;
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
    this.begun = options.begun;
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
   * Emits an event. Returns a promise only if the sink did.
   * Not an async function: there is an event for every delta, and a promise for each would be a waste.
   */
  emit(event: AgentEvent): Promise<void> | undefined {
    if (this.#closed) return undefined;
    try {
      const shown: AgentEvent = this.steps.isReplaying ? { ...event, replayed: true } : event;
      const taken = this.#emit(shown);
      const pending = taken !== undefined && isPromiseLike(taken);
      const delivered = pending ? (this.#emitIsSafe ? taken : this.#settle(taken)) : undefined;
      if (isDelta(event)) this.#onDelta?.(shown);
      else if (this.observe) return this.observe(shown, delivered);
      return delivered;
    } catch (error) {
      throw this.#fail(error);
    }
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
  deliver(message: AgentMessage, shown: AgentMessage | null = message): Promise<void> | undefined {
    (this.#held ?? this.context.messages).push(message);
    this.newMessages.push(message);
    const started = shown ? this.emit({ type: "message_start", message: shown }) : undefined;
    const end: AgentEvent = { type: "message_end", message };
    return started ? this.#emitAfter(started, end) : this.emit(end);
  }

  async #emitAfter(earlier: Promise<void>, event: AgentEvent): Promise<void> {
    await earlier;
    await this.emit(event);
  }

  /** Hooks of tool calls see the conversation without the results of siblings, so those join it after the last call. */
  holdResults(): void {
    this.#held = [];
  }

  /** Returns a promise only if messages of middleware follow. */
  releaseResults(): Promise<void> | undefined {
    if (this.#held) this.context.messages.push(...this.#held);
    this.#held = undefined;
    return this.#waiting.length > 0 ? this.#deliverAll(this.#waiting.splice(0)) : undefined;
  }

  async #deliverAll(messages: readonly AgentMessage[]): Promise<void> {
    for (const message of messages) await this.deliver(message);
  }

  /** Adds a message of middleware. It must not come between tool calls and their results. */
  add(message: AgentMessage): Promise<void> | undefined {
    this.added.push(message);
    if (!this.#held) return this.deliver(message);
    this.#waiting.push(message);
    return undefined;
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
  endResponse(message: AssistantMessage): Promise<void> | undefined {
    const begun = this.openResponse !== undefined;
    this.openResponse = undefined;
    return this.deliver(message, begun ? null : { ...message });
  }

  beginToolCall({ id, name, arguments: args }: AgentToolCall): Promise<void> | undefined {
    return this.emit({ type: "tool_execution_start", toolCallId: id, toolName: name, args });
  }

  /** Every tool call ends here, whether it ran, failed, was refused or aborted. Its message follows in the order of the calls. */
  endToolCall({ toolCall, result, isError, durationMs }: AgentToolCallOutcome): Promise<void> | undefined {
    const { id: toolCallId, name: toolName } = toolCall;
    const type = "tool_execution_end";
    // Without a key for an absent duration. Written out, because adding a key to an object is slow.
    if (durationMs === undefined) return this.emit({ type, toolCallId, toolName, result, isError });
    return this.emit({ type, toolCallId, toolName, result, isError, durationMs });
  }

  /** Adds the message with the result of a call that has ended, also to the results of its turn. */
  addToolResult(outcome: AgentToolCallOutcome, results: ToolResultMessage[]): Promise<void> | undefined {
    const message = this.#createToolResult(outcome);
    results.push(message);
    return this.deliver(message);
  }

  #createToolResult({ toolCall, result, isError, durationMs }: AgentToolCallOutcome): ToolResultMessage {
    const role = "toolResult";
    const { id: toolCallId, name: toolName } = toolCall;
    const { content, details } = result;
    const timestamp = this.now();
    if (toolCall.serverTool && isRecord(result.output)) {
      const timed = durationMs === undefined ? {} : { durationMs };
      return { role, toolCallId, toolName, content, details, output: result.output, isError, ...timed, timestamp };
    }
    if (durationMs === undefined) return { role, toolCallId, toolName, content, details, isError, timestamp };
    return { role, toolCallId, toolName, content, details, isError, durationMs, timestamp };
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

  /** The facts with which the steps of the run begin. */
  describeBeginning(): RunBeginning {
    const { config, context, tools, middleware } = this;
    return {
      transcript: () => this.context.messages,
      rewind: (length) => this.rewind(length),
      describeError: (error) => this.describeError(error),
      model: config.model,
      systemPrompt: context.systemPrompt,
      tools,
      middleware: middleware.names,
      scope: this.parent?.scope,
    };
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
  isInStep: false,
  begin: (prompts) => prompts,
  poll: (_queue, take) => take(),
  respond: (request) => request(),
  decide: (_name, call) => call(),
  step: (_name, work) => work(String(++count)),
  keyOf: ({ id }) => id,
  mark: () => {},
  runTool: (_call, perform) => perform(undefined),
};
