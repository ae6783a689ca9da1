/** Writes the conversation of an agent to an open session, message by message, and restores it from there. */

import type { AssistantMessage, ToolResultMessage } from "pi-ai";
import { isFailure } from "pi-ai/call";
import { isMark } from "../../pause/index.js";
import type { AgentEvent } from "../../types/event.js";
import type { AgentMessage } from "../../types/message.js";
import type { AgentMiddleware, MiddlewareRun, RunHooks } from "../../types/middleware.js";
import type { ParentToolCall } from "../../types/parent-run.js";
import {
  assertUndamaged,
  messagesOf,
  type OpenSession,
  type SessionLine,
  type SessionLines,
  SessionLogError,
  type SkippedLine,
  serializeLine,
  serializeMessage,
} from "./session-lines.js";

/** A log that is being written: middleware of the agent, or of the loop, whose conversation it holds. */
export interface SessionLog extends AgentMiddleware {
  /** Resolves when everything up to now is written. Rejects if it cannot be written, for example on a full disk. */
  flush(): Promise<void>;
  /** Stops logging, writes the rest, closes the session and releases its lock. */
  close(): Promise<void>;
}

/** How a conversation is logged. */
export interface LogOptions {
  /** Reject an existing log with a damaged line. Default false: continue it; loading skips such lines. */
  strict?: boolean;
  /**
   * Called when lines could not be written. The run goes on, and the lines are written with the next ones. Default: the
   * first failure in a row is reported with `console.error`.
   */
  onError?: (error: unknown) => void;
  /** Unix time in milliseconds. Default `Date.now`. */
  now?: () => number;
}

/** {@link LogOptions}, and where the agents that tools run are logged. */
interface OpenedLogOptions extends LogOptions {
  /** Opens the session of a tool call that runs an agent. Undefined if such agents are not logged. */
  openChild?: ((call: ParentToolCall) => Promise<OpenSession>) | undefined;
}

/** Reads the session and returns its log. Releases the session if that fails. */
export async function openLog(session: OpenSession, options: OpenedLogOptions): Promise<SessionLog> {
  const { openChild } = options;
  const writer = await SessionWriter.open(session, options);
  /** The runs that this log holds, and those below them. */
  const runs = new WeakSet<object>();
  return {
    name: "log",
    inherit: openChild !== undefined,
    inForks: false,
    begin: (run) => {
      const isChild = run.parent !== undefined && runs.has(run.parent);
      runs.add(run.root);
      if (!isChild) return writer.hooksOf(run);
      const { parentCall } = run;
      return openChild && parentCall ? logChild(run, () => openChild(parentCall), options) : {};
    },
    flush: () => session.flush(),
    close: () => writer.close(),
  };
}

/** Logs one run of an agent to a session of its own, which is closed at the end of the run. */
function logChild(run: MiddlewareRun, open: () => Promise<OpenSession>, options: LogOptions): RunHooks {
  let opened: Promise<SessionWriter | undefined> | undefined;
  const { onError = createReport() } = options;
  const openWriter = (): Promise<SessionWriter | undefined> =>
    open()
      .then((session) => SessionWriter.open(session, options))
      .catch((error) => void onError(error));
  return {
    onEvent: async (event) => {
      opened ??= openWriter();
      await (await opened)?.take(event, run);
    },
    end: async () => {
      await (await opened)?.close().catch(onError);
    },
  };
}

class SessionWriter {
  readonly #session: OpenSession;
  readonly #now: () => number;
  readonly #onError: (error: unknown) => void;
  /** The conversation that the log holds. */
  #messages: AgentMessage[];
  /** How many of them the run has so far. A durable run is about to repeat the others. */
  #position = 0;
  /** Whether the log ends with the end of a run. */
  #hasEnded: boolean;
  /** The run that is being logged. */
  #run: object | undefined;
  #isClosed = false;

  constructor(session: OpenSession, log: readonly SessionLine[], { now = Date.now, onError }: LogOptions) {
    this.#session = session;
    this.#now = now;
    this.#onError = onError ?? createReport();
    this.#messages = messagesOf(log);
    const boundary = log.findLast(({ type }) => type === "run_start" || type === "run_end");
    this.#hasEnded = boundary?.type === "run_end";
  }

