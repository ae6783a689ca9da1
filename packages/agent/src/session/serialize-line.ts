/** Writes lines that the reader accepts, even if a message holds values that JSON cannot represent. */
import type { AgentMessage } from "../types/message.js";
import { toPlainValue } from "./plain-value.js";
import { isReadableMessage } from "./readable-message.js";
import type { SessionLine } from "./session-lines.js";

const REPLACED_NOTE = "Values of the message that JSON cannot hold were replaced";
const UNREADABLE_NOTE = "A message was not written: it has no role, or its content is malformed";

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
  const plain = toPlainValue(message);
  return isReadableMessage(plain) ? { json: JSON.stringify(plain), isWhole: false } : undefined;
}
