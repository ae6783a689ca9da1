/** The row of a span, by its attributes in OpenTelemetry's conventions for GenAI. */
import type { Entry, Outcome, Section } from "../record/entry.js";
import { type Fields, fieldsOf, numberOf, textOf, titleOf, toJson } from "../record/fields.js";

/** For example `invoke_agent`, `chat` or `execute_tool`. */
export function operationOf(span: Fields): string {
  return textOf(fieldsOf(span["attributes"])["gen_ai.operation.name"]);
}

/** The model of a request or an agent. */
export function modelOf(span: Fields): string {
  return textOf(fieldsOf(span["attributes"])["gen_ai.request.model"]);
}

/** @param requests how many came before it in its run */
export function entryOfSpan(span: Fields, requests: number): Entry {
  const operation = operationOf(span);
  const kind = operation === "chat" ? "request" : operation === "execute_tool" ? "tool" : "note";
  const startedAt = numberOf(span["startTime"]);
  return {
    kind,
    name: textOf(fieldsOf(span["attributes"])["gen_ai.tool.name"]) || modelOf(span),
    title: titleOf(textOf(span["name"])),
    outcome: "running",
    turn: kind === "request" ? requests + 1 : requests,
    ...(startedAt !== undefined && { startedAt }),
  };
}

/** What the end of a span changes in its row. */
export function endOfSpan(span: Fields, kind: Entry["kind"]): Partial<Entry> {
  const attributes = fieldsOf(span["attributes"]);
  const [startedAt, endedAt] = [numberOf(span["startTime"]), numberOf(span["endTime"])];
  const first = numberOf(attributes["gen_ai.response.time_to_first_chunk"]);
  return {
    outcome: outcomeOfSpan(span),
    ...(startedAt !== undefined && endedAt !== undefined && { durationMs: endedAt - startedAt }),
    ...(first !== undefined && { firstMs: first * 1000 }),
    ...(kind === "request" && { usage: usageOf(attributes) }),
  };
}

export function outcomeOfSpan(span: Fields): Outcome {
  if (!span["failure"]) return "done";
  return fieldsOf(span["attributes"])["error.type"] === "aborted" ? "aborted" : "error";
}

function usageOf(attributes: Fields): NonNullable<Entry["usage"]> {
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

/** Attributes with content are JSON. */
export function describeSpan(span: Fields): Section[] {
  const attributes = Object.entries(fieldsOf(span["attributes"]));
  const isContent = ([, value]: [string, unknown]): boolean => typeof value === "string" && /^[[{]/.test(value);
  const rows = attributes
    .filter((one) => !isContent(one))
    .map(([name, value]): [string, string] => [name, String(value)]);
  const failure = textOf(fieldsOf(span["failure"])["message"]);
  return [
    { kind: "table", title: "Attributes", rows: failure ? [...rows, ["failure", failure]] : rows },
    ...attributes
      .filter(isContent)
      .map(([name, value]): Section => ({ kind: "text", title: name, text: format(value) })),
  ];
}

function format(value: unknown): string {
  try {
    return toJson(JSON.parse(textOf(value)), 2);
  } catch {
    return textOf(value);
  }
}