  static async open(session: OpenSession, options: LogOptions): Promise<SessionWriter> {
    try {
      const log = await session.read();
      if (options.strict) assertUndamaged(log);
      const writer = new SessionWriter(session, log.lines, options);
      const header: SessionLine = { type: "session", version: 1, at: writer.#now() };
      if (session.isNew) await session.append([serializeLine(header)]);
      return writer;
    } catch (error) {
      await session.release();
      throw error;
    }
  }

  hooksOf(run: MiddlewareRun): RunHooks {
    this.#catchUp(run.context.messages);
    return {
      onEvent: (event) => this.take(event, run),
      end: () => {
        if (this.#run === run.root) this.#run = undefined;
      },
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#session.flush().finally(() => this.#session.release());
  }

  take(event: AgentEvent, run: MiddlewareRun): Promise<void> | undefined {
    if (this.#isClosed) return undefined;
    if (event.type === "agent_start") return this.#startRun(run, event.replayed ?? false);
    if (this.#run !== run.root) return undefined;
    if (event.type === "message_end") return this.#add(event.message);
    return event.type === "agent_end" ? this.#endRun(event.replayed ?? false) : undefined;
  }

  /**
   * Writes the messages from before the first run of a new log, because a durable run may die before it has an event. Those
   * that a log with messages lacks may be ones that the run is about to repeat, which is known when it starts.
   */
  #catchUp(messages: readonly AgentMessage[]): void {
    if (this.#isClosed || this.#run || messages.length === 0 || this.#messages.length > 0) return;
    this.#messages = messages.slice();
    void this.#write(messages.map((message): SessionLine => ({ type: "message", message })));
  }

  /** The conversation may be another one than at the end of the last run. */
  #startRun({ root, context: { messages } }: MiddlewareRun, isReplayed: boolean): Promise<void> | undefined {
    if (this.#run && this.#run !== root)
      throw new SessionLogError("The session log is in use by another run: a session holds one conversation");
    this.#run = root;
    const shared = this.#findShared(messages);
    const isContinued = shared === this.#messages.length;
    this.#position = messages.length;
    // What comes after the shared messages is what the run is about to repeat.
    if (isReplayed && shared === messages.length && !isContinued) return undefined;
    const lines: SessionLine[] = isContinued ? [] : [{ type: "reset", at: this.#now() }];
    for (const message of messages.slice(isContinued ? shared : 0)) lines.push({ type: "message", message });
    lines.push({ type: "run_start", at: this.#now() });
    this.#messages = messages.slice();
    return this.#write(lines);
  }

  /** Counts the messages at the beginning that are the same in the log. */
  #findShared(messages: readonly AgentMessage[]): number {
    const different = messages.findIndex((message, index) => !this.#has(message, index));
    return different === -1 ? messages.length : different;
  }

  /** Whether the log has a message at this place. The next comparison with the same object is fast. */
  #has(message: AgentMessage, index: number): boolean {
    const logged = this.#messages[index];
    if (index < this.#messages.length && logged === message) return true;
    if (!logged || JSON.stringify(logged) !== serializeMessage(message)) return false;
    this.#messages[index] = message;
    return true;
  }

  #add(message: AgentMessage): Promise<void> | undefined {
    const index = this.#position++;
    // The steps of a durable run are stored before its messages are logged, so a repeated message equals the logged one.
    if (this.#has(message, index)) return undefined;
    const isNew = index >= this.#messages.length;
    this.#messages.splice(index, Number.POSITIVE_INFINITY, message);
    if (isNew) return this.#write([{ type: "message", message }]);
    const all = this.#messages.map((one): SessionLine => ({ type: "message", message: one }));
    return this.#write([{ type: "reset", at: this.#now() }, ...all]);
  }

  #endRun(isReplayed: boolean): Promise<void> | undefined {
    if (isReplayed && (this.#hasEnded || this.#position < this.#messages.length)) return undefined;
    const written = this.#write([{ type: "run_end", at: this.#now() }]);
    this.#hasEnded = true;
    return written;
  }

  /** Serializes immediately, so that later changes to a message are not logged. Never rejects. */
  #write(lines: readonly SessionLine[]): Promise<void> {
    this.#hasEnded = false;
    return this.#session.append(lines.map(serializeLine)).then(undefined, this.#onError);
  }
}

/** Reports the first failure on the console. A full disk would fail for each message. */
function createReport(): (error: unknown) => void {
  let hasFailed = false;
  return (error) => {
    // biome-ignore lint/suspicious/noConsole: an error without a handler must not be lost.
    if (!hasFailed) console.error("The session log could not be written:", error);
    hasFailed = true;
  };
}

// Restores a conversation from a log, and repairs it so that it can be continued.

/** Options for reading a log. */
export interface LoadSessionOptions {
  /** Throw on a damaged line instead of skipping it. Default false. */
  strict?: boolean;
}

/** The conversation of a log. */
export interface LoadedSession {
  /** The messages, for a new agent's `initialState.messages`. Every tool call has one result. */
  messages: AgentMessage[];
  /** Whether the last run was cut off. If the last message is not from the assistant, `continue()` resumes it. */
  interrupted: boolean;
  /** The damaged lines that were skipped, in the order of the file. */
  skipped: SkippedLine[];
  /** Everything that was repaired, skipped or dropped, as sentences for the user. */
  notices: string[];
}

const CUT_OFF_RESULT = "The process ended before this tool call had a result";

/**
 * Repairs a conversation after a crash or damage.
 *
 * @throws SessionLogError with `strict`, when a line is damaged
 */
export function restoreSession(log: SessionLines, { strict = false }: LoadSessionOptions = {}): LoadedSession {
  if (strict) assertUndamaged(log);
  const { lines, skipped } = log;
  const notices = describeDamage(log);
  const boundary = lines.findLast((line) => line.type === "run_start" || line.type === "run_end");
  const logged = messagesOf(lines);
  const whole = skipped.length > 0 ? withoutOrphans(logged, notices) : logged;
  const messages = withoutFailedTail(resolveCalls(whole, notices), notices);
  return { messages, interrupted: boundary?.type === "run_start", skipped, notices };
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
    if (message.role === "assistant") for (const { id } of callsOf(message)) called.add(id);
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
  return callsOf(message).map(({ id, name }) => {
    return { role: "toolResult", toolCallId: id, toolName: name, content, isError: true, timestamp };
  });
}

/** The blocks that need a result: tool calls, and server tools that wait for the application. */
function callsOf({ content }: AssistantMessage): { id: string; name: string }[] {
  return content.flatMap((block) =>
    block.type === "toolCall" || (block.type === "serverTool" && block.status === "waiting") ? [block] : [],
  );
}

/** Removes failed responses at the end: they are never sent to a model, and an agent cannot continue from one. */
function withoutFailedTail(messages: AgentMessage[], notices: string[]): AgentMessage[] {
  const last = messages.findLastIndex((message) => message.role !== "assistant" || !isFailure(message.stopReason));
  const failed = messages.length - 1 - last;
  if (failed > 0) notices.push(`${failed} failed responses at the end were removed`);
  return messages.slice(0, last + 1);
}
