/** Writes an agent's conversation to a file, message by message. */
import { type FileHandle, open } from "node:fs/promises";
import type { AgentEvent, AgentListener } from "../types/event.js";
import type { AgentMessage } from "../types/message.js";
import { messagesOf, parseLog, type SessionLine, serializeLine } from "./session-lines.js";

/** What is logged; `Agent` is one. */
export interface LoggedAgent {
  /** Has a function told of every event; gives the function that ends it. */
  subscribe(listener: AgentListener): () => unknown;
  /** The conversation as it stands. */
  readonly state: { readonly messages: readonly AgentMessage[] };
}

/** How a log is written. */
export interface SessionLogOptions {
  /** Wait after each line until it is on the disk, so that it survives a crash of the machine too. Default false. */
  fsync?: boolean;
  /** Unix time in milliseconds. Default `Date.now`. */
  now?: () => number;
}

/** A log that is being written. */
export interface SessionLog {
  /** Resolves when everything up to now is written. */
  flush(): Promise<void>;
  /** Stops logging, writes the rest and closes the file. */
  close(): Promise<void>;
}

/**
 * Logs an agent: one line for each finished message and for the beginning and end of each run. The agent waits for each
 * line, so a message that the run has gone past is in the file. A write that fails is the listener's failure
 * (`onListenerError`); the run goes on.
 *
 * An existing log is continued. What the agent holds and the log does not is written first, and so is a conversation that
 * was replaced (`reset()`, assigned messages) when the next run begins.
 *
 * @example
 * const { messages } = await loadSession("chat.jsonl");
 * const agent = new Agent({ initialState: { model, messages } });
 * const log = await createSessionLog(agent, "chat.jsonl");
 *
 * @throws SessionLogError when the file exists and is no session log
 */
export async function createSessionLog(
  agent: LoggedAgent,
  file: string | URL,
  options: SessionLogOptions = {},
): Promise<SessionLog> {
  // Read once, to find out what the file holds and to cut off a torn last line; then only appended to.
  const handle = await open(file, "a+");
  try {
    const writer = new SessionWriter(handle, agent, options);
    await writer.begin();
    const unsubscribe = agent.subscribe((event) => writer.take(event));
    return {
      flush: () => writer.flush(),
      close: async () => {
        unsubscribe();
        await writer.flush().finally(() => handle.close());
      },
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

class SessionWriter {
  readonly #handle: FileHandle;
  readonly #agent: LoggedAgent;
  readonly #fsync: boolean;
  readonly #now: () => number;
  /** The messages in the file: how many, and the last of them. */
  #count = 0;
  #last: AgentMessage | undefined;
  /** Lines are written one after the other, also where the agent does not wait. */
  #writing: Promise<void> = Promise.resolve();

  constructor(handle: FileHandle, agent: LoggedAgent, options: SessionLogOptions) {
    this.#handle = handle;
    this.#agent = agent;
    this.#fsync = options.fsync ?? false;
    this.#now = options.now ?? Date.now;
  }

  /** Brings the file to where the agent is. */
  async begin(): Promise<void> {
    const { lines, wholeBytes, torn } = parseLog(await this.#handle.readFile("utf8"));
    if (torn !== "") await this.#handle.truncate(wholeBytes);
    if (lines.length === 0) await this.#write({ type: "session", version: 1, at: this.#now() });
    const logged = messagesOf(lines);
    const { messages } = this.#agent.state;
    if (isPrefix(logged, messages)) this.#advance(logged.length);
    else await this.#write({ type: "reset", at: this.#now() });
    for (const message of messages.slice(this.#count)) await this.#write({ type: "message", message });
    this.#advance(messages.length);
  }

  take(event: AgentEvent): Promise<void> | undefined {
    if (event.type === "agent_start") return this.#startRun();
    if (event.type === "agent_end") return this.#write({ type: "run_end", at: this.#now() });
    if (event.type !== "message_end") return undefined;
    this.#count++;
    this.#last = event.message;
    return this.#write({ type: "message", message: event.message });
  }

  flush(): Promise<void> {
    return this.#writing;
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
    return this.#write(...lines, { type: "run_start", at: this.#now() });
  }

  #advance(count: number): void {
    this.#count = count;
    this.#last = this.#agent.state.messages[count - 1];
  }

  #write(...lines: SessionLine[]): Promise<void> {
    // Serialized now: what the application does to a message later is not logged.
    const texts = lines.map(serializeLine);
    const written = this.#writing.then(async () => {
      for (const text of texts) await this.#handle.write(text);
      if (this.#fsync) await this.#handle.datasync();
    });
    // A write that failed is told to who waited for it, and does not keep later ones from being tried.
    this.#writing = written.catch(() => {});
    return written;
  }
}

/** Whether the log holds the beginning of the agent's conversation. */
function isPrefix(logged: readonly AgentMessage[], messages: readonly AgentMessage[]): boolean {
  if (logged.length > messages.length) return false;
  return logged.every((message, index) => JSON.stringify(message) === JSON.stringify(messages[index]));
}
