/**
 * The format of a session log: JSON lines, only ever appended to. A line is written by one write, so that a process that
 * dies leaves at most its last line torn.
 */
import type { AgentMessage } from "../types/message.js";

export type SessionLine =
  /** The first line. */
  | { type: "session"; version: 1; at: number }
  | { type: "run_start"; at: number }
  | { type: "message"; message: AgentMessage }
  | { type: "run_end"; at: number }
  /** The conversation was replaced; its messages follow. */
  | { type: "reset"; at: number };

/** The file is no session log, or is damaged in a place where a crash cannot have damaged it. */
export class SessionLogError extends Error {
  override readonly name = "SessionLogError";
}

const TYPES: ReadonlySet<unknown> = new Set(["session", "run_start", "message", "run_end", "reset"]);
const NEWLINE = "\n";

export function serializeLine(line: SessionLine): string {
  return JSON.stringify(line) + NEWLINE;
}

export interface ParsedLog {
  lines: SessionLine[];
  /** The length in bytes of the part that is whole. */
  wholeBytes: number;
  /** What follows it: a line whose writing was cut off. */
  torn: string;
}

/** @throws SessionLogError that names the line */
export function parseLog(text: string): ParsedLog {
  const end = text.lastIndexOf(NEWLINE) + 1;
  const whole = text.slice(0, end);
  const lines = whole.split(NEWLINE).slice(0, -1).map(parseLine);
  if (lines.length > 0 && lines[0]?.type !== "session")
    throw new SessionLogError("Line 1 does not begin a session log");
  return { lines, wholeBytes: new TextEncoder().encode(whole).length, torn: text.slice(end) };
}

/** The messages of the conversation as the log leaves them. */
export function messagesOf(lines: readonly SessionLine[]): AgentMessage[] {
  const messages: AgentMessage[] = [];
  for (const line of lines) {
    if (line.type === "reset") messages.length = 0;
    if (line.type === "message") messages.push(line.message);
  }
  return messages;
}

function parseLine(text: string, index: number): SessionLine {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch (cause) {
    throw new SessionLogError(`Line ${index + 1} of the session log is no JSON: ${text.slice(0, 80)}`, { cause });
  }
  if (isLine(line)) return line;
  throw new SessionLogError(`Line ${index + 1} of the session log is of no known kind: ${text.slice(0, 80)}`);
}

function isLine(value: unknown): value is SessionLine {
  if (typeof value !== "object" || value === null || !("type" in value) || !TYPES.has(value.type)) return false;
  if (value.type === "session") return "version" in value && value.version === 1;
  return value.type !== "message" || ("message" in value && isMessage(value.message));
}

/** Applications have messages of their own; all have a role. */
function isMessage(value: unknown): boolean {
  return typeof value === "object" && value !== null && "role" in value && typeof value.role === "string";
}
