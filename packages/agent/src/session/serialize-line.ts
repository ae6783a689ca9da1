/** Writes lines that the reader accepts, whatever an application or a tool put into a message. */
import type { AgentMessage } from "../types/message.js";
import { isReadableMessage } from "./readable-message.js";
import type { SessionLine } from "./session-lines.js";

const REPLACED_NOTE = "Values of the message that JSON cannot hold were replaced";
const UNREADABLE_NOTE = "A message was not written: it has no role, or its content is malformed";
/** Deeper values are replaced: what reads them back would recurse as deep. */
const MAX_DEPTH = 200;
/** A value that holds another many times over would otherwise be written many times over. */
const MAX_VALUES = 1_000_000;

/** The JSON of a line, without a line break. */
export function serializeLine(line: SessionLine): string {
  return line.type === "message" ? serializeMessageLine(line.message) : JSON.stringify(line);
}

/** The JSON of a message, for comparison; undefined for one that cannot be written. */
export function serializeMessage(message: AgentMessage): string | undefined {
  return toReadableJson(message)?.json;
}

function serializeMessageLine(message: AgentMessage): string {
  const readable = toReadableJson(message);
  if (!readable) return JSON.stringify({ type: "note", text: UNREADABLE_NOTE } satisfies SessionLine);
  const note = readable.isWhole ? "" : `,"note":${JSON.stringify(REPLACED_NOTE)}`;
  return `{"type":"message","message":${readable.json}${note}}`;
}

function toReadableJson(message: AgentMessage): { json: string; isWhole: boolean } | undefined {
  if (isReadableMessage(message) && !("toJSON" in message)) {
    try {
      return { json: JSON.stringify(message), isWhole: true };
    } catch {
      // A cycle, a bigint, a getter or a `toJSON` that throws: below.
    }
  }
  const plain = toPlain(message, [], { left: MAX_VALUES });
  return isReadableMessage(plain) ? { json: JSON.stringify(plain), isWhole: false } : undefined;
}

/** As JSON sees a value, with a text in the place of what JSON cannot hold. */
function toPlain(value: unknown, parents: readonly object[], budget: { left: number }): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (parents.includes(value)) return "[circular]";
  if (parents.length >= MAX_DEPTH || budget.left-- <= 0) return "[too large]";
  try {
    if ("toJSON" in value && typeof value.toJSON === "function") return JSON.parse(JSON.stringify(value) ?? "null");
  } catch {
    return "[unreadable]";
  }
  const path = [...parents, value];
  if (Array.isArray(value)) return value.map((element) => toPlain(element, path, budget));
  return Object.fromEntries(Object.keys(value).map((key) => [key, toPlain(readField(value, key), path, budget)]));
}

function readField(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key);
  } catch {
    return "[unreadable]";
  }
}
