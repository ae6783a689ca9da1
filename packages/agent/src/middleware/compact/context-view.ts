/** The record of a compaction, which is a message of the transcript, and the conversation that later requests contain. */
import type { Message, Model, ToolResultMessage, Usage, UserBlock, UserMessage } from "pi-ai";
import { bindsThinking } from "pi-ai/count";
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

/** The changes of a compaction. Positions count the messages of the transcript, earlier records included. */
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
  /** The changes of the compaction. */
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

// The view of a conversation: what requests contain of it.

/** Up to this many characters a result is kept, because a note would hardly be shorter. */
const SHORT_RESULT = 200;

/** A record, so that a new kind of block fails to compile here. */
const KIND_NAMES = { image: "image", file: "file" } as const;

/** The inputs of the view of a conversation beside its messages. */
interface ViewOptions {
  /** The latest record. */
  found?: PlacedRecord | undefined;
  /**
   * The model that reads them. Some bind their thinking to everything before it: they would reject thinking that is older
   * than the record, if the record changed something before it.
   */
  model?: Model;
  /** The place of each message in the transcript, if other hooks have changed the messages: see {@link findPlaces}. */
  places?: readonly (number | undefined)[];
}

/** Returns the messages of a request. Until the next compaction, each request begins with all messages of the one before. */
export function buildView(
  messages: readonly AgentMessage[],
  { found, model, places }: ViewOptions = {},
): AgentMessage[] {
  if (!found) return messages.filter((message) => !isCompactionMessage(message));
  const { replaced, summary } = found.record.compaction;
  const start = summary === undefined ? 0 : replaced;
  const placeOf = (index: number): number | undefined => (places ? places[index] : index);
  const record = summary === undefined ? [] : [findShown(messages, found, placeOf)];
  const keep = createKeeper(found, model);
  const view: AgentMessage[] = [];
  for (const [index, message] of messages.entries()) {
    if (isCompactionMessage(message)) continue;
    const place = placeOf(index);
    // A message without a place was added by another hook.
    if (place === undefined) view.push(message);
    else if (place >= start) view.push(...record.splice(0), keep(message, place));
    else if (isInstructions(message)) view.push(message);
  }
  return [...view, ...record];
}

/** Returns the function that clears what is kept. Thinking that is bound to what has changed is removed. */
function createKeeper({ record, position }: PlacedRecord, model: Model | undefined) {
  const { cleared, summary } = record.compaction;
  const bound = model && bindsThinking(model) ? model : undefined;
  let changed = summary !== undefined;
  return (message: AgentMessage, place: number): AgentMessage => {
    const kept = place < cleared ? clearMessage(message) : message;
    changed ||= kept !== message;
    return bound && changed && place < position ? withoutThinking(kept, bound) : kept;
  };
}

/** Returns the record as other hooks have left it. */
function findShown(
  messages: readonly AgentMessage[],
  { record, index: own }: PlacedRecord,
  placeOf: (index: number) => number | undefined,
): AgentMessage {
  const shown = own === undefined ? -1 : messages.findLastIndex((_, index) => placeOf(index) === own);
  return messages[shown] ?? record;
}

/**
 * Finds the place in the transcript of each message that other hooks have returned. They may have left some out, added
 * others, and replaced some by copies, which are recognized by their role, time and call. If several places are possible, it
 * is the last one, because what comes late is kept. Undefined for a message that was added. Takes linear time.
 */
export function findPlaces(
  transcript: readonly AgentMessage[],
  seen: readonly AgentMessage[],
): (number | undefined)[] | undefined {
  if (seen === transcript) return undefined;
  const objects = new Map(transcript.map((message, index) => [message, index]));
  const copies = new Map<string, number[]>();
  for (const [index, message] of transcript.entries()) {
    const key = keyOf(message);
    const known = copies.get(key);
    if (known) known.push(index);
    else copies.set(key, [index]);
  }
  const places: (number | undefined)[] = [];
  let end = transcript.length;
  for (let index = seen.length - 1; index >= 0; index--) {
    const message = seen[index];
    const place = message && (objects.get(message) ?? takeBefore(copies.get(keyOf(message)), end));
    const isInOrder = place !== undefined && place < end;
    places[index] = isInOrder ? place : undefined;
    if (isInOrder) end = place;
  }
  return places;
}

