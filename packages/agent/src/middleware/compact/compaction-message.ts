/** The record of a compaction: a message in the transcript that says what later requests leave out. */
import type { Message, Usage, UserMessage } from "pi-ai";
import type { AgentMessage } from "../../types/message.js";

/** Why a conversation is compacted. */
export type CompactionReason = "threshold" | "overflow" | "manual";

/** Identifies a message, to notice that another one has its position now. */
export interface MessageIdentity {
  /** Its role. */
  role: string;
  /** Its time, in Unix milliseconds. */
  timestamp: number;
  /** The call of a tool result, because the results of parallel calls can have the same time. */
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
  /** Why the conversation was compacted. */
  reason: CompactionReason;
  /**
   * How many messages the conversation had when it was compacted. The record may come later: one for an overflow follows
   * the turn. Absent in records of earlier versions.
   */
  madeAt?: number;
  /**
   * How many blocks of thinking in kept messages requests leave out since, because the model binds its thinking to
   * everything before it, and the compaction changed that. Absent if none.
   */
  thinkingRemoved?: number;
  /** The tokens and cost of the requests for the summary. */
  usage?: Usage;
  /** True for a compaction in a run: the diagnostic `side_requests` of its responses counts these requests, too. */
  inResponses?: boolean;
  /**
   * Why there is no new summary: its request failed, the conversation exceeded the window, and it was enough to clear old
   * results.
   */
  summaryError?: string;
}

/**
 * The record of a compaction. It follows the messages that it covers in the transcript and changes none of them, so a user
 * interface can show both, and removing the record undoes the compaction. In requests, its content takes the place of the
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

/** A record in a transcript. */
export interface PlacedRecord {
  record: CompactionMessage;
  /** How many messages the transcript had when the record was made. */
  position: number;
  /** Its place in the transcript; undefined if it has not been added yet. */
  index?: number;
}

/** Finds the latest record that belongs to the transcript. */
export function findRecord(messages: readonly AgentMessage[]): PlacedRecord | undefined {
  for (let index = messages.length - 1; index > 0; index--) {
    const record = messages[index];
    if (!isCompactionMessage(record) || !fitsTranscript(record, messages, index)) continue;
    return { record, index, position: Math.min(index, record.compaction.madeAt ?? index) };
  }
  return undefined;
}

/** Whether a record belongs to a transcript: the last message that it covers still has its position. */
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

export function identify(message: AgentMessage): MessageIdentity {
  const { role, timestamp } = message;
  return message.role === "toolResult" ? { role, timestamp, toolCallId: message.toolCallId } : { role, timestamp };
}

/** The position after the last message that a record covers. */
export function endOf({ replaced, cleared }: Pick<CompactionFacts, "replaced" | "cleared">): number {
  return Math.max(replaced, cleared);
}

/** Checks what the code here relies on: a stored transcript may hold anything. */
function isFacts(value: unknown): value is CompactionFacts {
  if (typeof value !== "object" || value === null) return false;
  const { replaced, cleared, last, summary, madeAt }: Partial<Record<keyof CompactionFacts, unknown>> = value;
  if (summary !== undefined && typeof summary !== "string") return false;
  if (madeAt !== undefined && !isPosition(madeAt)) return false;
  return isPosition(replaced) && isPosition(cleared) && typeof last === "object" && last !== null;
}

function isPosition(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
