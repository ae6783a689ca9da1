/** The marks in a transcript that say which calls have paused. The transcript holds the whole state of a pause. */
import type { AssistantMessage, ToolResultMessage } from "pi-ai";
import { isFailure, isRecord } from "pi-ai/call";
import type { AgentMessage, AgentToolCall } from "../types/message.js";
import type { CallMark, EarlierMark, PauseAnswer, PausedCall, PauseRequest, WaitingCall } from "../types/pause.js";
import { callsById } from "./response-calls.js";

/** The text of a mark, for programs that show the results of tools and do not know of pauses. */
export const WAITING_TEXT = "This call waits for an answer of the user. It has no result yet.";

/** The most calls of a response that can wait. */
export const MAX_WAITING_CALLS = 500;
/** The most requests of one call. Those of an agent that a tool runs count, too. */
const MAX_REQUESTS = 1000;

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

/** A response whose calls have not all ended, because some have paused. */
export interface PausedResponse {
  readonly message: AssistantMessage;
  /** The calls that have paused, by their ids, in the order of their first marks. */
  readonly calls: ReadonlyMap<string, PausedCall>;
}

/**
 * Finds the calls that have paused. Only those of the last response can be open; a failed response at the end, such as that
 * of an abort, does not close them. Looks at no message before that response.
 */
export function findPausedResponse(messages: readonly AgentMessage[]): PausedResponse | undefined {
  const message = findLastResponse(messages);
  if (!message) return undefined;
  const index = messages.lastIndexOf(message);
  const calls = new Map<string, OpenCall>();
  const known = callsById(message);
  for (const next of messages.slice(index + 1)) {
    if (next.role !== "toolResult") continue;
    const call = known.get(next.toolCallId);
    if (!call || (isMark(next) && marksOf(next).every((mark) => addMark(calls, call, mark)))) continue;
    // Nothing comes after a result, and a call with too many requests never runs.
    calls.delete(call.id);
    known.delete(call.id);
  }
  return calls.size > 0 ? { message, calls } : undefined;
}

/** The last response that did not fail. */
export function findLastResponse(messages: readonly AgentMessage[]): AssistantMessage | undefined {
  const last = messages.findLast((message) => message.role === "assistant" && !isFailure(message.stopReason));
  return last?.role === "assistant" ? last : undefined;
}

interface OpenCall extends PausedCall {
  marks: WaitingCall[];
  requests: PauseRequest[];
  /** The ids of its requests. */
  ids: Set<string>;
  answers: Map<string, PauseAnswer>;
  hasBegun: boolean;
  hasNews: boolean;
  resume?: unknown;
}

/**
 * The transcript may come from anywhere, so each field is checked.
 *
 * @returns whether the call has no more requests than are allowed
 */
function addMark(calls: Map<string, OpenCall>, call: AgentToolCall, pause: CallMark): boolean {
  const known = calls.get(call.id);
  switch (pause.state) {
    case "waiting": {
      const waiting = known ?? newCall(call, String(pause.key));
      if (calls.size < MAX_WAITING_CALLS) calls.set(call.id, waiting);
      return addRequests(waiting, listOf(pause.requests).filter(isRequest), pause.resume);
    }
    case "answered":
      if (known) addAnswers(known, listOf(pause.answers));
      break;
    case "begun":
      if (known) known.hasBegun = true;
  }
  return true;
}

function newCall(call: AgentToolCall, key: string): OpenCall {
  const none = { marks: [], requests: [], ids: new Set<string>(), answers: new Map<string, PauseAnswer>() };
  return { call, key, ...none, hasBegun: false, hasNews: false };
}

function addRequests(call: OpenCall, requests: readonly PauseRequest[], resume: unknown): boolean {
  for (const request of requests) {
    if (!call.ids.has(request.id)) call.requests.push(request);
    call.ids.add(request.id);
  }
  call.marks.push({ requests, ...(resume !== undefined && { resume }) });
  call.hasBegun = false;
  call.hasNews = false;
  if (resume !== undefined) call.resume = resume;
  return call.requests.length <= MAX_REQUESTS;
}

/** An answer to what was not asked counts for nothing: the tool might ask it later. */
function addAnswers(call: OpenCall, answers: readonly PauseAnswer[]): void {
  for (const answer of answers) {
    if (!isRecord(answer) || !call.ids.has(answer.id) || call.answers.has(answer.id)) continue;
    call.answers.set(answer.id, answer);
    call.hasNews = true;
  }
}

function listOf<TItem>(value: readonly TItem[]): readonly TItem[] {
  return Array.isArray(value) ? value : [];
}

function isRequest(request: PauseRequest): boolean {
  return isRecord(request) && typeof request.id === "string" && isRecord(request.arguments);
}

/** The requests of a call without an answer. */
export function openRequestsOf({ requests, answers }: PausedCall): PauseRequest[] {
  return requests.filter(({ id, kind }) => kind !== "order" && !answers.has(id));
}

/**
 * Returns the requests of a conversation that wait for an answer, in the order of the calls. They are computed from the
 * messages alone: nothing else is stored.
 *
 * @example
 * for (const { id, toolName, arguments: args } of pendingRequests(messages)) show(id, toolName, args);
 */
export function pendingRequests(messages: readonly AgentMessage[]): PauseRequest[] {
  const paused = findPausedResponse(messages);
  return paused ? [...paused.calls.values()].flatMap(openRequestsOf) : [];
}

/** A request of the transcript; open without an answer. */
export interface AskedRequest {
  answer: PauseAnswer | undefined;
}

/** The requests of all responses with their answers, also of those that are closed. */
export function findRequests(messages: readonly AgentMessage[]): Map<string, AskedRequest> {
  const found = new Map<string, AskedRequest>();
  for (const message of messages) for (const mark of marksOf(message)) noteMark(found, mark);
  return found;
}

function noteMark(found: Map<string, AskedRequest>, pause: CallMark): void {
  const requests = pause.state === "waiting" ? listOf(pause.requests).filter(isRequest) : [];
  for (const { id } of requests) found.set(id, { answer: undefined });
  for (const answer of pause.state === "answered" ? listOf(pause.answers) : []) {
    const request = found.get(answer?.id);
    if (request) request.answer ??= answer;
  }
}

type KeyOf = (toolCallId: string) => string;

/** The keys of a conversation, which each of its calls needs. */
const keys = new WeakMap<readonly AgentMessage[], { last: AgentMessage | undefined; length: number; keyOf: KeyOf }>();

/** Returns a function that makes the key of a call, from which the ids of its requests are made. */
export function createKeys(messages: readonly AgentMessage[]): KeyOf {
  const known = keys.get(messages);
  const [last, { length }] = [messages.at(-1), messages];
  if (known && known.last === last && known.length === length) return known.keyOf;
  const keyOf = countKeys(messages);
  keys.set(messages, { last, length, keyOf });
  return keyOf;
}

function countKeys(messages: readonly AgentMessage[]): KeyOf {
  const counts = new Map<string, number>();
  for (const message of messages)
    for (const block of message.role === "assistant" ? message.content : [])
      if (block.type === "toolCall" || block.type === "serverTool")
        counts.set(block.id, (counts.get(block.id) ?? 0) + 1);
  return (id) => {
    // A provider may choose any id. Those of requests are made from keys with these characters, and no two may be the same.
    const key = id.replace(/[%~!?/]/g, "%$&");
    // Some providers repeat ids in every response.
    const count = counts.get(id) ?? 1;
    return count > 1 ? `${key}~${count}` : key;
  };
}
