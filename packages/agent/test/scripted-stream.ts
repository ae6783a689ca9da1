/** Stream functions that follow a script, for tests of what is built on them. */

import type { StreamFn } from "pi-agent";
import {
  type AssistantMessage,
  type AssistantMessageEvent,
  AssistantMessageEventStream,
  type Context,
  type Model,
  type SimpleStreamOptions,
  type ToolCall,
  type UserMessage,
} from "pi-ai";

export const MODEL: Model = {
  id: "scripted-1",
  name: "Scripted",
  api: "scripted",
  provider: "test",
  baseUrl: "https://example.invalid",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1000,
  maxTokens: 100,
};

export function response(content: AssistantMessage["content"], more: Partial<AssistantMessage> = {}): AssistantMessage {
  const hasCall = content.some((block) => block.type === "toolCall");
  return {
    role: "assistant",
    content,
    api: MODEL.api,
    provider: MODEL.provider,
    model: MODEL.id,
    usage: {
      input: 7,
      output: 3,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 10,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: hasCall ? "toolUse" : "stop",
    timestamp: 1,
    ...more,
  };
}

export function text(value: string, more: Partial<AssistantMessage> = {}): AssistantMessage {
  return response([{ type: "text", text: value }], more);
}

export function call(id: string, name: string, args: Record<string, unknown> = {}): ToolCall {
  return { type: "toolCall", id, name, arguments: args };
}

/** A response that calls tools; ids are `1`, `2` and so on. */
export function calls(...names: string[]): AssistantMessage {
  return response(names.map((name, index) => call(String(index + 1), name)));
}

export function user(content: string): UserMessage {
  return { role: "user", content, timestamp: 1 };
}

/** The events with which a provider would stream a message. */
export function eventsOf(message: AssistantMessage): AssistantMessageEvent[] {
  const events: AssistantMessageEvent[] = [];
  let partial: AssistantMessage = { ...message, content: [] };
  delete partial.errorMessage;
  events.push({ type: "start", partial });
  message.content.forEach((block, contentIndex) => {
    partial = { ...partial, content: [...partial.content, block] };
    if (block.type === "toolCall") {
      events.push({ type: "toolcall_start", contentIndex, partial });
      events.push({ type: "toolcall_delta", contentIndex, delta: JSON.stringify(block.arguments), partial });
      events.push({ type: "toolcall_end", contentIndex, toolCall: block, partial });
      return;
    }
    if (block.type !== "text" && block.type !== "thinking") {
      events.push(...eventsOfProviderContent(block, contentIndex, partial));
      return;
    }
    const content = block.type === "text" ? block.text : block.thinking;
    events.push({ type: `${block.type}_start`, contentIndex, partial });
    events.push({ type: `${block.type}_delta`, contentIndex, delta: content, partial });
    events.push({ type: `${block.type}_end`, contentIndex, content, partial });
    const citations = block.type === "text" ? (block.citations ?? []) : [];
    for (const citation of citations) events.push({ type: "citation", contentIndex, citation, partial });
  });
  events.push(terminalEvent(message));
  return events;
}

type ProviderContent = Extract<
  AssistantMessage["content"][number],
  { type: "serverTool" | "image" | "file" | "compaction" }
>;

function eventsOfProviderContent(
  block: ProviderContent,
  contentIndex: number,
  partial: AssistantMessage,
): AssistantMessageEvent[] {
  switch (block.type) {
    case "serverTool":
      return [
        { type: "servertool_start", contentIndex, partial },
        { type: "servertool_end", contentIndex, serverTool: block, partial },
      ];
    case "compaction":
      return [{ type: "compaction_end", contentIndex, compaction: block, partial }];
    default:
      return [{ type: "file_end", contentIndex, file: block, partial }];
  }
}

export function terminalEvent(message: AssistantMessage): AssistantMessageEvent {
  if (message.stopReason === "error" || message.stopReason === "aborted") {
    return { type: "error", reason: message.stopReason, error: message };
  }
  return { type: "done", reason: message.stopReason, message };
}

/** A stream that contains the given events from the start. */
export function streamOf(events: readonly AssistantMessageEvent[]): AssistantMessageEventStream {
  const stream = new AssistantMessageEventStream();
  for (const event of events) stream.push(event);
  return stream;
}

/** One call of a scripted stream function. */
export interface ScriptedRequest {
  model: Model;
  context: Context;
  options: SimpleStreamOptions;
}

/** The action of a scripted stream function at one call. */
export type Step =
  | AssistantMessage
  | ((call: ScriptedRequest) => AssistantMessageEventStream | Promise<AssistantMessageEventStream>);

export interface ScriptedStream {
  streamFn: StreamFn;
  /** The calls so far. */
  calls: ScriptedRequest[];
}

/** Performs one step per call; after the last it responds `done`. */
export function scripted(...steps: Step[]): ScriptedStream {
  const made: ScriptedRequest[] = [];
  const streamFn: StreamFn = (model, context, options = {}) => {
    const step = steps[made.length] ?? text("done");
    const made_ = { model, context, options };
    made.push(made_);
    return typeof step === "function" ? step(made_) : streamOf(eventsOf(step));
  };
  return { streamFn, calls: made };
}

/** A stream that emits the given events and then hangs, whatever happens to the signal. */
export function stuckAfter(events: readonly AssistantMessageEvent[]): Step {
  return () => streamOf(events);
}

/** A stream that ends as aborted as soon as its signal aborts, as a well-behaved provider does. */
export function abortable(events: readonly AssistantMessageEvent[], aborted: AssistantMessage): Step {
  return ({ options }) => {
    const stream = streamOf(events);
    const onAbort = (): void => stream.push(terminalEvent(aborted));
    if (options.signal?.aborted) onAbort();
    else options.signal?.addEventListener("abort", onAbort, { once: true });
    return stream;
  };
}
