/**
 * The format of a session log: append-only JSON lines. A process that dies leaves at most its last line incomplete; any
 * other damage affects only the damaged lines. Its lines are read from, and written to, a session wherever it is stored.
 */
import { isRecord } from "pi-ai/call";
import { joinRecords } from "../../pause/index.js";
import { toPlainValue } from "../../plain-value.js";
import type { AgentMessage } from "../../types/message.js";
import type { QueueKind } from "../../types/queue.js";

export type SessionLine =
  /** The first line. `from` is the session that this one was branched from, and how many of its messages it took. */
  | { type: "session"; version: 1; at: number; from?: { id: string; messages: number } }
  | { type: "run_start"; at: number }
  /** `note` says what of the message JSON could not hold. */
  | { type: "message"; message: AgentMessage; note?: string; queued?: number }
  /** A message that was accepted and waits for a turn. The `message` with this number in `queued` is the same one, delivered. */
  | { type: "queued"; number: number; kind: QueueKind; message: AgentMessage }
  /** The waiting messages of one queue were dropped. */
  | { type: "unqueued"; kind: QueueKind }
  /** Stands for a message that could not be written. */
  | { type: "note"; text: string }
  | { type: "run_end"; at: number }
  /** The conversation was replaced; its messages follow, `count` of them. */
  | { type: "reset"; at: number; count?: number }
  /** The process that wrote the `reset` before it died before it had written all messages. The next writer keeps what was there. */
  | { type: "kept" };

/** The file is not a session log, another process writes it, or (in strict mode) a line of it is damaged. */
export class SessionLogError extends Error {
  override readonly name = "SessionLogError";
}

export function createClosedError(): SessionLogError {
  return new SessionLogError("The session log is closed, so nothing more would be stored. Open the session again");
}

/** A line that could not be read. */
export interface SkippedLine {
  /** Its number in the file, from 1. */
  line: number;
  /** Why, as the end of a sentence that begins with the line. */
  reason: string;
}

/** The content of a log, independent of its storage. */
export interface SessionLines {
  lines: SessionLine[];
  skipped: SkippedLine[];
  /** Whether line 1 is the header of a session log. Only such a log may be written to. */
  hasHeader: boolean;
  /** The length in bytes of an incomplete last line. Always 0 in a database. */
  tornBytes: number;
}

/** Parses the lines of a log that a database stores as one text each. */
export function parseEntries(texts: Iterable<string>): SessionLines {
  const log: SessionLines = { lines: [], skipped: [], hasHeader: false, tornBytes: 0 };
  let number = 0;
  for (const text of texts) addLine(log, parseLine(text), ++number);
  return log;
}

/** @throws SessionLogError that names the first damaged line */
export function assertUndamaged({ skipped: [first] }: Pick<SessionLines, "skipped">): void {
  if (first) throw new SessionLogError(`Line ${first.line} of the session log ${first.reason}`);
}

/** The conversation at the end of the log. */
export function messagesOf(lines: readonly SessionLine[]): AgentMessage[] {
  const messages: AgentMessage[] = [];
  for (const line of lines) {
    if (line.type === "reset") messages.length = 0;
    if (line.type === "message") messages.push(line.message);
  }
  return joinRecords(messages);
}

/** Whether a run has begun or ended last; undefined before the first one. */
export function lastBoundaryOf(lines: readonly SessionLine[]): "run_start" | "run_end" | undefined {
  for (const { type } of lines.toReversed()) if (type === "run_start" || type === "run_end") return type;
  return undefined;
}

/** The lines without each `reset` whose messages a dying process has not all written. It has replaced nothing. */
export function withoutTorn(lines: readonly SessionLine[]): SessionLine[] {
  const kept: SessionLine[] = [];
  for (const line of lines) {
    if (line.type === "kept") cutTorn(kept);
    else kept.push(line);
  }
  cutTorn(kept);
  return kept;
}

/** The line that must come next in a log: its last `reset` lacks messages, and what follows must not be taken for them. */
export function closeTorn(lines: readonly SessionLine[]): SessionLine[] {
  return findTorn(lines) === undefined ? [] : [{ type: "kept" }];
}

/** Earlier versions did not mark one, so there may be several. */
function cutTorn(lines: SessionLine[]): void {
  for (let torn = findTorn(lines); torn !== undefined; torn = findTorn(lines)) lines.length = torn;
}

/** The index of a `reset` at the end that lacks messages. A note stands for a message that could not be written. */
function findTorn(lines: readonly SessionLine[]): number | undefined {
  const last = lines.findLastIndex(({ type }) => type !== "message" && type !== "note");
  const line = lines[last];
  return line?.type === "reset" && lines.length - 1 - last < (line.count ?? 0) ? last : undefined;
}

