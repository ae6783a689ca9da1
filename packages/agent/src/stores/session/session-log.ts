/** Writes the conversation of an agent to an open session, message by message, and restores it from there. */

import { CallRecords, findPausedResponse, gainedSince, pendingRequests } from "../../pause/index.js";
import type { AgentEvent } from "../../types/event.js";
import type { AgentMessage } from "../../types/message.js";
import type { AgentMiddleware, MiddlewareRun, RunHooks } from "../../types/middleware.js";
import type { ParentToolCall } from "../../types/parent-run.js";
import type { Pause } from "../../types/pause.js";
import type { QueueStore } from "../../types/queue.js";
import { type LoadedSession, repairMessages, restoreSession } from "./restore-session.js";
import {
  assertUndamaged,
  closeTorn,
  messagesOf,
  type OpenSession,
  type SessionLine,
  type SessionLines,
  SessionLogError,
  serializeLine,
  serializeMessage,
  withoutTorn,
} from "./session-lines.js";
import { StoredQueue } from "./stored-queue.js";

/**
 * An open session: middleware of the agent, or of the loop, whose conversation it holds. A run must continue what is stored;
 * otherwise it ends with a `SessionLogError` before anything is sent. An agent that has continued it may replace its
 * conversation (`reset()`, assigned messages): the earlier one stays stored, see `replaced`.
 */
export interface SessionLog extends AgentMiddleware {
  /** The conversation that is stored, repaired, for `initialState.messages`. Every tool call has one result. */
  readonly messages: AgentMessage[];
  /** What the stored conversation waits for; undefined for nothing. */
  readonly pause: Pause | undefined;
  /** Whether the last run before the session was opened was cut off. `agent.resume()` goes on with it. */
  readonly interrupted: boolean;
  /** What was repaired, skipped or dropped when the session was opened, as sentences for the user. */
  readonly notices: readonly string[];
  /** The messages that were accepted by `steer`, `followUp` or `send` and wait for a turn. The agent has them in its queues. */
  readonly queued: AgentMessage[];
  /** Lets the next run replace what is stored, whatever its conversation is. What it replaces stays stored. */
  replace(): void;
  /** Resolves when everything up to now is written. Rejects if it cannot be written, for example on a full disk. */
  flush(): Promise<void>;
  /** Stops logging, writes the rest, closes the session and releases its lock. */
  close(): Promise<void>;
}