function takeBefore(places: number[] | undefined, end: number): number | undefined {
  while (places && places.length > 0) {
    const place = places.pop();
    if (place !== undefined && place < end) return place;
  }
  return undefined;
}

function keyOf(message: AgentMessage): string {
  return `${message.role} ${message.timestamp} ${message.role === "toolResult" ? message.toolCallId : ""}`;
}

/** Responses without their thinking, so that each request has the same objects. */
const unthinking = new WeakMap<AgentMessage, AgentMessage>();

/** Returns a response of the model without its thinking. That of other models means nothing to it anyway. */
function withoutThinking(message: AgentMessage, { id, provider }: Model): AgentMessage {
  if (message.role !== "assistant" || message.model !== id || message.provider !== provider) return message;
  const known = unthinking.get(message);
  if (known) return known;
  const { content } = message;
  const isBound = Array.isArray(content) && content.some(isThinking);
  const shorter = isBound ? { ...message, content: content.filter((block) => !isThinking(block)) } : message;
  unthinking.set(message, shorter);
  return shorter;
}

function isThinking({ type }: { type: string }): boolean {
  return type === "thinking";
}

/** How many blocks of thinking the messages hold. */
export function countThinking(messages: readonly AgentMessage[]): number {
  const blocks = messages.flatMap((message) =>
    message.role === "assistant" && Array.isArray(message.content) ? message.content : [],
  );
  return blocks.filter(isThinking).length;
}

/**
 * Whether a message holds instructions, as the histories of other libraries do. The agent adds its text to the system
 * prompt, so it stays in every request.
 */
export function isInstructions({ role }: { role: string }): boolean {
  return role === "system" || role === "developer";
}

/** The cleared form of messages, so that each request has the same object, whose estimate is known. */
const clearedMessages = new WeakMap<AgentMessage, AgentMessage>();

/**
 * Returns a message without its large parts: notes replace a tool result, and the images and files of a user message.
 * Responses stay as they are, because their provider checks its own blocks. So does a result in a provider's own format.
 */
export function clearMessage(message: AgentMessage): AgentMessage {
  const known = clearedMessages.get(message);
  if (known) return known;
  const shorter = shorten(message);
  clearedMessages.set(message, shorter);
  return shorter;
}

function shorten(message: AgentMessage): AgentMessage {
  if (message.role === "toolResult") return shortenResult(message);
  if (message.role !== "user" || typeof message.content === "string" || !Array.isArray(message.content)) return message;
  return message.content.some((block) => block.type !== "text") ? withoutFiles(message, message.content) : message;
}

function shortenResult(message: ToolResultMessage): ToolResultMessage {
  const { content, output } = message;
  if (output !== undefined || !Array.isArray(content)) return message;
  const length = content.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0);
  const others = content.filter((block) => block.type !== "text");
  if (length <= SHORT_RESULT && others.length === 0) return message;
  const names = [`${length} characters`, ...others.map((block) => noteOf(block))];
  return { ...message, content: [{ type: "text", text: `(old tool result removed: ${names.join(", ")})` }] };
}

function withoutFiles(message: UserMessage, blocks: readonly UserBlock[]): UserMessage {
  const content = blocks.map((block): UserBlock => {
    return block.type === "text" ? block : { type: "text", text: `(old ${noteOf(block)} removed)` };
  });
  return { ...message, content };
}

/** Names an image or a file. */
export function noteOf(block: UserBlock): string {
  if (block.type === "text") return "text";
  const name = block.type === "file" && block.name ? ` ${block.name}` : "";
  return `${KIND_NAMES[block.type]}${name} (${block.mimeType})`;
}
