/** What the marks in a transcript say together: which calls have paused, what was asked, and what was answered. */
import type { AssistantMessage } from "pi-ai";
import { isFailure, isRecord } from "pi-ai/call";
import { mustBeList } from "../checks.js";
import type { AgentMessage, AgentToolCall } from "../types/message.js";
import type { CallMark, PauseAnswer, PausedCall, PauseRequest, WaitingCall } from "../types/pause.js";
import { isMark, listOf, marksOf } from "./call-marks.js";
import { callsById } from "./response-calls.js";

/** The most calls of a response that can wait. */
export const MAX_WAITING_CALLS = 500;
/** The most requests of one call. Those of an agent that a tool runs count, too. */
const MAX_REQUESTS = 1000;

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
    if (!call || (isMark(next) && marksOf(next).every((mark) => applyMark(calls, call, mark)))) continue;
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
  /** The parts of their signatures that can be used once. */
  uses: Set<string>;
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
function applyMark(calls: Map<string, OpenCall>, call: AgentToolCall, mark: CallMark): boolean {
  const known = calls.get(call.id);
  switch (mark.state) {
    case "waiting": {
      const waiting = known ?? newCall(call, String(mark.key));
      const requests = listOf(mark.requests).filter(isRequest);
      const use = useOf(requests[0]);
      // To check a mark costs as much as its call is long, and a page may send one very often.
      if (use !== "" && waiting.uses.has(use)) break;
      waiting.uses.add(use);
      if (calls.size < MAX_WAITING_CALLS) calls.set(call.id, waiting);
      return addRequests(waiting, requests, mark.resume);
    }
    case "answered":
      if (known) addAnswers(known, listOf(mark.answers));
      break;
    case "begun":
      if (known) known.hasBegun = true;
  }
  return true;
}

function newCall(call: AgentToolCall, key: string): OpenCall {
  const ids = { ids: new Set<string>(), uses: new Set<string>() };
  const none = { marks: [], requests: [], answers: new Map<string, PauseAnswer>() };
  return { call, key, ...ids, ...none, hasBegun: false, hasNews: false };
}

/** The part of a signature that can be used once. Requests that were asked together share it, in whatever order they come back. */
export function useOf(request: PauseRequest | undefined): string {
  const signature: unknown = request?.signature;
  return typeof signature === "string" ? signature.slice(0, signature.indexOf(".")) : "";
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

function isRequest(request: PauseRequest): boolean {
  return isRecord(request) && typeof request.id === "string" && isRecord(request.arguments);
}

/** The requests of a call without an answer. */
export function openRequestsOf({ requests, answers }: PausedCall): PauseRequest[] {
  return requests.filter(({ id, kind }) => kind !== "order" && !answers.has(id));
}

/** Whether no answer counts any more. */
export function isExpired({ expiresAt }: PauseRequest, now: number): boolean {
  return expiresAt !== undefined && now >= expiresAt;
}

/**
 * Returns the requests of a conversation that wait for an answer, in the order of the calls. They are computed from the
 * messages alone: nothing else is stored.
 *
 * @example
 * for (const { id, toolName, arguments: args } of pendingRequests(messages)) show(id, toolName, args);
 */
export function pendingRequests(messages: readonly AgentMessage[]): PauseRequest[] {
  mustBeList("messages", messages);
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
  for (const message of messages) for (const mark of marksOf(message)) addRequestsOf(found, mark);
  return found;
}

function addRequestsOf(found: Map<string, AskedRequest>, mark: CallMark): void {
  const requests = mark.state === "waiting" ? listOf(mark.requests).filter(isRequest) : [];
  for (const { id } of requests) found.set(id, { answer: undefined });
  for (const answer of mark.state === "answered" ? listOf(mark.answers) : []) {
    const request = found.get(answer?.id);
    if (request) request.answer ??= answer;
  }
}
