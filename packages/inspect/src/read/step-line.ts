/**
 * Reads the steps of a durable run. One process did each step; processes that came later took its value from the
 * file.
 */
import type { Section } from "../record/entry.js";
import { type Fields, fieldsOf, numberOf, textOf } from "../record/fields.js";

export interface Step {
  name: string;
  /** From 1. */
  position: number;
  /** The process that did the step, from 0. */
  process: number;
  at: number | undefined;
  /** The result of the step. For some steps, it is an array. */
  value: Fields;
}

/** @param processes the ids of the processes so far, in the order of their first steps. A new one is appended. */
export function readStep(record: Fields, position: number, processes: string[]): Step {
  const by = textOf(record["by"]);
  if (!processes.includes(by)) processes.push(by);
  const [process, at] = [processes.indexOf(by), numberOf(record["at"])];
  return { name: textOf(record["step"]), position, process, at, value: fieldsOf(record["value"]) };
}

/** The tool of a step `tool NAME KEY`, and the key of the call. */
export function toolOf({ name }: Step): { name: string; key: string } {
  const space = name.lastIndexOf(" ");
  return { name: name.slice("tool ".length, space), key: name.slice(space + 1) };
}

/** The id of a tool call: a key is a number, a colon and the encoded id. */
export function idOf(key: string): string {
  const id = key.slice(key.indexOf(":") + 1);
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** The message that the step of a tool adds to the conversation. */
export function resultOf(step: Step): Fields {
  const { name, key } = toolOf(step);
  const { result, isError, durationMs } = fieldsOf(step.value["outcome"]);
  const { content, details } = fieldsOf(result);
  const message = { role: "toolResult", toolCallId: idOf(key), toolName: name, content, details, isError };
  return { ...message, timestamp: step.at ?? 0, ...(durationMs !== undefined && { durationMs }) };
}

/** @param processes the ids of all processes, including those that took the step from the file */
export function describeStep(
  { name, position, process, at }: Step,
  run: string,
  processes: readonly string[],
): Section[] {
  const later = processes.slice(process + 1).map((_, index) => `process ${process + index + 2}`);
  const rows: [string, string][] = [
    ["Run", run],
    ["Step", `${position}: ${name}`],
    ["Done by", `process ${process + 1}`],
    ["Done at", at === undefined ? "–" : new Date(at).toISOString()],
    ["Repeated from the file by", later.join(", ") || "no process"],
  ];
  return [{ kind: "table", title: "Step", rows }];
}
