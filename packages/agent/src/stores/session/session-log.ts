/** Writes the conversation of an agent to an open session, message by message. */
import type { AgentEvent } from "../../types/event.js";
import type { AgentMessage } from "../../types/message.js";
import type { AgentMiddleware, MiddlewareRun, RunHooks } from "../../types/middleware.js";
import type { ParentToolCall } from "../../types/parent-run.js";
import type { OpenSession } from "./open-session.js";
import {
  assertUndamaged,
  messagesOf,
  type SessionLine,
  SessionLogError,
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
