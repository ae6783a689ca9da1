/** The record of a compaction: a message of the transcript that says what later requests leave out. */
import type { Message, Usage, UserMessage } from "pi-ai";
import type { AgentMessage } from "../types/message.js";

/** Why a conversation is compacted. */
export type CompactionReason = "threshold" | "overflow" | "manual";

/** Tells a message from others at its position. */
export interface MessageIdentity {
  /** Its role. */
  role: string;
  /** Its time, in Unix milliseconds. */
  timestamp: number;
  /** Of a tool result: the results of parallel calls can have the same time. */
  toolCallId?: string;
}

/** What a compaction did. Positions count the messages of the transcript, earlier records included. */
export interface CompactionFacts {
  /** Messages before this position are replaced by the summary; 0 if none are. */
  replaced: number;
  /** Tool results, images and files of messages before this position are replaced by a note; 0 if none are. */
  cleared: number;
  /** The summary; absent if only old results were cleared. */
  summary?: string;
  /** Identifies the last message that the record covers. A record of another conversation has no effect. */
  last: MessageIdentity;
  /** The estimated tokens of the conversation before the compaction. */
  tokensBefore: number;
  /** The estimated tokens afterwards. */
  tokensAfter: number;
  /** What caused it. */
  reason: CompactionReason;
  /** The tokens and cost of the requests for the summary. */
  usage?: Usage;
  /**
   * Why there is no new summary: its request failed, the conversation exceeded the window, and it was enough to clear old
   * results.
   */
  summaryError?: string;
}

/**
 * The record of a compaction. It stands in the transcript after the messages that it covers, and changes none of them: an
 * interface can show both, and removing the record undoes the compaction. In requests its content takes the place of the
 * messages that it replaces.
 */
export interface CompactionMessage extends UserMessage {
  content: string;
  /** What the compaction did. */
  compaction: CompactionFacts;
}

/** Whether a message is the record of a compaction. */
export function isCompactionMessage(message: AgentMessage | Message | undefined): message is CompactionMessage {
  return message?.role === "user" && "compaction" in message && isFacts(message.compaction);
}

/** A record, and its position in the transcript. */
export interface PlacedRecord {
  record: CompactionMessage;
  position: number;
}

/** The latest record of a transcript that fits it. */
export function findRecord(messages: readonly AgentMessage[]): PlacedRecord | undefined {
  for (let position = messages.length - 1; position > 0; position--) {
    const record = messages[position];
    if (isCompactionMessage(record) && fitsTranscript(record, messages, position)) return { record, position };
  }
  return undefined;
}

/** Whether the message up to which a record reaches is where it was when the record was made. */
export function fitsTranscript(
  { compaction }: CompactionMessage,
  messages: readonly AgentMessage[],
  position: number,
): boolean {
  const end = endOf(compaction);
  const last = messages[end - 1];
  if (!last || end > position) return false;
  const { role, timestamp, toolCallId } = compaction.last;
  if (last.role !== role || last.timestamp !== timestamp) return false;
  return toolCallId === undefined || (last.role === "toolResult" && last.toolCallId === toolCallId);
}

/** The identity of a message. */
export function identify(message: AgentMessage): MessageIdentity {
  const { role, timestamp } = message;
  return message.role === "toolResult" ? { role, timestamp, toolCallId: message.toolCallId } : { role, timestamp };
}

/** The position up to which a compaction changed the conversation. */
export function endOf({ replaced, cleared }: Pick<CompactionFacts, "replaced" | "cleared">): number {
  return Math.max(replaced, cleared);
}

/** Stored transcripts may hold anything. */
function isFacts(value: unknown): value is CompactionFacts {
  if (typeof value !== "object" || value === null) return false;
  const { replaced, cleared, last }: Partial<Record<keyof CompactionFacts, unknown>> = value;
  return isPosition(replaced) && isPosition(cleared) && typeof last === "object" && last !== null;
}

function isPosition(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
