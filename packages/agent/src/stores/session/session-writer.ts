/** Writes the conversation of an agent to an open session, message by message. */
import { CallRecords, gainedSince, isMark } from "../../pause/index.js";
import type { AgentEvent } from "../../types/event.js";
import type { AgentMessage } from "../../types/message.js";
import type { MiddlewareRun, RunHooks } from "../../types/middleware.js";
import type { QueueStore } from "../../types/queue.js";
import type { OpenSession } from "./open-session.js";
import { type LoadedSession, repairMessages, restoreSession } from "./restore-session.js";
import {
  assertUndamaged,
  closeTorn,
  createClosedError,
  lastBoundaryOf,
  messagesOf,
  type SessionLine,
  type SessionLines,
  SessionLogError,
  serializeLine,
  serializeMessage,
  withoutTorn,
} from "./session-lines.js";
import { StoredQueue } from "./stored-queue.js";

/** How a conversation is logged. */
export interface LogOptions {
  /** Reject an existing log with a damaged line. Default false: continue it; loading skips such lines. */
  strict?: boolean | undefined;
  /**
   * Called when lines could not be written. The run goes on, and the lines are written with the next ones. Default: the
   * first failure is reported with `console.error`.
   */
  onError?: ((error: unknown) => void) | undefined;
  /** Unix time in milliseconds. Default `Date.now`. */
  now?: (() => number) | undefined;
}

export class SessionWriter {
  readonly #session: OpenSession;
  readonly #now: () => number;
  readonly #onError: (error: unknown) => void;
  /** The conversation that the log holds. */
  #logged: AgentMessage[];
  /** Those that the run has so far. A durable run is about to repeat the others. */
  #runMessages: AgentMessage[] = [];
  readonly #records = new CallRecords();
  /** Whether the log ends with the end of a run. */
  #endsWithRunEnd: boolean;
  /** The run that is being logged. */
  #run: object | undefined;
  #isClosed = false;
  #closing: Promise<void> | undefined;
  #hasRun = false;
  /** Whether a message came after the log was closed. */
  #hasMissed = false;
  /** The ids of the calls that have waited and begin in this run. */
  readonly #begun = new Set<string>();
  /** The agent whose conversation the log holds. */
  #agent: object | undefined;
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
    this.#logged = messagesOf(log);
    this.#queue = new StoredQueue(log);
    this.#endsWithRunEnd = lastBoundaryOf(log) === "run_end";
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
    this.assertStores();
    this.#catchUp(run.context.messages);
    return {
      prepareRequest: (request) => {
        this.assertStores();
        return request;
      },
      wrapToolCall: async ({ toolCall }, execute) => {
        await this.assertMayBegin(toolCall.id);
        return execute();
      },
      onEvent: (event) => this.take(event, run),
      end: () => {
        if (this.#run === run.root) this.#run = undefined;
      },
    };
  }

  /** Rejects, too, if something was never written: the session was lost, or was closed during a run. */
  async flush(): Promise<void> {
    if (this.#session.loss.error || this.#hasMissed) this.assertStores();
    await this.#session.flush();
  }

  /** A session is released once: by then another writer may have it. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#closing ??= this.#session.flush().finally(() => this.#session.release());
    return this.#closing;
  }

  take(event: AgentEvent, run: MiddlewareRun): Promise<void> | undefined {
    if (this.#isOver) return this.#miss(event, run);
    if (event.type === "agent_start") return this.#startRun(run, event.replayed ?? false);
    if (this.#run !== run.root) return undefined;
    switch (event.type) {
      case "message_end":
        return this.#add(event.message);
      case "turn_end":
        return this.#session.assertHeld?.();
      case "agent_end":
        return this.#endRun(event.replayed ?? false);
      default:
        return undefined;
    }
  }

  /** @throws SessionLogError when nothing more is stored */
  assertStores(): void {
    if (this.#isOver) throw this.#session.loss.error ?? createClosedError();
  }

  /** Rejects if a call must not begin: nothing more is stored, or another process could run it again. */
  async assertMayBegin(id: string): Promise<void> {
    await this.#session.assertHeld?.();
    this.assertStores();
    if (!this.#begun.has(id)) return;
    await this.#session.flush().catch((cause: unknown) => {
      this.assertStores();
      throw new SessionLogError("The call was not run: its session could not store that it begins", { cause });
    });
  }

  /** The session is closed, or another writer has it. */
  get #isOver(): boolean {
    return this.#isClosed || this.#session.loss.error !== undefined;
  }

