/** Reads values whose shape is not known: logs may be damaged, and applications have message kinds of their own. */

import { redactCredentials } from "./credentials.js";

/** Text beyond this length is cut in a title. */
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

export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The beginning of a text, on one line. */
export function titleOf(text: string): string {
  const line = redactCredentials(text.slice(0, TITLE_LENGTH * 4))
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH)}…` : line;
}

/** Any value as text; a value that JSON cannot hold is named. */
export function toJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, (_, field) => (typeof field === "bigint" ? String(field) : field), indent) ?? "";
  } catch (error) {
    return `[cannot be shown: ${error instanceof Error ? error.message.split("\n")[0] : "unreadable"}]`;
  }
}
