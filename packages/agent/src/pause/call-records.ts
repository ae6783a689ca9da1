/**
 * A conversation as it is shown: a call that waits has one record, which each further mark and then its result replaces. The
 * stored list may only grow; reading it gives the same.
 */
import type { ToolResultMessage } from "pi-ai";
import { isFailure } from "pi-ai/call";
import type { AgentMessage } from "../types/message.js";
import type { EarlierMark } from "../types/pause.js";
import { isMark, type MarkMessage, marksOf, type RecordedResult, withoutMarks } from "./call-marks.js";

/** Finds the record that a message replaces. Follows one conversation, which others may change meanwhile. */
export class CallRecords {
  #messages: readonly AgentMessage[] | undefined;
  #length = 0;
  /** By the id of a call of the last response: the index of its record. */
  readonly #open = new Map<string, number>();

  /** Adds a message to a conversation, or lets it replace the record of its call. Returns its index. */
  add(messages: AgentMessage[], message: AgentMessage): number {
    const index = this.place(messages, message);
    const record = messages[index];
    // An application may have put something else there.
    if (!(record && isMark(record) && message.role === "toolResult")) return messages.push(message) - 1;
    messages[index] = joinMarks([record], message);
    return index;
  }

  /** Returns the index at which a message belongs. The caller puts it there. */
  place(messages: readonly AgentMessage[], message: AgentMessage): number {
    if (this.#messages !== messages || this.#length !== messages.length) this.#scan(messages);
    const index = this.#follow(message, messages.length);
    this.#length = Math.max(messages.length, index + 1);
    return index;
  }

  #scan(messages: readonly AgentMessage[]): void {
    this.#messages = messages;
    this.#open.clear();
    for (let index = messages.findLastIndex(isResponse) + 1; index < messages.length; index++) {
      const message = messages[index];
      if (message) this.#follow(message, index);
    }
  }

  /** Returns the index of a message, and remembers it for the record of a call. */
  #follow(message: AgentMessage, next: number): number {
    // An application may have put anything there.
    if (!message) return next;
    if (isResponse(message)) this.#open.clear();
    if (message.role !== "toolResult") return next;
    const index = this.#open.get(message.toolCallId) ?? next;
    if (isMark(message)) this.#open.set(message.toolCallId, index);
    else this.#open.delete(message.toolCallId);
    return index;
  }
}

/** A failed response does not close what waits before it. */
function isResponse(message: AgentMessage): boolean {
  return message?.role === "assistant" && !isFailure(message.stopReason);
}

/**
 * The records of a run, and its conversation without the marks of calls that have paused, which neither a hook nor a model is to
 * take for results.
 */
export class RunRecords extends CallRecords {
  #source: readonly AgentMessage[] | undefined;
  #seen = 0;
  #kept: AgentMessage[] | undefined;

  override add(messages: AgentMessage[], message: AgentMessage): number {
    const end = messages.length;
    const index = super.add(messages, message);
    if (index < end) this.#source = undefined;
    return index;
  }

