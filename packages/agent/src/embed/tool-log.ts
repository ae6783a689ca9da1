/** Tracks the tool calls of a run and reports them to the product. */

import { formatThrownValue, shortenText } from "pi-ai/call";
import type { ToolExecutionEvent } from "../types.js";
import type { Callbacks } from "./callbacks.js";
import type { EmbedOptions, ToolErrorInfo, ToolMeta } from "./options.js";
import type { OutboundMessages } from "./outbound-messages.js";

type StartEvent = Extract<ToolExecutionEvent, { type: "tool_execution_start" }>;
type UpdateEvent = Extract<ToolExecutionEvent, { type: "tool_execution_update" }>;
type EndEvent = Extract<ToolExecutionEvent, { type: "tool_execution_end" }>;

interface StartRecord {
  startTime: number;
  args: Record<string, unknown>;
  meta: string | undefined;
}

export class ToolLog<TTarget> {
  /** Exposed to the product, so always the same array. */
  readonly metas: ToolMeta[] = [];
  readonly #options: EmbedOptions<TTarget>;
  readonly #callbacks: Callbacks;
  readonly #outbound: OutboundMessages<TTarget>;
  readonly #now: () => number;
  /** Calls in progress. Per subscription: two sessions may use the same ids. */
  readonly #starts = new Map<string, StartRecord>();
  /** Calls that have paused. They begin again with their answer, and are not reported once more. */
  readonly #waiting = new Set<string>();
  #lastError: ToolErrorInfo | undefined;

  constructor(options: EmbedOptions<TTarget>, callbacks: Callbacks, outbound: OutboundMessages<TTarget>) {
    this.#options = options;
    this.#callbacks = callbacks;
    this.#outbound = outbound;
    this.#now = options.now ?? (() => performance.now());
  }

  get lastError(): ToolErrorInfo | undefined {
    return this.#lastError && { ...this.#lastError };
  }

  start({ type, toolCallId, toolName, args }: StartEvent): void {
    const { describeTool, classifyOutbound, onToolStart } = this.#options;
    const record: StartRecord = { startTime: this.#now(), args: toRecord(args), meta: undefined };
    this.#starts.set(toolCallId, record);
    record.meta = describeTool && this.#ask(type, "describeTool", () => describeTool(toolName, args));
    const isNew = !this.#waiting.delete(toolCallId);
    if (isNew) this.metas.push({ toolName, ...toMeta(record.meta) });
    const call = { toolCallId, toolName, args: record.args };
    const send = classifyOutbound && this.#ask(type, "classifyOutbound", () => classifyOutbound(call));
    if (send) this.#outbound.begin(toolCallId, send, record.args);
    if (isNew) this.#callbacks.run("onToolStart", onToolStart, { toolCallId, toolName, args, ...toMeta(record.meta) });
  }

  update({ type, toolCallId, toolName, partialResult }: UpdateEvent): void {
    const { onToolUpdate } = this.#options;
    if (!onToolUpdate) return;
    const shown = this.#sanitize(type, partialResult);
    this.#callbacks.run("onToolUpdate", onToolUpdate, { toolCallId, toolName, partialResult: shown });
  }

  end({ type, toolCallId, toolName, result, isError, isWaiting }: EndEvent): void {
    const { onToolEnd, afterToolCall } = this.#options;
    const record = this.#starts.get(toolCallId);
    this.#starts.delete(toolCallId);
    // A call that waits for an answer has sent nothing yet.
    this.#outbound.end(toolCallId, !(isError || isWaiting));
    if (isWaiting) return void this.#waiting.add(toolCallId);
    const meta = toMeta(record?.meta);
    const shown = this.#sanitize(type, result);
    // From the sanitized result: the product may have taken a secret out of it.
    const error = isError ? extractToolError(shown) : undefined;
    const outcome = {
      toolCallId,
      toolName,
      result: shown,
      ...(error !== undefined && { error }),
      ...(record && { durationMs: this.#now() - record.startTime }),
    };
    this.#lastError = isError ? { toolName, ...meta, ...(error !== undefined && { error }) } : undefined;
    this.#callbacks.run("onToolEnd", onToolEnd, { ...outcome, ...meta, isError });
    this.#callbacks.run("afterToolCall", afterToolCall, { ...outcome, params: record?.args ?? {} });
  }

  /** Discards what was reported; calls in progress are still timed. */
  clear(): void {
    this.metas.length = 0;
    this.#lastError = undefined;
    this.#outbound.clear();
  }

  #sanitize(type: string, result: unknown): unknown {
    const { sanitizeToolResult } = this.#options;
    return sanitizeToolResult ? this.#ask(type, "sanitizeToolResult", () => sanitizeToolResult(result)) : result;
  }

  #ask<TResponse>(type: string, name: string, call: () => TResponse): TResponse | undefined {
    return this.#callbacks.ask(name, () => {
      try {
        return call();
      } catch (error) {
        this.#callbacks.debug(`${type} handler failed: ${formatThrownValue(error)}`);
        throw error;
      }
    });
  }
}

function toMeta(meta: string | undefined): { meta?: string } {
  return meta === undefined ? {} : { meta };
}

/** A model may send anything as arguments. */
function toRecord(args: unknown): Record<string, unknown> {
  const isRecord = typeof args === "object" && args !== null && !Array.isArray(args);
  return isRecord ? (args as Record<string, unknown>) : {}; // checked on the line above
}

/** Longer texts are cut: they are kept as the last error. */
const MAX_LENGTH = 2000;

/** The text of a failed tool's result. */
function extractToolError(result: unknown): string | undefined {
  const text = findText(result)?.trim();
  if (!text) return undefined;
  return shortenText(text, MAX_LENGTH, { head: MAX_LENGTH, mark: () => "…" });
}

function findText(result: unknown): string | undefined {
  if (typeof result === "string") return result;
  if (typeof result !== "object" || result === null) return undefined;
  if (result instanceof Error) return result.message;
  if ("content" in result && Array.isArray(result.content)) {
    const texts = result.content.flatMap(textOf);
    if (texts.length > 0) return texts.join("\n");
  }
  if ("error" in result) return findText(result.error);
  return "message" in result && typeof result.message === "string" ? result.message : undefined;
}

function textOf(block: unknown): string[] {
  const isText = typeof block === "object" && block !== null && "text" in block && typeof block.text === "string";
  return isText ? [block.text as string] : []; // checked on the line above
}
