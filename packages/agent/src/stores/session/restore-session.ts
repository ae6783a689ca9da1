/** Restores a conversation from a log, and repairs it so that it can be continued. */
import type { AssistantMessage, ToolResultMessage } from "pi-ai";
import { isFailure } from "pi-ai/call";
import { findToolCalls, hasRepeatedId, isMark, joinRecords, withOwnIds } from "../../pause/index.js";
import type { AgentMessage } from "../../types/message.js";
import {
  assertUndamaged,
  lastBoundaryOf,
  messagesOf,
  type SessionLine,
  type SessionLines,
  SessionLogError,
  type SkippedLine,
  withoutTorn,
} from "./session-lines.js";

/** Options for reading a log. */
export interface LoadSessionOptions {
  /** Throw on a damaged line instead of skipping it. Default false. */
  strict?: boolean | undefined;
}

/** The conversation of a log. */
export interface LoadedSession {
  /** The messages, for a new agent's `initialState.messages`. Every tool call has one result. */
  messages: AgentMessage[];
  /** Whether the last run was cut off. If the last message is not from the assistant, `continue()` resumes it. */
  interrupted: boolean;
  /** The damaged lines that were skipped, in the order of the file. */
  skipped: SkippedLine[];
  /**
   * The conversations that were replaced, by `reset()`, assigned messages or `replace()`, the oldest first. `branch` makes a
   * session of one.
   */
  replaced: ReplacedConversation[];
  /** Everything that was repaired, skipped or dropped, as sentences for the user. */
  notices: string[];
}

/** A conversation that another one has replaced in its session. It stays stored. */
export interface ReplacedConversation {
  /** Its name within the session, for `branch`: `replaced-1` is the first. */
  name: string;
  /** When it was replaced, as Unix time in milliseconds. */
  at: number;
  /** Its messages, as they were stored. */
  messages: AgentMessage[];
}

const CUT_OFF_RESULT = "The process ended before this tool call had a result";

/**
 * Repairs a conversation after a crash or damage.
 *
 * @throws SessionLogError with `strict`, when a line is damaged
 */
export function restoreSession(log: SessionLines, { strict = false }: LoadSessionOptions = {}): LoadedSession {
  if (strict) assertUndamaged(log);
  const { skipped } = log;
  const lines = withoutTorn(log.lines);
  const notices = describeDamage(log);
  const logged = messagesOf(lines);
  const whole = skipped.length > 0 ? withoutOrphans(logged, notices) : logged;
  const repeated = strict ? whole.find(hasRepeatedId) : undefined;
  if (repeated) throw new SessionLogError("Two calls of one response have one id");
  const messages = repairMessages(whole, notices);
  const interrupted = lastBoundaryOf(lines) === "run_start";
  return { messages, interrupted, skipped, replaced: findReplaced(lines), notices };
}

/** A conversation that an agent can continue, as {@link restoreSession} returns it. */
export function repairMessages(messages: readonly AgentMessage[], notices: string[] = []): AgentMessage[] {
  const named = withOwnIds(messages, () => notices.push("Two calls of a response had one id, and each got its own"));
  return withoutFailedTail(resolveCalls(named, notices), notices);
}

/** The messages that each `reset` put aside. */
function findReplaced(lines: readonly SessionLine[]): ReplacedConversation[] {
  const replaced: ReplacedConversation[] = [];
  let messages: AgentMessage[] = [];
  for (const line of lines) {
    if (line.type === "message") messages.push(line.message);
    if (line.type !== "reset") continue;
    if (messages.length > 0)
      replaced.push({
        name: `replaced-${replaced.length + 1}`,
        at: line.at,
        messages: joinRecords(messages),
      });
    messages = [];
  }
  return replaced;
}

function describeDamage({ lines, skipped, tornBytes }: SessionLines): string[] {
  const notices = skipped.map(({ line, reason }) => `Line ${line} was skipped: it ${reason}`);
  for (const line of lines) {
    if (line.type === "note") notices.push(line.text);
    if (line.type === "message" && typeof line.note === "string") notices.push(line.note);
  }
  if (tornBytes > 0) notices.push(`The last line was cut off after ${tornBytes} bytes and was dropped`);
  return notices;
}

/** Drops results without a call, which models reject. The call may have been in a damaged line. */
function withoutOrphans(messages: readonly AgentMessage[], notices: string[]): AgentMessage[] {
  const called = new Set<string>();
  const kept = messages.filter((message) => {
    if (message.role === "toolResult")
      // A call that has paused has marks before its result.
      return isMark(message) ? called.has(message.toolCallId) : called.delete(message.toolCallId);
    if (message.role === "assistant") for (const { id } of findToolCalls(message)) called.add(id);
    return true;
  });
  const dropped = messages.length - kept.length;
  if (dropped > 0) notices.push(`${dropped} tool results without a tool call were dropped`);
  return kept;
}

/** Adds an error result for every call without one. The results of a response come before the next message. */
function resolveCalls(messages: readonly AgentMessage[], notices: string[]): AgentMessage[] {
  const output: AgentMessage[] = [];
  let open: ToolResultMessage[] = [];
  const close = (): void => {
    if (open.length > 0) notices.push(`${open.length} tool calls had no result and got an error result`);
    for (const result of open) output.push(result);
    open = [];
  };
  for (const message of messages) {
    if (message.role === "toolResult") open = open.filter(({ toolCallId }) => toolCallId !== message.toolCallId);
    else close();
    output.push(message);
    if (message.role === "assistant" && !isFailure(message.stopReason)) open = createResults(message);
  }
  close();
  return output;
}

/** An error result for each call of a response. */
function createResults(message: AssistantMessage): ToolResultMessage[] {
  const content = [{ type: "text" as const, text: CUT_OFF_RESULT }];
  const { timestamp } = message;
  return findToolCalls(message).map(({ id, name }) => {
    return { role: "toolResult", toolCallId: id, toolName: name, content, isError: true, timestamp };
  });
}

/**
 * Removes failed responses at the end: they are never sent to a model, and an agent cannot continue from one. A response that
 * was stopped stays: the user has seen it, and the request must not be sent again.
 */
function withoutFailedTail(messages: AgentMessage[], notices: string[]): AgentMessage[] {
  const last = messages.findLastIndex((message) => message.role !== "assistant" || !isFailed(message));
  const failed = messages.length - 1 - last;
  if (failed > 0) notices.push(`${failed} failed responses at the end were removed`);
  return messages.slice(0, last + 1);
}

function isFailed({ stopReason }: AssistantMessage): boolean {
  return isFailure(stopReason) && stopReason !== "aborted";
}
