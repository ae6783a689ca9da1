/** What one run of the loop works on: its own copy of the conversation, and the way out for its events. */
import type { AssistantMessage, ToolResultMessage } from "pi-ai";
import type { AgentContext, AgentLoopConfig, StreamFn } from "../types/config.js";
import type { AgentEvent, AgentEventSink } from "../types/event.js";
import type { AgentMessage, AgentToolCall } from "../types/message.js";
import type { AgentToolCallOutcome } from "../types/tool.js";
import { type AbortGate, isPromiseLike } from "./abort-gate.js";
import { LlmMessages } from "./llm-messages.js";

export interface AgentRunOptions {
  context: AgentContext;
  config: AgentLoopConfig;
  /** Must not take its time after an abort. */
  emit: AgentEventSink;
  gate: AbortGate;
  streamFn: StreamFn;
}

export class AgentRun {
  /** The conversation. Hooks see it live; the caller's own arrays are never touched. */
  context: AgentContext;
  /** What the run added to it. */
  readonly newMessages: AgentMessage[] = [];
  readonly config: AgentLoopConfig;
  readonly gate: AbortGate;
  readonly streamFn: StreamFn;
  readonly llmMessages: LlmMessages;
  /** The answer that has a `message_start` but no `message_end` yet, as far as it has come. */
  openAnswer: AssistantMessage | undefined;
  /** Calls of the open answer whose arguments are still streaming, by their place in its content. */
  readonly openCalls: Set<number> = new Set();
  readonly #emit: AgentEventSink;
  #closed = false;

  constructor(options: AgentRunOptions) {
    this.context = { ...options.context, messages: options.context.messages.slice() };
    this.config = { ...options.config };
    this.gate = options.gate;
    this.streamFn = options.streamFn;
    this.llmMessages = new LlmMessages(this.config);
    this.#emit = options.emit;
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
      return isPromiseLike(taken) ? this.#settle(taken) : undefined;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** A message that is complete from the start: anything but an answer. */
  emitMessage(message: AgentMessage): Promise<void> | undefined {
    const end: AgentEvent = { type: "message_end", message };
    const started = this.emit({ type: "message_start", message });
    return started ? started.then(() => this.emit(end)) : this.emit(end);
  }

  emitToolStart({ id, name, arguments: args }: AgentToolCall): Promise<void> | undefined {
    return this.emit({ type: "tool_execution_start", toolCallId: id, toolName: name, args });
  }

  emitToolEnd({ toolCall, result, isError, durationMs }: AgentToolCallOutcome): Promise<void> | undefined {
    const { id: toolCallId, name: toolName } = toolCall;
    return this.emit({ type: "tool_execution_end", toolCallId, toolName, result, isError, ...durationOf(durationMs) });
  }

  /** The message that answers a call. */
  createToolResult({ toolCall, result, isError, durationMs }: AgentToolCallOutcome): ToolResultMessage {
    return {
      role: "toolResult",
      toolCallId: toolCall.id,
      toolName: toolCall.name,
      content: result.content,
      details: result.details,
      isError,
      ...durationOf(durationMs),
      timestamp: Date.now(),
    };
  }

  add(message: AgentMessage): void {
    this.context.messages.push(message);
    this.newMessages.push(message);
  }

  /** Goes on with another conversation; the given array stays the caller's. */
  replaceContext(context: AgentContext): void {
    const own = context.messages === this.context.messages;
    this.context = { ...context, messages: own ? context.messages : context.messages.slice() };
  }

  async #settle(taken: PromiseLike<void>): Promise<void> {
    try {
      await taken;
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

/** For messages as plain data: no key stands for nothing. */
function durationOf(durationMs: number | undefined): { durationMs?: number } {
  return durationMs === undefined ? {} : { durationMs };
}