/** Adds a line as {@link parseLine} returns it. */
export function addLine(log: SessionLines, parsed: SessionLine | string | undefined, line: number): void {
  if (typeof parsed === "string") log.skipped.push({ line, reason: parsed });
  else if (parsed) {
    if (line === 1 && parsed.type === "session") log.hasHeader = true;
    log.lines.push(parsed);
  }
}

/** A line, `undefined` for a blank one, or why it cannot be read. */
export function parseLine(text: string): SessionLine | string | undefined {
  if (text.trim() === "") return undefined;
  // An exception takes longer than most lines: a file of another program may have a million.
  const line = /^\s*[[{"\dtfn-]/.test(text) ? parseJson(text) : undefined;
  if (line === undefined) return `is not JSON: ${startOf(text)}`;
  if (!(isRecord(line) && isType(line["type"]))) return `has an unknown type: ${startOf(text)}`;
  // Its fields were checked.
  return READABLE[line["type"]](line) ? (line as SessionLine) : `is malformed: ${startOf(text)}`;
}

/** Undefined for what is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A copy: a part of a string keeps the whole of it in memory. */
function startOf(text: string): string {
  return [...text.slice(0, 80)].join("");
}

type Fields = Readonly<Record<string, unknown>>;

/** Each type of line, and whether its fields can be read. */
const READABLE: { readonly [TType in SessionLine["type"]]: (line: Fields) => boolean } = {
  session: ({ version }) => version === 1,
  run_start: () => true,
  message: ({ message }) => isReadableMessage(message),
  queued: ({ number, message }) => typeof number === "number" && isReadableMessage(message),
  unqueued: () => true,
  note: ({ text }) => typeof text === "string",
  run_end: () => true,
  reset: () => true,
  kept: () => true,
};

function isType(type: unknown): type is SessionLine["type"] {
  return typeof type === "string" && Object.hasOwn(READABLE, type);
}

const REPLACED_NOTE = "Values of the message that JSON cannot hold were replaced";
const UNREADABLE_NOTE = "A message was not written: it has no role, or its content is malformed";

const TOO_LONG_NOTE = "A message was not written: its JSON is longer than a string may be";

/** The JSON of a line, without a line break. */
export function serializeLine(line: SessionLine): string {
  try {
    return toJson(line);
  } catch {
    // What else JSON cannot hold was replaced. Without a line in its place, the session would store nothing more.
    return JSON.stringify({ type: "note", text: TOO_LONG_NOTE } satisfies SessionLine);
  }
}

function toJson(line: SessionLine): string {
  if (line.type === "message") return serializeMessageLine(line.message, '{"type":"message"', line.queued);
  if (line.type === "queued")
    return serializeMessageLine(line.message, `{"type":"queued","kind":"${line.kind}","number":${line.number}`);
  return JSON.stringify(line);
}

/** The JSON of a message, for comparison; undefined for one that cannot be written. */
export function serializeMessage(message: AgentMessage): string | undefined {
  try {
    return toReadableJson(message)?.json;
  } catch {
    return undefined;
  }
}

function serializeMessageLine(message: AgentMessage, start: string, queued?: number): string {
  const readable = toReadableJson(message);
  if (!readable) return JSON.stringify({ type: "note", text: UNREADABLE_NOTE } satisfies SessionLine);
  const note = readable.isWhole ? "" : `,"note":${JSON.stringify(REPLACED_NOTE)}`;
  const origin = queued === undefined ? "" : `,"queued":${queued}`;
  return `${start},"message":${readable.json}${note}${origin}}`;
}

function toReadableJson(message: AgentMessage): { json: string; isWhole: boolean } | undefined {
  if (isReadableMessage(message) && !("toJSON" in message)) {
    try {
      return { json: JSON.stringify(message), isWhole: true };
    } catch {
      // A cycle, a bigint, a getter or a `toJSON` that throws: below.
    }
  }
  const plain = toPlainValue(message);
  return isReadableMessage(plain) ? { json: JSON.stringify(plain), isWhole: false } : undefined;
}

/** Whether a message can be read back and sent to a model again. Those of an application may hold any fields besides their role. */
export function isReadableMessage(value: unknown): value is AgentMessage {
  if (typeof value !== "object" || value === null || !("role" in value) || typeof value.role !== "string") return false;
  const content = "content" in value ? value.content : undefined;
  switch (value.role) {
    case "user":
      return typeof content === "string" || isBlocks(content);
    case "assistant":
      return isBlocks(content);
    case "toolResult":
      return isBlocks(content) && "toolCallId" in value && typeof value.toolCallId === "string";
    default:
      return true;
  }
}

function isBlocks(value: unknown): boolean {
  return Array.isArray(value) && value.every(isBlock);
}

function isBlock(value: unknown): boolean {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
