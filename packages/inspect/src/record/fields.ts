/** Reads values of unknown shape: logs may be damaged, and applications may have their own kinds of messages. */

import { redactCredentials } from "./credentials.js";
import { cutText } from "./text.js";

/** The most characters of a title. */
const TITLE_LENGTH = 200;

export type Fields = Readonly<Record<string, unknown>>;

const NONE: Fields = {};

export function fieldsOf(value: unknown): Fields {
  // Every object that is not null has fields of unknown types.
  return typeof value === "object" && value !== null ? (value as Fields) : NONE;
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The last time that a `Date` can represent, in Unix milliseconds. Sums of larger numbers may become infinite. */
const MAX_NUMBER = 8.64e15;

/** A number that can be a time, a duration or a count. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Math.abs(value) <= MAX_NUMBER ? value : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The beginning of a text on one line, without credentials. */
export function titleOf(text: string): string {
  const line = redactCredentials(text.slice(0, TITLE_LENGTH * 4))
    .replaceAll(/\s+/g, " ")
    .trim();
  return cutText(line, TITLE_LENGTH, () => "…");
}

/** Deeper values are not indented: each of their lines would be as long as they are deep. */
const MAX_INDENTED = 100;

/** Level by level, because a value of a program may contain itself. */
function isDeep(value: unknown): boolean {
  let level = new Set([value]);
  for (let depth = 0; level.size > 0; depth++) {
    if (depth > MAX_INDENTED) return true;
    const next = new Set<unknown>();
    for (const part of level)
      if (typeof part === "object" && part !== null) for (const child of Object.values(part)) next.add(child);
    level = next;
  }
  return false;
}

/** Any value as JSON. A value that cannot be converted becomes a text with the reason. */
export function toJson(value: unknown, indent?: number): string {
  try {
    const spaces = indent !== undefined && isDeep(value) ? undefined : indent;
    return JSON.stringify(value, (_, field) => (typeof field === "bigint" ? String(field) : field), spaces) ?? "";
  } catch (error) {
    return `[cannot be shown: ${describeThrown(error).split("\n")[0]}]`;
  }
}

/** The message of an error, or the text of any other value that was thrown. */
export function describeThrown(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message : String(thrown);
  } catch {
    return "unreadable";
  }
}
