/**
 * Reads the events of running programs: the steps of agents, and the requests and spans on diagnostics channels. All of it is
 * unknown data, because another version of the packages may send it. It is checked here once; everything else in this folder
 * knows only these types.
 */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { EntryUsage, Outcome } from "../record/entry.js";
import { type Fields, fieldsOf, listOf, numberOf, textOf } from "../record/fields.js";
import { outcomeOf } from "../record/sections.js";
import { isRetried } from "../record/wire.js";

/** An event of an agent that is shown. */
export type AgentStep =
  | MessageStep
  | ToolStartStep
  | ToolEndStep
  | { readonly type: "agent_end"; readonly outcome: Outcome };

/** A response begins or grows, or any message is complete. */
export interface MessageStep {
  readonly type: "message_start" | "message_update" | "message_end";
  readonly isResponse: boolean;
  readonly message: Fields;
}

export interface ToolStartStep {
  readonly type: "tool_execution_start";
  readonly id: string;
  readonly tool: string;
  readonly args: unknown;
}

export interface ToolEndStep {
  readonly type: "tool_execution_end";
  readonly id: string;
  readonly result: Fields;
  readonly isError: boolean;
  readonly durationMs: number | undefined;
}

/** The fields of a request and of a span. */
export interface Carrier {
  /** Identifies it: the same object each time. */
  readonly key: object;
  /** The signal that it carries. */
  readonly signal: object | undefined;
  readonly model: string;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
}

/** A request begins, changes or ends. */
export interface RequestEvent extends Carrier {
  readonly type: "request_start" | "request_update" | "request_end";
  /** Read by `Wire`. The list grows while the request is running. */
  readonly attempts: readonly unknown[];
  /** Whether it was sent more than once, or waits to be. */
  readonly isRetried: boolean;
  /** The message of the response; empty before the end. */
  readonly message: Fields;
}

/** A span begins or ends. Its attributes follow OpenTelemetry's conventions for GenAI. */
export interface SpanEvent extends Carrier {
  readonly type: "span_start" | "span_end";
  readonly parent: object | undefined;
  readonly name: string;
  /** For example `invoke_agent`, `chat` or `execute_tool`. */
  readonly operation: string;
  readonly tool: string;
  /** Where it stands at its end. */
  readonly outcome: Outcome;
  readonly firstMs: number | undefined;
  readonly usage: EntryUsage;
  /** The attributes and the failure of the span, as they are when this is called. */
  readonly details: () => { attributes: [name: string, value: unknown][]; failure: string };
}

/** Checks an event of an agent. Undefined for one that is not shown. */
export function readStep(event: { readonly type: string }): AgentStep | undefined {
  const { type } = event;
  const fields = fieldsOf(event);
  switch (type) {
    // First, because every delta comes here.
    case "message_update":
    case "message_start":
    case "message_end":
      return readMessage(type, fieldsOf(fields["message"]));
    case "tool_execution_start":
      return { type, id: textOf(fields["toolCallId"]), tool: textOf(fields["toolName"]), args: fields["args"] };
    case "tool_execution_end":
      return {
        type,
        id: textOf(fields["toolCallId"]),
        result: fieldsOf(fields["result"]),
        isError: fields["isError"] === true,
        durationMs: numberOf(fields["durationMs"]),
      };
    case "agent_end":
      return { type, outcome: outcomeOfRun(listOf(fields["messages"])) };
    default:
      return undefined;
  }
}

function readMessage(type: MessageStep["type"], message: Fields): MessageStep {
  return { type, isResponse: message["role"] === "assistant", message };
}

function outcomeOfRun(messages: readonly unknown[]): Outcome {
  const last = messages.findLast((message) => fieldsOf(message)["role"] === "assistant");
  return last === undefined ? "done" : outcomeOf(fieldsOf(last));
}

function readRequest(type: RequestEvent["type"], data: unknown): RequestEvent {
  const request = fieldsOf(data);
  const attempts = listOf(request["attempts"]);
  return {
    type,
    ...carrierOf(request, textOf(request["model"])),
    attempts,
    isRetried: isRetried(attempts),
    message: fieldsOf(request["message"]),
  };
}

function readSpan(type: SpanEvent["type"], data: unknown): SpanEvent {
  const span = fieldsOf(data);
  const attributes = fieldsOf(span["attributes"]);
  const first = numberOf(attributes["gen_ai.response.time_to_first_chunk"]);
  return {
    type,
    ...carrierOf(span, textOf(attributes["gen_ai.request.model"])),
    parent: objectOf(span["parent"]),
    name: textOf(span["name"]),
    operation: textOf(attributes["gen_ai.operation.name"]),
    tool: textOf(attributes["gen_ai.tool.name"]),
    outcome: !span["failure"] ? "done" : attributes["error.type"] === "aborted" ? "aborted" : "error",
    firstMs: first === undefined ? undefined : first * 1000,
    usage: usageOfSpan(attributes),
    details: () => ({
      attributes: Object.entries(fieldsOf(span["attributes"])),
      failure: textOf(fieldsOf(span["failure"])["message"]),
    }),
  };
}

function carrierOf(data: Fields, model: string): Carrier {
  const [startedAt, endedAt] = [numberOf(data["startTime"]), numberOf(data["endTime"])];
  return { key: data, signal: objectOf(data["signal"]), model, startedAt, endedAt };
}

function objectOf(value: unknown): object | undefined {
  return typeof value === "object" && value !== null ? value : undefined;
}

function usageOfSpan(attributes: Fields): EntryUsage {
  const count = (name: string): number => numberOf(attributes[`gen_ai.usage.${name}`]) ?? 0;
  const [cacheRead, cacheWrite] = [count("cache_read.input_tokens"), count("cache_creation.input_tokens")];
  // The conventions count what came from the cache as input.
  const input = Math.max(0, count("input_tokens") - cacheRead - cacheWrite);
  return {
    input,
    output: count("output_tokens"),
    cacheRead,
    cacheWrite,
    cost: numberOf(attributes["pi.usage.cost"]) ?? 0,
  };
}

/** @returns a function that stops listening */
export function watchRequests(onEvent: (event: RequestEvent) => void): () => void {
  return listen({
    "pi.request.start": (data) => onEvent(readRequest("request_start", data)),
    "pi.request.update": (data) => onEvent(readRequest("request_update", data)),
    "pi.request.end": (data) => onEvent(readRequest("request_end", data)),
  });
}

/** @returns a function that stops listening */
export function watchSpans(onEvent: (event: SpanEvent) => void): () => void {
  return listen({
    "pi.span.start": (data) => onEvent(readSpan("span_start", data)),
    "pi.span.end": (data) => onEvent(readSpan("span_end", data)),
  });
}

function listen(listeners: Readonly<Record<string, (data: unknown) => void>>): () => void {
  for (const [name, listener] of Object.entries(listeners)) subscribe(name, listener);
  return () => {
    for (const [name, listener] of Object.entries(listeners)) unsubscribe(name, listener);
  };
}