/** How a conversation is logged. */
export interface LogOptions {
  /** Reject an existing log with a damaged line. Default false: continue it; loading skips such lines. */
  strict?: boolean | undefined;
  /**
   * Called when lines could not be written. The run goes on, and the lines are written with the next ones. Default: the
   * first failure in a row is reported with `console.error`.
   */
  onError?: ((error: unknown) => void) | undefined;
  /** Unix time in milliseconds. Default `Date.now`. */
  now?: (() => number) | undefined;
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
  const { interrupted, notices } = writer.restored;
  /** The runs that this log holds, and those below them. */
  const runs = new WeakSet<object>();
  return {
    name: "log",
    inherit: openChild !== undefined,
    inForks: false,
    interrupted,
    notices,
    get messages() {
      return writer.messages;
    },
    get pause() {
      const { messages } = writer;
      return findPausedResponse(messages) && { requests: pendingRequests(messages) };
    },
    get queued() {
      return writer.queued;
    },
    queue: writer.queue,
    replace: () => writer.replace(),
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
  /** Those that the run has so far. A durable run is about to repeat the others. */
  #own: AgentMessage[] = [];
  readonly #records = new CallRecords();
  /** Whether the log ends with the end of a run. */
  #hasEnded: boolean;
  /** The run that is being logged. */
  #run: object | undefined;
  #isClosed = false;
  #hasRun = false;
  /** Whether a message came after the log was closed. */
  #hasMissed = false;
  /** The agent whose conversation the log holds. */
  #owner: object | undefined;
  /** Whether the next run may replace the conversation. */
  #mayReplace = false;
  readonly #queue: StoredQueue;
  readonly restored: LoadedSession;

  constructor(session: OpenSession, lines: SessionLines, { now = Date.now, onError }: LogOptions) {
    this.#session = session;
    this.#now = now;
    this.#onError = onError ?? createReport();
    const log = withoutTorn(lines.lines);
    this.restored = restoreSession(lines);
    this.#messages = messagesOf(log);
    this.#queue = new StoredQueue(log);
    const boundary = log.findLast(({ type }) => type === "run_start" || type === "run_end");
    this.#hasEnded = boundary?.type === "run_end";
  }

  static async open(session: OpenSession, options: LogOptions): Promise<SessionWriter> {
    try {
      const log = await session.read();
      if (options.strict) assertUndamaged(log);
      const writer = new SessionWriter(session, log, options);
      const header: SessionLine = { type: "session", version: 1, at: writer.#now() };
      const start = session.isNew ? [header] : closeTorn(log.lines);
      if (start.length > 0) await session.append(start.map(serializeLine));
      return writer;
    } catch (error) {
      await session.release();
      throw error;
    }
  }

  hooksOf(run: MiddlewareRun): RunHooks {
    if (this.#isClosed) throw createClosedError();
    this.#catchUp(run.context.messages);
    return {
      prepareRequest: (request) => {
        if (this.#hasMissed) throw createClosedError();
        return request;
      },
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
    if (this.#isClosed) return this.#miss(event, run);
    if (event.type === "agent_start") return this.#startRun(run, event.replayed ?? false);
    if (this.#run !== run.root) return undefined;
    if (event.type === "message_end") return this.#add(event.message);
    return event.type === "agent_end" ? this.#endRun(event.replayed ?? false) : undefined;
  }

  /** Nothing more is stored, so the run ends where its transcript is whole: at the end of a turn, or before a request. */
  #miss({ type }: AgentEvent, { root }: MiddlewareRun): undefined {
    if (this.#run !== root) return;
    if (type === "message_end") this.#hasMissed = true;
    if (type !== "turn_end" || !this.#hasMissed) return;
    this.#run = undefined;
    throw createClosedError();
  }

  /** The conversation, as an agent can continue it. */
  get messages(): AgentMessage[] {
    return this.#hasRun ? repairMessages(this.#messages) : this.restored.messages.slice();
  }

  get queued(): AgentMessage[] {
    return this.#queue.messages;
  }

  replace(): void {
    this.#mayReplace = true;
  }

  get queue(): QueueStore {
    return {
      attach: (agent, messages) => {
        if (!this.#owner && this.#continues(messages)) this.#owner = agent;
        return this.#queue.take();
      },
      add: async (queued) => {
        const line = this.#queue.add(queued);
        if (!this.#isClosed) await this.#append([line]);
      },
      clear: (kind) => {
        const line = this.#queue.clear(kind);
        if (line && !this.#isClosed) void this.#append([line]);
      },
    };
  }

  /** Whether a conversation begins with what is stored, as it is or repaired. */
  #continues(messages: readonly AgentMessage[]): boolean {
    if (this.#findShared(messages) === this.#messages.length) return true;
    return this.messages.every((message, index) => {
      const other = messages[index];
      if (other === message) return true;
      return (
        other && (serializeMessage(message) === serializeMessage(other) || gainedSince(message, other) !== undefined)
      );
    });
  }

  /**
   * Writes the messages from before the first run of a new log, because a durable run may die before it has an event. Those
   * that a log with messages lacks may be ones that the run is about to repeat, which is known when it starts.
   */
  #catchUp(messages: readonly AgentMessage[]): void {
    if (this.#isClosed || this.#run || messages.length === 0 || this.#messages.length > 0) return;
    this.#messages = messages.slice();
    void this.#write(messages.map((message) => this.#lineOf(message)));
  }

  /** The conversation may be another one than at the end of the last run. */
  #startRun({ root, owner, context: { messages } }: MiddlewareRun, isReplayed: boolean): Promise<void> | undefined {
    if (this.#run && this.#run !== root)
      throw new SessionLogError("The session log is in use by another run: a session holds one conversation");
    const isOwn = owner !== undefined && owner === this.#owner;
    if (!(isOwn || isReplayed || this.#mayReplace)) this.#assertContinued(messages);
    this.#run = root;
    this.#owner = owner;
    this.#mayReplace = false;
    this.#hasRun = true;
    const gained = this.#takeGained(messages);
    const shared = this.#findShared(messages, isReplayed);
    const isContinued = shared === this.#messages.length;
    this.#own = messages.slice();
    // What comes after the shared messages is what the run is about to repeat.
    if (isReplayed && shared === messages.length && !isContinued) return undefined;
    const lines: SessionLine[] = isContinued ? [] : [{ type: "reset", at: this.#now(), count: messages.length }];
    const missing = isContinued ? [...gained, ...messages.slice(shared)] : messages;
    for (const message of missing) lines.push(this.#lineOf(message));
    lines.push({ type: "run_start", at: this.#now() });
    this.#messages = messages.slice();
    return this.#write(lines);
  }

  #assertContinued(messages: readonly AgentMessage[]): void {
    if (this.#continues(messages)) return;
    const lacking = this.#messages.length - this.#findShared(messages);
    throw new SessionLogError(
      `The conversation lacks ${lacking} of the ${this.#messages.length} stored messages of its session. Begin with the messages of the session, such as initialState: { messages: session.messages }, or call session.replace() to replace them`,
    );
  }

  /** Counts the messages at the beginning that are the same in the log. A run that is repeated may have gone on with calls. */
  #findShared(messages: readonly AgentMessage[], isReplayed = false): number {
    const different = messages.findIndex(
      (message, index) => !(this.#has(message, index) || (isReplayed && this.#isAhead(message, index))),
    );
    return different === -1 ? messages.length : different;
  }

  /** Whether the log has a message at this place. The next comparison with the same object is fast. */
  #has(message: AgentMessage, index: number): boolean {
    const logged = this.#messages[index];
    if (index < this.#messages.length && logged === message) return true;
    if (!logged || serializeMessage(logged) !== serializeMessage(message)) return false;
    this.#messages[index] = message;
    return true;
  }

  /** What people have answered since the last run, in the records of the calls that wait. */
  #takeGained(messages: readonly AgentMessage[]): AgentMessage[] {
    return this.#messages.flatMap((logged, index) => {
      const message = messages[index];
      const gained = message && message !== logged ? gainedSince(logged, message) : undefined;
      if (message && gained) this.#messages[index] = message;
      return gained ?? [];
    });
  }

  /** Whether the log has what comes after the record of a call. */
  #isAhead(message: AgentMessage, index: number): boolean {
    const logged = this.#messages[index];
    return logged !== undefined && gainedSince(message, logged) !== undefined;
  }

  #add(added: AgentMessage): Promise<void> | undefined {
    const index = this.#records.add(this.#own, added);
    // The record of a call that waits takes its place; what is stored is what was added.
    const message = this.#own[index] ?? added;
    const logged = this.#messages[index];
    // The steps of a durable run are stored before its messages are logged, so a repeated message equals the logged one.
    if (this.#has(message, index) || this.#isAhead(message, index)) return undefined;
    if (logged && gainedSince(logged, message)) {
      this.#messages[index] = message;
      return this.#write([{ type: "message", message: added }]);
    }
    const isNew = index >= this.#messages.length;
    this.#messages.splice(index, Number.POSITIVE_INFINITY, message);
    if (isNew) return this.#write([this.#lineOf(message)]);
    const all = this.#messages.map((one) => this.#lineOf(one));
    return this.#write([{ type: "reset", at: this.#now(), count: all.length }, ...all]);
  }

  /** A message that is in the conversation waits in no queue. */
  #lineOf(message: AgentMessage): SessionLine {
    const queued = this.#queue.deliver(message);
    return { type: "message", message, ...(queued !== undefined && { queued }) };
  }

  #endRun(isReplayed: boolean): Promise<void> | undefined {
    if (isReplayed && (this.#hasEnded || this.#own.length < this.#messages.length)) return undefined;
    const written = this.#write([{ type: "run_end", at: this.#now() }]);
    this.#hasEnded = true;
    return written;
  }

  /** Serializes immediately, so that later changes to a message are not logged. Never rejects. */
  #write(lines: readonly SessionLine[]): Promise<void> {
    this.#hasEnded = false;
    return this.#append(lines);
  }

  #append(lines: readonly SessionLine[]): Promise<void> {
    return this.#session.append(lines.map(serializeLine)).then(undefined, this.#onError);
  }
}

function createClosedError(): SessionLogError {
  return new SessionLogError("The session log is closed, so nothing more would be stored. Open the session again");
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
