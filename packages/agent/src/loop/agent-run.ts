/** The state of one run: its own copy of the conversation, and the sink for its events. */
import type { AssistantMessage, AssistantMessageEvent, ToolResultMessage } from "pi-ai";
import { checkDuration, copyMessage, isRecord } from "pi-ai/call";
import type { AgentContext } from "../types/agent-context.js";
import type { AgentLoopConfig, AgentLoopTurnUpdate, StreamFn } from "../types/config.js";
import type { AgentEvent, AgentEventSink } from "../types/event.js";
import type { RunStop } from "../types/limit-event.js";
import type { AgentMessage, AgentToolCall } from "../types/message.js";
import type { ParentRun } from "../types/parent-run.js";
import type { RunGuard } from "../types/run-guard.js";
import type { AgentToolCallOutcome, AnyAgentTool } from "../types/tool.js";
import { type AbortGate, isPromiseLike } from "./abort-gate.js";
import { assertTools } from "./check-tools.js";
import { LlmMessages, peekMessages } from "./llm-messages.js";
import { RepeatedRounds } from "./repeated-rounds.js";
import type { RunOutput } from "./run-output.js";
import { type CommonStreamOptions, pickStreamOptions } from "./stream-options.js";

export interface AgentRunOptions {
  context: AgentContext;
  config: AgentLoopConfig;
  emit: AgentEventSink;
  /** Whether `emit` never throws or rejects and already enforces the post-abort grace period. */
  emitIsSafe?: boolean;
  gate: AbortGate;
  streamFn: StreamFn;
}

/** The events of a response before its terminal event. */
export type ResponseProgress = Exclude<AssistantMessageEvent, { type: "done" | "error" }>;

export class AgentRun {
  /** The conversation. Hooks see it live; the caller's own arrays are never touched. */
  context: AgentContext;
  /** The messages that the run added. */
  readonly newMessages: AgentMessage[] = [];
  /** The tools at the start of the run. */
  readonly tools: readonly AnyAgentTool[] | undefined;
  readonly config: AgentLoopConfig;
  readonly gate: AbortGate;
  readonly streamFn: StreamFn;
  readonly llmMessages: LlmMessages;
  /** The typed output of the run, if it has one. */
  output: RunOutput | undefined;
  /** Limits the run; undefined without `runLimits`. */
  readonly guard: RunGuard | undefined;
  /** Passed to tools that run agents of their own. */
  readonly asParent: ParentRun;
  /** The reason, if a limit ends the run. */
  stop: RunStop | undefined;
  /** The latest round of tool calls, and how often it has occurred in a row. */
  readonly repeats: RepeatedRounds = new RepeatedRounds();
  /** The key of the latest request. */
  apiKey: string | undefined;
  /** The options of the next request. */
  readonly streamOptions: CommonStreamOptions;
  /** The partial response that has a `message_start` but no `message_end` yet. */
  openResponse: AssistantMessage | undefined;
  /** Content indexes of tool calls in the open response whose arguments are still streaming. */
  readonly openCalls: Set<number> = new Set();
  readonly #emit: AgentEventSink;
  readonly #emitIsSafe: boolean;
  #closed = false;

  constructor(options: AgentRunOptions) {
    assertTools(options.context.tools);
    if (options.config.toolTimeoutMs !== undefined) checkDuration("toolTimeoutMs", options.config.toolTimeoutMs);
    this.context = { ...options.context, messages: options.context.messages.slice() };
    this.tools = options.context.tools;
    this.config = { ...options.config };
    this.streamOptions = pickStreamOptions(this.config);
    this.gate = options.gate;
    this.streamFn = options.streamFn;
    this.llmMessages = new LlmMessages(this.config);
    this.#emit = options.emit;
    this.#emitIsSafe = options.emitIsSafe ?? false;
    const limits = this.config.runLimits;
    const emit = (event: AgentEvent): Promise<void> | undefined => this.emit(event);
    const hasOutput = this.config.output !== undefined;
    this.guard = limits?.begin({ emit, now: () => this.now(), peek: peekMessages, hasOutput });
    this.asParent = { emit, guard: this.guard };
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
      const taken = this.#emit(event);
      if (taken === undefined || !isPromiseLike(taken)) return undefined;
      return this.#emitIsSafe ? taken : this.#settle(taken);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Emits a message that is complete from the start. */
  emitMessage(message: AgentMessage, shown: AgentMessage = message): Promise<void> | undefined {
    const started = this.emit({ type: "message_start", message: shown });
    const end: AgentEvent = { type: "message_end", message };
    return started ? started.then(() => this.emit(end)) : this.emit(end);
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
    const message = copyMessage(event.partial);
    return this.emit(
      begins ? { type: "message_start", message } : { type: "message_update", message, assistantMessageEvent: event },
    );
  }

  /** Adds the final message. Ends the open response with it, or emits it whole if none was open. */
  endResponse(message: AssistantMessage): Promise<void> | undefined {
    const begun = this.openResponse !== undefined;
    this.openResponse = undefined;
    this.add(message);
    return begun ? this.emit({ type: "message_end", message }) : this.emitMessage(message, { ...message });
  }

  emitToolStart({ id, name, arguments: args }: AgentToolCall): Promise<void> | undefined {
    return this.emit({ type: "tool_execution_start", toolCallId: id, toolName: name, args });
  }

  emitToolEnd({ toolCall, result, isError, durationMs }: AgentToolCallOutcome): Promise<void> | undefined {
    const { id: toolCallId, name: toolName } = toolCall;
    const type = "tool_execution_end";
    // Without a key for an absent duration. Written out, because adding a key to an object is slow.
    if (durationMs === undefined) return this.emit({ type, toolCallId, toolName, result, isError });
    return this.emit({ type, toolCallId, toolName, result, isError, durationMs });
  }

  /** The message that holds the result of a tool call. */
  createToolResult({ toolCall, result, isError, durationMs }: AgentToolCallOutcome): ToolResultMessage {
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
    return this.config.runSteps?.now() ?? Date.now();
  }

  add(message: AgentMessage): void {
    this.context.messages.push(message);
    this.newMessages.push(message);
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
      this.close();
      throw error;
    }
  }

  /** Stops emitting: a tool that goes on after the end must not reach a later run. */
  close(): void {
    this.#closed = true;
  }
}