  /** The same array for the same conversation, and the conversation itself if it has no marks. */
  allWithoutMarks(messages: AgentMessage[]): AgentMessage[] {
    if (this.#source !== messages || messages.length < this.#seen) {
      this.#source = messages;
      this.#seen = 0;
      this.#kept = messages.some((message) => withoutMarks(message) !== message) ? [] : undefined;
    }
    if (!this.#kept) return messages;
    for (; this.#seen < messages.length; this.#seen++) {
      const message = messages[this.#seen];
      const plain = message && withoutMarks(message);
      if (plain) this.#kept.push(plain);
    }
    return this.#kept;
  }
}

/** The conversation with one record for each call; itself if it has no mark. Old transcripts have several. */
export function joinRecords(messages: AgentMessage[]): AgentMessage[] {
  if (!messages.some(isMark)) return messages;
  const records = new CallRecords();
  const joined: AgentMessage[] = [];
  /** The messages of one call, by its index: joined once, so that many marks cost no more than so many messages. */
  const parts = new Map<number, ToolResultMessage[]>();
  for (const message of messages) {
    const index = records.place(joined, message);
    if (message.role === "toolResult") {
      const list = parts.get(index) ?? [];
      list.push(message);
      parts.set(index, list);
    }
    if (index === joined.length) joined.push(message);
  }
  for (const [index, list] of parts) {
    const last = list.pop();
    if (last && list.length > 0) joined[index] = joinMarks(list, last);
  }
  return joined;
}

/** Marks of one call, and its result if it has one. */
function joinMarks(earlier: readonly ToolResultMessage[], last: ToolResultMessage): MarkMessage | RecordedResult {
  const marks = earlier.flatMap(earlierMarksOf);
  return isMark(last)
    ? { ...last, marks: [...marks, ...(last.marks ?? [])] }
    : { ...last, marks: marks.flatMap(summarize) };
}

function earlierMarksOf(message: ToolResultMessage): EarlierMark[] {
  const { marks = [], pause, details, timestamp } = message as Partial<MarkMessage> & ToolResultMessage; // It may have both.
  const kept = pause?.state === "waiting" && details !== undefined ? { details } : {};
  return [...marks, ...(pause ? [{ ...pause, at: timestamp, ...kept }] : [])];
}

/** A mark beside a result keeps the questions and the answers. */
function summarize(mark: EarlierMark): EarlierMark[] {
  if (mark.state === "begun") return [];
  if (mark.state === "answered") return [mark];
  const { resume: _resume, ...asked } = mark;
  return [asked];
}

/**
 * The messages to store that one version of the record of a call has and an older one has not; undefined if the newer
 * one does not continue the older one.
 */
export function gainedSince(older: AgentMessage, newer: AgentMessage): AgentMessage[] | undefined {
  if (!isMark(older) || newer.role !== "toolResult" || older.toolCallId !== newer.toolCallId) return undefined;
  const known = isMark(newer) ? marksOf(older) : earlierMarksOf(older).flatMap(summarize);
  const marks = marksOf(newer);
  if (marks.length < known.length || !known.every((mark, index) => isSameMark(mark, marks[index]))) return undefined;
  const gained: AgentMessage[] = marks.slice(known.length).map((mark) => {
    const isLatest = isMark(newer) && mark === newer.pause;
    const { at: timestamp = newer.timestamp, details = isLatest ? newer.details : {}, ...pause } = mark;
    const { marks: _marks, ...message } = { ...older, details, pause, timestamp };
    return message;
  });
  if (isMark(newer)) return gained.length > 0 ? gained : undefined;
  const { marks: _marks, ...result }: Partial<RecordedResult> & ToolResultMessage = newer;
  return [...gained, result];
}

function isSameMark(one: EarlierMark, other: EarlierMark | undefined): boolean {
  return other !== undefined && toText(one) === toText(other);
}

function toText({ at: _at, details: _details, ...mark }: EarlierMark): string {
  return JSON.stringify(mark);
}

/** The messages that a conversation has gained since it was `before`: new ones, and those that records of calls have taken in. */
export function messagesSince(before: readonly AgentMessage[], after: readonly AgentMessage[]): AgentMessage[] {
  return after.flatMap((message, index) => {
    const earlier = before[index];
    if (message === earlier) return [];
    return (earlier && gainedSince(earlier, message)) ?? message;
  });
}

/** Makes a conversation what it was: cut off after `length`, and with these records in place of what has followed them. */
export function rewindRecords(messages: AgentMessage[], length: number, records: readonly AgentMessage[]): void {
  messages.length = length;
  for (const record of records) {
    if (record.role !== "toolResult") continue;
    const index = messages.findLastIndex((one) => one.role === "toolResult" && one.toolCallId === record.toolCallId);
    if (index >= 0) messages[index] = record;
  }
}
