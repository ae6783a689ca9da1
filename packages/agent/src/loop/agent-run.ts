/** The state of one run: its own copy of the conversation, and the sink for its events. */
import type { AssistantMessage, ToolResultMessage, Usage } from "pi-ai";
import { collectSecrets, formatThrownValue, isRecord, redact } from "pi-ai/call";
import type { AbortGate } from "../abort-gate.js";
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
import type { AgentEvent, RunStop } from "../types/event.js";
import type { AgentLoopTurnUpdate, StreamFn } from "../types/hooks.js";
import type { AgentMessage, AgentToolCall } from "../types/message.js";
import type { RunHooks } from "../types/middleware.js";
import type { ParentRun, RunParent } from "../types/parent-run.js";
import type { CallMark, Pause } from "../types/pause.js";
import type { RunSteps, StepRun } from "../types/run-steps.js";
import type { AgentToolCallOutcome, AnyAgentTool } from "../types/tool.js";
import { directSteps } from "./direct-steps.js";
import { LlmMessages } from "./llm-messages.js";
import { OpenResponse, type ResponseProgress } from "./open-response.js";
import { OpenToolCalls } from "./open-tool-calls.js";
import { RunEvents, type RunEventsOptions } from "./run-events.js";

export interface AgentRunOptions extends RunEventsOptions {
  context: AgentContext;
  config: AgentLoopConfig;
  streamFn: StreamFn;
  /** Called when a durable run removes messages from the end of the conversation, see `StepRun`. */
  onRewind?: (length: number) => void;
  /** What the last run of the agent has used after its last response. */
  sideUsages?: readonly Usage[] | undefined;
  /** The run whose tool runs this agent, and the call. */
  parent?: RunParent | undefined;
  /** The agent whose run it is. */
  owner?: object | undefined;
  /** Aborts the run, through the signal of the gate. */
  abort: () => void;
  /** Receives what middleware throws at the end of the run, when it cannot fail any more. Default: nobody. */
  onLateFailure?: (error: unknown) => void;
}

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
  /** What the model may see of the conversation. */
  readonly withoutMarks: MessagesWithoutMarks = new MessagesWithoutMarks();
  #middleware: RunMiddleware = { names: [] };
  /** Counts the rounds of tool calls that repeat the one before. */
  readonly rounds: RepeatedRounds = new RepeatedRounds();
  /** The run whose tool runs this agent, and the call. */
  readonly parent: RunParent | undefined;
  /** The agent whose run it is; undefined in the functions of the loop. */
  readonly owner: object | undefined;
  readonly abort: () => void;
  /** Passed to tools that run agents of their own. */
  readonly asParent: ParentRun;
  /** The reason, if a limit ends the run. */
  stop: RunStop | undefined;
  #pause: Pause | undefined;
  #resumedResults: readonly ToolResultMessage[] | undefined;
  #apiKey: string | undefined;
  #callSettings: CallSettings;
  /** The options of the next request. */
  readonly streamOptions: CommonStreamOptions;
  /** The response that is arriving. */
  readonly response: OpenResponse = new OpenResponse();
  /** Its events, and who sees them. */
  readonly events: RunEvents;
  /** The requests beside the conversation. */
  readonly side: SideRequests;
  /** The messages that middleware has added. */
  readonly added: AgentMessage[] = [];
  /** Results that join the conversation when all calls of a response have ended. */
  #held: AgentMessage[] | undefined;
  /** Messages of middleware that come after these results. */
  #waiting: AgentMessage[] = [];
  isTurnOpen = false;
  /** The prompts that are not in the conversation yet. */
  prompts: AgentMessage[] = [];
  /** The calls of the latest response that have no result yet. */
  readonly toolCalls: OpenToolCalls = new OpenToolCalls();
  readonly #onRewind: AgentRunOptions["onRewind"];
  readonly onLateFailure: (error: unknown) => void;
  #failure: { readonly error: unknown } | undefined;
  /** Whether the transcript says already that the run has failed. */
  hasFailed = false;

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
    this.#callSettings = pickCallSettings(this.config);
    const { steps = directSteps, now } = this.config;
    this.steps = steps;
    this.clock = steps.now ? () => steps.now?.() ?? Date.now() : now;
    this.gate = options.gate;
    this.streamFn = options.streamFn;
    this.llmMessages = new LlmMessages(this.config);
    this.events = new RunEvents(options, this.steps, (error) => this.noteFailure(error));
    this.#onRewind = options.onRewind;
    this.onLateFailure = options.onLateFailure ?? (() => {});
    this.side = new SideRequests(options.sideUsages);
    this.parent = options.parent;
    this.owner = options.owner;
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
    return this.events.closed;
  }

  /** Emits an event. Returns a promise only if there is something to wait for. */
  emit(event: AgentEvent): Promise<void> | undefined {
    return this.events.emit(event);
  }

  beginTurn(): Promise<void> | undefined {
    this.isTurnOpen = true;
    return this.emit({ type: "turn_start" });
  }

  endTurn(message: AssistantMessage, toolResults: ToolResultMessage[]): Promise<void> | undefined {
    this.isTurnOpen = false;
    return this.emit({ type: "turn_end", message, toolResults });
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
    else if (this.events.isBusy) this.#deliverLater(message);
    else await this.deliver(message);
  }

  /** For a hook that may be receiving an event: if it waited for the next ones, each would wait for the other. */
  #deliverLater(message: AgentMessage): void {
    this.context.messages.push(message);
    this.newMessages.push(message);
    this.emit({ type: "message_start", message });
    this.emit({ type: "message_end", message });
  }

  /** Emits the progress of a response. */
  showProgress(event: ResponseProgress): Promise<void> | undefined {
    if (!this.response.take(event)) return undefined;
    const message = { ...event.partial };
    return this.emit(
      event.type === "start"
        ? { type: "message_start", message }
        : { type: "message_update", message, assistantMessageEvent: event },
    );
  }

  /** Adds the final message. Ends the open response with it, or emits it whole if none was open. */
  endResponse(message: AssistantMessage): Promise<void> {
    return this.deliver(message, this.response.end() ? null : { ...message });
  }

  beginToolCall(toolCall: AgentToolCall): Promise<void> | undefined {
    const { id, name, arguments: args } = toolCall;
    this.toolCalls.begin(toolCall);
    return this.emit({ type: "tool_execution_start", toolCallId: id, toolName: name, args });
  }

  /** Every tool call ends here, whether it ran, failed, was refused or aborted. Its message follows in the order of the calls. */
  endToolCall(outcome: AgentToolCallOutcome): Promise<void> | undefined {
    const { toolCall, result, isError, durationMs, pause } = outcome;
    this.toolCalls.end(outcome);
    const { id: toolCallId, name: toolName } = toolCall;
    const event: ToolCallEnd = { type: "tool_execution_end", toolCallId, toolName, result, isError };
    if (durationMs !== undefined) event.durationMs = durationMs;
    if (pause) event.isWaiting = true;
    return this.emit(event);
  }

  /** Adds the mark of a call that has paused. */
  mark(toolCall: AgentToolCall, mark: CallMark, details?: unknown): Promise<void> {
    if (mark.state === "waiting") this.toolCalls.settle(toolCall);
    return this.deliver(createMark(toolCall, mark, { timestamp: this.now(), details }));
  }

  /** Adds the message with the result of a call that has ended, and returns it. */
  async addToolResult(outcome: AgentToolCallOutcome): Promise<ToolResultMessage> {
    this.toolCalls.settle(outcome.toolCall);
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
    try {
      return this.clock ? this.clock() : Date.now();
    } catch (error) {
      this.noteFailure(error);
      return Date.now();
    }
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

  /** Puts the composed hooks of middleware in place of those of the configuration. */
  useMiddleware(hooks: RunHooks, names: readonly string[]): void {
    this.#middleware = { ...hooks, names };
    for (const name of OF_CONFIG) if (hooks[name]) Object.assign(this.config, { [name]: hooks[name] });
    this.#callSettings = pickCallSettings(this.config);
    this.events.observeWith(hooks.onEvent);
  }

  /** The composed hooks of its middleware. They are set when the run begins. */
  get middleware(): RunMiddleware {
    return this.#middleware;
  }

  /** The settings of each tool call. */
  get callSettings(): CallSettings {
    return this.#callSettings;
  }

  /** Sets the limit that ends the run. */
  stopBecause(stop: RunStop): void {
    this.stop = stop;
  }

  /** Notes the key of the latest request, which must not appear in texts. */
  useKey(apiKey: string | undefined): void {
    this.#apiKey = apiKey;
  }

  /** Forgets what may hold a key of the provider. */
  forgetKeys(): void {
    delete this.config.apiKey;
    delete this.streamOptions.headers;
  }

  /** The run fails at the next point where its transcript is whole. The first error counts. */
  noteFailure(error: unknown): void {
    this.#failure ??= { error };
  }

  /** @throws the error that was noted, once */
  assertWell(): void {
    const failure = this.#failure;
    if (!failure || this.hasFailed) return;
    this.hasFailed = true;
    throw failure.error;
  }

  /** The text of an error. A stream function or a hook of the application may quote the key that it received. */
  describeError(thrown: unknown): string {
    return redact(formatThrownValue(thrown), this.secrets());
  }

  /** The values that must not appear in texts. */
  secrets(): readonly string[] {
    return collectSecrets([this.#apiKey], this.config.headers, this.config.model.headers);
  }

  /** Stops emitting: a tool that goes on after the end must not reach a later run. */
  close(): void {
    this.events.close();
  }

  /** Throws the error of the event sink, if it had one. */
  assertDelivered(): void {
    this.events.assertDelivered();
  }
}

/** The hooks that the configuration has, too. */
const OF_CONFIG = ["transformContext", "wrapModelCall", "beforeToolCall", "wrapToolCall", "afterToolCall"] as const;
