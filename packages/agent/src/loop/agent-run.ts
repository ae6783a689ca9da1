/** What one run of the loop works on: its own copy of the conversation, and the way out for its events. */
import type { AssistantMessage, AssistantMessageEvent, ToolResultMessage } from "pi-ai";
import type { AgentContext, AgentLoopConfig, AgentLoopTurnUpdate, StreamFn } from "../types/config.js";
import type { AgentEvent, AgentEventSink } from "../types/event.js";
import type { AgentMessage, AgentToolCall } from "../types/message.js";
import type { AgentToolCallOutcome } from "../types/tool.js";
import { type AbortGate, isPromiseLike } from "./abort-gate.js";
import { assertTools } from "./check-tools.js";
import { LlmMessages } from "./llm-messages.js";
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

/** What an answer does before it ends. */
export type ResponseProgress = Exclude<AssistantMessageEvent, { type: "done" | "error" }>;

export class AgentRun {
  /** The conversation. Hooks see it live; the caller's own arrays are never touched. */
  context: AgentContext;
  /** What the run added to it. */
  readonly newMessages: AgentMessage[] = [];
  readonly config: AgentLoopConfig;
  readonly gate: AbortGate;
  readonly streamFn: StreamFn;
  readonly llmMessages: LlmMessages;
  /** The key of the latest request. */
  apiKey: string | undefined;
  /** The options of the next request. */
  readonly streamOptions: CommonStreamOptions;
  /** The answer that has a `message_start` but no `message_end` yet, as far as it has come. */
  openResponse: AssistantMessage | undefined;
  /** Calls of the open answer whose arguments are still streaming, by their place in its content. */
  readonly openCalls: Set<number> = new Set();
  readonly #emit: AgentEventSink;
  readonly #emitIsSafe: boolean;
  #closed = false;

  constructor(options: AgentRunOptions) {
    assertTools(options.context.tools);
    this.context = { ...options.context, messages: options.context.messages.slice() };
    this.config = { ...options.config };
    this.streamOptions = pickStreamOptions(this.config);
    this.gate = options.gate;
    this.streamFn = options.streamFn;
    this.llmMessages = new LlmMessages(this.config);
    this.#emit = options.emit;
    this.#emitIsSafe = options.emitIsSafe ?? false;
  }

  /** Whether events go nowhere: the run is over, or who took them threw. */
  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Sends an event out; gives a promise only where whoever takes it did.
   * Not an async function, because most events are taken at once and there is one for every delta.
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

  /** A message that is complete from the start. */
  emitMessage(message: AgentMessage, shown: AgentMessage = message): Promise<void> | undefined {
    const started = this.emit({ type: "message_start", message: shown });
    const end: AgentEvent = { type: "message_end", message };
    return started ? started.then(() => this.emit(end)) : this.emit(end);
  }

  /** Forgets what the last answer left open. */
  beginResponse(): void {
    this.openResponse = undefined;
    this.openCalls.clear();
  }

  /** Shows what an answer has come to. */
  showProgress(event: ResponseProgress): Promise<void> | undefined {
    const begins = event.type === "start";
    // Without a start there is no message that could be updated.
    if (!begins && !this.openResponse) return undefined;
    this.openResponse = event.partial;
    if (event.type === "toolcall_start") this.openCalls.add(event.contentIndex);
    else if (event.type === "toolcall_end") this.openCalls.delete(event.contentIndex);
    const message = { ...event.partial };
    return this.emit(
      begins ? { type: "message_start", message } : { type: "message_update", message, assistantMessageEvent: event },
    );
  }

  /** Ends the open answer with its final message, or emits that as a whole where none was begun; and adds it. */
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
    // As plain data: no key stands for nothing. Written out, because adding a key to an object is slow.
    if (durationMs === undefined) return this.emit({ type, toolCallId, toolName, result, isError });
    return this.emit({ type, toolCallId, toolName, result, isError, durationMs });
  }

  /** The message that answers a call. */
  createToolResult({ toolCall, result, isError, durationMs }: AgentToolCallOutcome): ToolResultMessage {
    const role = "toolResult";
    const { id: toolCallId, name: toolName } = toolCall;
    const { content, details } = result;
    const timestamp = Date.now();
    if (durationMs === undefined) return { role, toolCallId, toolName, content, details, isError, timestamp };
    return { role, toolCallId, toolName, content, details, isError, durationMs, timestamp };
  }

  add(message: AgentMessage): void {
    this.context.messages.push(message);
    this.newMessages.push(message);
  }

  /** Goes on in another way; a given array of messages stays the caller's. */
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

  /** Nothing is emitted any more: a tool that goes on after the end cannot reach a later run. */
  close(): void {
    this.#closed = true;
  }
}