  /** Nothing more is stored, so the run ends where its transcript is whole: at the end of a turn, or before a request. */
  #miss({ type }: AgentEvent, { root }: MiddlewareRun): undefined {
    if (this.#run !== root) return;
    if (type === "message_end") this.#hasMissed = true;
    if (type !== "turn_end" || !(this.#hasMissed || this.#session.loss.error)) return;
    this.#run = undefined;
    this.assertStores();
  }

  /** The conversation, as an agent can continue it. */
  get messages(): AgentMessage[] {
    return this.#hasRun ? repairMessages(this.#logged) : this.restored.messages.slice();
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
        if (!this.#agent && this.#continues(messages)) this.#agent = agent;
        return agent === this.#agent ? this.#queue.take() : [];
      },
      add: async (queued) => {
        const line = this.#queue.add(queued);
        if (!this.#isOver) await this.#append([line]);
      },
      clear: (kind) => {
        const line = this.#queue.clear(kind);
        if (line && !this.#isOver) void this.#append([line]);
      },
    };
  }

  /** Whether a conversation begins with what is stored, as it is or repaired. */
  #continues(messages: readonly AgentMessage[]): boolean {
    if (this.#findShared(messages) === this.#logged.length) return true;
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
    if (this.#isClosed || this.#run || messages.length === 0 || this.#logged.length > 0) return;
    this.#logged = messages.slice();
    void this.#write(messages.map((message) => this.#lineOf(message)));
  }

  /** The conversation may be another one than at the end of the last run. */
  #startRun({ root, owner, context: { messages } }: MiddlewareRun, isReplayed: boolean): Promise<void> | undefined {
    if (this.#run && this.#run !== root)
      throw new SessionLogError("The session log is in use by another run: a session holds one conversation");
    const isOwn = owner !== undefined && owner === this.#agent;
    if (!(isOwn || isReplayed || this.#mayReplace)) this.#assertContinued(messages);
    this.#run = root;
    this.#agent = owner;
    this.#mayReplace = false;
    this.#hasRun = true;
    this.#begun.clear();
    const gained = this.#takeAnswers(messages);
    const shared = this.#findShared(messages, isReplayed);
    const isContinued = shared === this.#logged.length;
    this.#runMessages = messages.slice();
    // The run is about to repeat everything after the shared messages.
    if (isReplayed && shared === messages.length && !isContinued) return undefined;
    const lines: SessionLine[] = isContinued ? [] : [{ type: "reset", at: this.#now(), count: messages.length }];
    const missing = isContinued ? [...gained, ...messages.slice(shared)] : messages;
    for (const message of missing) lines.push(this.#lineOf(message));
    lines.push({ type: "run_start", at: this.#now() });
    this.#logged = messages.slice();
    return this.#write(lines);
  }

  #assertContinued(messages: readonly AgentMessage[]): void {
    if (this.#continues(messages)) return;
    const lacking = this.#logged.length - this.#findShared(messages);
    throw new SessionLogError(
      `The conversation lacks ${lacking} of the ${this.#logged.length} stored messages of its session. Begin with the messages of the session, such as initialState: { messages: session.messages }, or call session.replace() to replace them`,
    );
  }

  /** Counts the messages at the beginning that are the same in the log. A run that is repeated may have gone on with calls. */
  #findShared(messages: readonly AgentMessage[], isReplayed = false): number {
    const different = messages.findIndex(
      (message, index) => !(this.#isLogged(message, index) || (isReplayed && this.#isAhead(message, index))),
    );
    return different === -1 ? messages.length : different;
  }

  /** Whether the log has a message at this place. The next comparison with the same object is fast. */
  #isLogged(message: AgentMessage, index: number): boolean {
    const logged = this.#logged[index];
    if (index < this.#logged.length && logged === message) return true;
    if (!logged || serializeMessage(logged) !== serializeMessage(message)) return false;
    this.#logged[index] = message;
    return true;
  }

  /** The answers of people since the last run, in the records of the calls that wait. */
  #takeAnswers(messages: readonly AgentMessage[]): AgentMessage[] {
    return this.#logged.flatMap((logged, index) => {
      const message = messages[index];
      const gained = message && message !== logged ? gainedSince(logged, message) : undefined;
      if (message && gained) this.#logged[index] = message;
      return gained ?? [];
    });
  }

  /** Whether the log has what comes after the record of a call. */
  #isAhead(message: AgentMessage, index: number): boolean {
    const logged = this.#logged[index];
    return logged !== undefined && gainedSince(message, logged) !== undefined;
  }

  #add(added: AgentMessage): Promise<void> | undefined {
    if (added && isMark(added) && added.pause.state === "begun") this.#begun.add(added.toolCallId);
    const index = this.#records.add(this.#runMessages, added);
    // The record of a call that waits takes its place; what is stored is what was added.
    const message = this.#runMessages[index] ?? added;
    const logged = this.#logged[index];
    // The steps of a durable run are stored before its messages are logged, so a repeated message equals the logged one.
    if (this.#isLogged(message, index) || this.#isAhead(message, index)) return undefined;
    if (logged && gainedSince(logged, message)) {
      this.#logged[index] = message;
      return this.#write([{ type: "message", message: added }]);
    }
    const isNew = index >= this.#logged.length;
    this.#logged.splice(index, Number.POSITIVE_INFINITY, message);
    if (isNew) return this.#write([this.#lineOf(message)]);
    const all = this.#logged.map((one) => this.#lineOf(one));
    return this.#write([{ type: "reset", at: this.#now(), count: all.length }, ...all]);
  }

  /** A message that is in the conversation waits in no queue. */
  #lineOf(message: AgentMessage): SessionLine {
    const queued = this.#queue.deliver(message);
    return { type: "message", message, ...(queued !== undefined && { queued }) };
  }

  #endRun(isReplayed: boolean): Promise<void> | undefined {
    if (isReplayed && (this.#endsWithRunEnd || this.#runMessages.length < this.#logged.length)) return undefined;
    const written = this.#write([{ type: "run_end", at: this.#now() }]);
    this.#endsWithRunEnd = true;
    return written;
  }

  /** Serializes immediately, so that later changes to a message are not logged. Never rejects. */
  #write(lines: readonly SessionLine[]): Promise<void> {
    this.#endsWithRunEnd = false;
    return this.#append(lines);
  }

  #append(lines: readonly SessionLine[]): Promise<void> {
    return this.#session.append(lines.map(serializeLine)).then(undefined, this.#onError);
  }
}

/** Reports the first failure on the console. A full disk would fail for each message. */
export function createReport(): (error: unknown) => void {
  let hasFailed = false;
  return (error) => {
    // biome-ignore lint/suspicious/noConsole: an error without a handler must not be lost.
    if (!hasFailed) console.error("The session log could not be written:", error);
    hasFailed = true;
  };
}
