/** The marks of a call that has paused, as messages of the transcript, which holds the whole state of a pause. */
import type { ToolResultMessage } from "pi-ai";
import { isRecord } from "pi-ai/call";
import type { AgentMessage, AgentToolCall } from "../types/message.js";
import type { CallMark, EarlierMark } from "../types/pause.js";

/** The text of a mark, for programs that show the results of tools and do not know of pauses. */
export const WAITING_TEXT = "This call waits for an answer of the user. It has no result yet.";

/** A message that says something about a call that has paused. */
export interface MarkMessage extends ToolResultMessage {
  pause: CallMark;
  /** The marks before it, if it is the only record of its call. */
  marks?: readonly EarlierMark[];
}

/** A result, with what the transcript keeps of its call. */
export interface RecordedResult extends ToolResultMessage {
  /** Of a call that has paused: what was asked, and what was answered. */
  marks?: readonly EarlierMark[];
  /** It asks for the end of the run, which counts when the last call of its response has ended, in whatever run. */
  terminate?: true;
}

/** Creates the message of a mark. */
export function createMark(
  { id: toolCallId, name: toolName }: Pick<AgentToolCall, "id" | "name">,
  pause: CallMark,
  { timestamp, details = {} }: { timestamp: number; details?: unknown },
): MarkMessage {
  const content = [{ type: "text" as const, text: WAITING_TEXT }];
  return { role: "toolResult", toolCallId, toolName, content, details, isError: false, pause, timestamp };
}

/** Whether a message is a mark, and not a result. It is never sent to a model. */
export function isMark(message: AgentMessage): message is MarkMessage {
  return message.role === "toolResult" && "pause" in message && isRecord(message.pause);
}

/** All marks that a message holds. It may come from anywhere. */
export function marksOf(message: AgentMessage): readonly EarlierMark[] {
  if (message.role !== "toolResult") return [];
  const { marks = [] }: RecordedResult = message;
  const earlier = listOf(marks).filter(isRecord);
  return isMark(message) ? [...earlier, message.pause] : earlier;
}

/** A message for a model: a result without the marks before it; undefined for a mark. */
export function withoutMarks<TMessage extends AgentMessage>(message: TMessage): TMessage | undefined {
  if (message?.role !== "toolResult") return message;
  if (isMark(message)) return undefined;
  if (!("marks" in message)) return message;
  const { marks: _marks, ...result } = message;
  // Nothing else was left out.
  return result as unknown as TMessage;
}

/** The transcript may come from anywhere. */
export function listOf<TItem>(value: readonly TItem[]): readonly TItem[] {
  return Array.isArray(value) ? value : [];
}
