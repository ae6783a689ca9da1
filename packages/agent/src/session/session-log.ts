/** Writes an agent's conversation to a file, message by message. */
import { type FileHandle, open, realpath } from "node:fs/promises";
import type { AgentEvent, AgentListener } from "../types/event.js";
import type { AgentMessage } from "../types/message.js";
import { LineFile } from "./line-file.js";
import { serializeLine, serializeMessage } from "./serialize-line.js";
import { assertUndamaged, messagesOf, parseLog, type SessionLine, SessionLogError } from "./session-lines.js";
import { lockFile } from "./session-lock.js";

/** The source of a log; `Agent` is one. */
export interface LoggedAgent {
  /** Calls a function with every event; returns the function that unsubscribes it. */
  subscribe(listener: AgentListener): () => unknown;
  /** The current conversation. */
  readonly state: { readonly messages: readonly AgentMessage[] };
}

/** How a log is written. */
export interface SessionLogOptions {
  /** Wait after each line until it is on the disk, so that it survives a crash of the machine too. Default false. */
  fsync?: boolean;
  /** Refuse an existing log that has a damaged line. Default false: continue it; `loadSession` skips such lines. */
  strict?: boolean;
  /** Unix time in milliseconds. Default `Date.now`. */
  now?: () => number;
}

/** A log that is being written. */
export interface SessionLog {
  /** Resolves when everything up to now is written. Rejects while it cannot be, for example on a full disk. */
  flush(): Promise<void>;
  /** Stops logging, writes the rest, closes the file and releases its lock. */
  close(): Promise<void>;
}

/**
 * Logs an agent: one line for each finished message and for the beginning and end of each run. The agent waits for each
 * line, so a message that the run has gone past is in the file. A write that fails is a failure of the listener
 * (`onListenerError`); the run goes on, and the lines are written with the next ones, as soon as there is room.
 *
 * An existing log is continued. Messages that the agent holds and the log does not are written first, and so is a
 * conversation that was replaced (`reset()`, assigned messages) when the next run begins. A value that JSON cannot hold is
 * replaced, and the line says so.
 *
 * A new file is readable by its owner only (mode 600). While the log is open, `<file>.lock` keeps other writers away.
 *
 * @example
 * const { messages } = await loadSession("chat.jsonl");
 * const agent = new Agent({ initialState: { model, messages } });
 * const log = await createSessionLog(agent, "chat.jsonl");
 *
 * @throws SessionLogError when the file is not a session log (it stays as it is) or another writer has it open
 */
export async function createSessionLog(
  agent: LoggedAgent,
  file: string | URL,
  options: SessionLogOptions = {},
): Promise<SessionLog> {
  // Read once, to compare it with the agent and to cut off a torn last line; then only appended to.
  const handle = await open(file, "a+", 0o600);
  let unlock: (() => Promise<void>) | undefined;
  try {
    unlock = await lockFile(await realpath(file));
    const release = unlock;
    const writer = await openWriter(handle, agent, options);
    const unsubscribe = agent.subscribe((event) => writer.take(event));
    return {
      flush: () => writer.flush(),
      close: async () => {
        unsubscribe();
        await writer.flush().finally(() => handle.close().finally(release));
      },
    };
  } catch (error) {
    await handle.close();
    await unlock?.();
    throw error;
  }
}

/** Brings the file to where the agent is. */
async function openWriter(
  handle: FileHandle,
  agent: LoggedAgent,
  { fsync = false, strict = false, now = Date.now }: SessionLogOptions,
): Promise<SessionWriter> {
  const log = parseLog(await handle.readFile());
  if (strict) assertUndamaged(log);
  const isNew = log.lines.length === 0;
  if (!(isNew || log.hasHeader)) {
    throw new SessionLogError(
      "Line 1 of the session log is damaged. Load it with loadSession, and log to another file",
    );
  }
  if (log.tornBytes > 0) await handle.truncate(log.wholeBytes);
  const writer = new SessionWriter(
    new LineFile(handle, { size: log.wholeBytes, isOpen: log.isOpen, fsync }),
    agent,
    now,
  );
  await writer.begin(isNew, messagesOf(log.lines));
  return writer;
}

class SessionWriter {
  readonly #file: LineFile;
  readonly #agent: LoggedAgent;
  readonly #now: () => number;
  /** The messages of the agent that were logged: how many, and the last of them. */
  #count = 0;
  #last: AgentMessage | undefined;

  constructor(file: LineFile, agent: LoggedAgent, now: () => number) {
    this.#file = file;
    this.#agent = agent;
    this.#now = now;
  }

  async begin(isNew: boolean, logged: readonly AgentMessage[]): Promise<void> {
    const lines: SessionLine[] = isNew ? [{ type: "session", version: 1, at: this.#now() }] : [];
    const { messages } = this.#agent.state;
    if (isPrefix(logged, messages)) this.#advance(logged.length);
    else lines.push({ type: "reset", at: this.#now() });
    for (const message of messages.slice(this.#count)) lines.push({ type: "message", message });
    await this.#write(lines);
    this.#advance(messages.length);
  }

  take(event: AgentEvent): Promise<void> | undefined {
    if (event.type === "agent_start") return this.#startRun();
    if (event.type === "agent_end") return this.#write([{ type: "run_end", at: this.#now() }]);
    if (event.type !== "message_end") return undefined;
    this.#count++;
    this.#last = event.message;
    return this.#write([{ type: "message", message: event.message }]);
  }

  flush(): Promise<void> {
    return this.#file.flush();
  }

  /** The application may have changed the conversation since the last run. */
  #startRun(): Promise<void> {
    const { messages } = this.#agent.state;
    const lines: SessionLine[] = [];
    if (messages.length < this.#count || (this.#count > 0 && messages[this.#count - 1] !== this.#last)) {
      lines.push({ type: "reset", at: this.#now() });
      this.#count = 0;
    }
    for (const message of messages.slice(this.#count)) lines.push({ type: "message", message });
    this.#advance(messages.length);
    lines.push({ type: "run_start", at: this.#now() });
    return this.#write(lines);
  }

  #advance(count: number): void {
    this.#count = count;
    this.#last = this.#agent.state.messages[count - 1];
  }

  /** Serializes at once: later changes of the application to a message are not logged. */
  #write(lines: readonly SessionLine[]): Promise<void> {
    return this.#file.append(lines.map(serializeLine));
  }
}

/** Whether the log holds the beginning of the agent's conversation. */
function isPrefix(logged: readonly AgentMessage[], messages: readonly AgentMessage[]): boolean {
  if (logged.length > messages.length) return false;
  return logged.every((message, index) => {
    const own = messages[index];
    return own !== undefined && JSON.stringify(message) === serializeMessage(own);
  });
}
