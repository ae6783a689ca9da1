/** Events of a source, and a source that emits given events. */

import {
  type EmbedEvent,
  type EmbedOptions,
  type EmbedSource,
  type EmbedSubscription,
  type ReplyPayload,
  subscribeEmbedded,
} from "pi-agent/embed";
import type { AssistantMessage } from "pi-ai";
import { response } from "./scripted-stream.js";

export class FakeSource implements EmbedSource {
  isCompacting = false;
  /** The operations on the source, in order. */
  readonly done: string[] = [];
  readonly #listeners = new Set<(event: EmbedEvent) => void>();

  subscribe(listener: (event: EmbedEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.done.push("detach");
      this.#listeners.delete(listener);
    };
  }

  abortCompaction(): void {
    this.done.push("abortCompaction");
  }

  /** Returns what the listeners returned. */
  emit(...events: EmbedEvent[]): unknown[] {
    return events.flatMap((event) => [...this.#listeners].map((listener): unknown => listener(event)));
  }
}

/** The values that the callbacks received. */
export interface Told {
  partials: { text: string; delta: string; mediaUrls?: string[] }[];
  blocks: ReplyPayload[];
  reasoning: [string, boolean][];
  debug: string[];
  errors: [string, string][];
}

export interface Watched<TTarget> extends Told {
  source: FakeSource;
  subscription: EmbedSubscription<TTarget>;
  /** The texts of the block replies. */
  texts(): (string | undefined)[];
}

export function watch<TTarget = unknown>(options: EmbedOptions<TTarget> = {}): Watched<TTarget> {
  const source = new FakeSource();
  const told: Told = { partials: [], blocks: [], reasoning: [], debug: [], errors: [] };
  const subscription = subscribeEmbedded<TTarget>(source, {
    onPartialReply: (reply) => void told.partials.push(reply),
    onBlockReply: (reply) => void told.blocks.push(reply),
    onReasoning: (text, { final }) => void told.reasoning.push([text, final]),
    log: { debug: (message) => void told.debug.push(message) },
    onCallbackError: (error, name) => void told.errors.push([name, (error as Error).message]),
    ...options,
  });
  return { source, subscription, ...told, texts: () => told.blocks.map(({ text }) => text) };
}

const NOTHING = response([]);

export const start: EmbedEvent = { type: "message_start", message: NOTHING };

/** An inner event of any source, with fields that ours does not have. */
export function inner(event: { type: string; delta?: string; content?: string; contentIndex?: number }): EmbedEvent {
  return { type: "message_update", message: NOTHING, assistantMessageEvent: event as never };
}

export function delta(text: string, contentIndex = 0): EmbedEvent {
  return inner({ type: "text_delta", delta: text, contentIndex });
}

export function textEnd(content: string, contentIndex = 0): EmbedEvent {
  return inner({ type: "text_end", content, contentIndex });
}

export function end(content: string | AssistantMessage["content"], more: Partial<AssistantMessage> = {}): EmbedEvent {
  return {
    type: "message_end",
    message: response(typeof content === "string" ? [{ type: "text", text: content }] : content, more),
  };
}

export function toolStart(toolCallId: string, toolName: string, args: unknown = {}): EmbedEvent {
  return { type: "tool_execution_start", toolCallId, toolName, args };
}

export function toolEnd(toolCallId: string, toolName: string, result: unknown = {}, isError = false): EmbedEvent {
  return { type: "tool_execution_end", toolCallId, toolName, result, isError };
}

export function failed(text: string): unknown {
  return { content: [{ type: "text", text }], details: {} };
}

/** A complete message that was streamed in pieces. */
export function message(...pieces: string[]): EmbedEvent[] {
  const text = pieces.join("");
  return [start, ...pieces.map((piece) => delta(piece)), textEnd(text), end(text)];
}
