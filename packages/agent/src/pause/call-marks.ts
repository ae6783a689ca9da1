/** The marks in a transcript that say which calls have paused. The transcript holds the whole state of a pause. */
import type { AssistantMessage, ToolResultMessage } from "pi-ai";
import { isFailure, isRecord } from "pi-ai/call";
import type { AgentMessage, AgentToolCall } from "../types/message.js";
import type { CallMark, PauseAnswer, PausedCall, PauseRequest } from "../types/pause.js";

/** The text of a mark, for programs that show the results of tools and do not know of pauses. */
export const WAITING_TEXT = "This call waits for an answer of the user. It has no result yet.";

/** A message that says something about a call that has paused. */
export interface MarkMessage extends ToolResultMessage {
  pause: CallMark;
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

/**
 * The conversation without the marks of calls that have paused, which neither a hook nor a model is to take for results. The
 * same array for the same conversation, and the conversation itself if it has none: within a run, marks come before the first
 * request only.
 */
export class MessagesWithoutMarks {
  #source: readonly AgentMessage[] | undefined;
  #seen = 0;
  #kept: AgentMessage[] | undefined;

  of(messages: AgentMessage[]): AgentMessage[] {
    if (this.#source !== messages || messages.length < this.#seen) {
      this.#source = messages;
      this.#seen = 0;
      this.#kept = messages.some(isMark) ? [] : undefined;
    }
    if (!this.#kept) return messages;
    for (; this.#seen < messages.length; this.#seen++) {
      const message = messages[this.#seen];
      if (message && !isMark(message)) this.#kept.push(message);
    }
    return this.#kept;
  }
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
  const ids = new Set(blocksOf(message).map(({ id }) => id));
  for (const next of messages.slice(index + 1)) {
    if (next.role !== "toolResult" || !ids.has(next.toolCallId)) continue;
    if (isMark(next)) addMark(calls, next);
    else {
      // Nothing comes after a result.
      calls.delete(next.toolCallId);
      ids.delete(next.toolCallId);
    }
  }
  return calls.size > 0 ? { message, calls } : undefined;
}

/** The last response that did not fail. */
export function findLastResponse(messages: readonly AgentMessage[]): AssistantMessage | undefined {
  const last = messages.findLast((message) => message.role === "assistant" && !isFailure(message.stopReason));
  return last?.role === "assistant" ? last : undefined;
}

interface OpenCall extends PausedCall {
  requests: PauseRequest[];
  answers: Map<string, PauseAnswer>;
  hasBegun: boolean;
  hasNews: boolean;
  resume?: unknown;
}

/** The transcript may come from anywhere, so each field is checked. */
function addMark(calls: Map<string, OpenCall>, { toolCallId, pause }: MarkMessage): void {
  const known = calls.get(toolCallId);
  switch (pause.state) {
    case "waiting": {
      const requests = listOf(pause.requests).filter(isRequest);
      const call: OpenCall = known ?? {
        key: String(pause.key),
        requests: [],
        answers: new Map(),
        hasBegun: false,
        hasNews: false,
      };
      call.requests.push(...requests.filter(({ id }) => !call.requests.some((one) => one.id === id)));
      call.hasBegun = false;
      call.hasNews = false;
      if (pause.resume !== undefined) call.resume = pause.resume;
      calls.set(toolCallId, call);
      break;
    }
    case "answered":
      if (known) addAnswers(known, listOf(pause.answers));
      break;
    case "begun":
      if (known) known.hasBegun = true;
  }
}

function addAnswers(call: OpenCall, answers: readonly PauseAnswer[]): void {
  for (const answer of answers) {
    if (!isRecord(answer) || typeof answer.id !== "string" || call.answers.has(answer.id)) continue;
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

/** Finds what the marks of any response say about a request, also if it is closed. */
export function findRequest(
  messages: readonly AgentMessage[],
  id: string,
): { answer: PauseAnswer | undefined } | undefined {
  let found: { answer: PauseAnswer | undefined } | undefined;
  for (const message of messages) {
    if (!isMark(message)) continue;
    const { pause } = message;
    if (pause.state === "waiting" && listOf(pause.requests).some((request) => request?.id === id))
      found = { answer: undefined };
    else if (pause.state === "answered" && found)
      found.answer ??= listOf(pause.answers).find((answer) => answer?.id === id);
  }
  return found;
}

/** Returns a function that makes the key of a call, from which the ids of its requests are made. */
export function createKeys(messages: readonly AgentMessage[]): (toolCallId: string) => string {
  const counts = new Map<string, number>();
  for (const { id } of messages.flatMap((message) => (message.role === "assistant" ? blocksOf(message) : [])))
    counts.set(id, (counts.get(id) ?? 0) + 1);
  return (id) => {
    // Some providers repeat ids in every response.
    const count = counts.get(id) ?? 1;
    return count > 1 ? `${id}~${count}` : id;
  };
}

/** A block that may need a result: a tool call, or a server tool, whose arguments are its input. */
export interface CallBlock {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The tool calls and server tools of a response. */
export function blocksOf({ content }: AssistantMessage): CallBlock[] {
  return content.flatMap((block): CallBlock[] => {
    if (block.type === "toolCall") return [block];
    return block.type === "serverTool" ? [{ id: block.id, name: block.name, arguments: block.input ?? {} }] : [];
  });
}
