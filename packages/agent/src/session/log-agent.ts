/** Writes an agent's conversation to an open session, message by message. */
import type { AgentEvent, AgentListener } from "../types/event.js";
import type { AgentMessage } from "../types/message.js";
import type { OpenSession } from "./open-session.js";
import { serializeLine, serializeMessage } from "./serialize-line.js";
import { assertUndamaged, messagesOf, type SessionLine } from "./session-lines.js";

/** The source of a log; `Agent` is one. */
export interface LoggedAgent {
  /** Calls a function with every event; returns the function that unsubscribes it. */
  subscribe(listener: AgentListener): () => unknown;
  /** The current conversation. */
  readonly state: { readonly messages: readonly AgentMessage[] };
  /** Set in a durable run, which may repeat what an earlier process has logged. */
  readonly runSteps?: object | undefined;
}

/** A log that is being written. */
export interface SessionLog {
  /** Resolves when everything up to now is written. Rejects if it cannot be written, for example on a full disk. */
  flush(): Promise<void>;
  /** Stops logging, writes the rest, closes the file and releases its lock. */
  close(): Promise<void>;
}

/** Writes the agent's messages to the session, then subscribes to the agent. Releases the session if that fails. */
export async function logAgent(
  agent: LoggedAgent,
  session: OpenSession,
  { strict = false, now = Date.now }: { strict?: boolean; now?: () => number },
): Promise<SessionLog> {
  try {
    const log = await session.read();
    if (strict) assertUndamaged(log);
    const writer = new SessionWriter(session, agent, now);
    await writer.begin(log.lines);
    const unsubscribe = agent.subscribe((event) => writer.take(event));
    return {
      flush: () => session.flush(),
      close: async () => {
        unsubscribe();
        await session.flush().finally(() => session.release());
      },
    };
  } catch (error) {
    await session.release();
    throw error;
  }
}

class SessionWriter {
  readonly #session: OpenSession;
  readonly #agent: LoggedAgent;
  readonly #now: () => number;
  /** The number of logged messages, and the last one. */
  #count = 0;
  #last: AgentMessage | undefined;
  /** Logged messages that a durable run is about to repeat. */
  #ahead: AgentMessage[] = [];
  /** What the log held when a durable agent opened it, and whether its last run had ended. Unset when the log grows. */
  #found: { messages: AgentMessage[]; hasEnded: boolean } | undefined;

  constructor(session: OpenSession, agent: LoggedAgent, now: () => number) {
    this.#session = session;
    this.#agent = agent;
    this.#now = now;
  }

  /** Logs the messages that the session lacks. */
  async begin(log: readonly SessionLine[]): Promise<void> {
    const lines: SessionLine[] = this.#session.isNew ? [{ type: "session", version: 1, at: this.#now() }] : [];
    const { messages } = this.#agent.state;
    const logged = messagesOf(log);
    const isContinued = isPrefix(logged, messages);
    if (this.#agent.runSteps && logged.length > 0 && (isContinued || isPrefix(messages, logged))) {
      // Which messages the run will repeat is known when it begins.
      const boundary = log.findLast(({ type }) => type === "run_start" || type === "run_end");
      this.#found = { messages: logged, hasEnded: boundary?.type === "run_end" };
      this.#advance(Math.min(logged.length, messages.length));
      return this.#write(lines);
    }
    if (isContinued) this.#advance(logged.length);
    else lines.push({ type: "reset", at: this.#now() });
    for (const message of messages.slice(this.#count)) lines.push({ type: "message", message });
    await this.#write(lines);
    this.#advance(messages.length);
  }

  take(event: AgentEvent): Promise<void> | undefined {
    if (event.type === "agent_start") return event.replayed && this.#repeatRun() ? undefined : this.#startRun();
    if (event.type === "agent_end") return this.#endRun(event.replayed);
    if (event.type !== "message_end") return undefined;
    const repeated = this.#ahead.shift();
    if (repeated) return this.#repeat(event.message, repeated);
    this.#count++;
    this.#last = event.message;
    this.#found = undefined;
    return this.#write([{ type: "message", message: event.message }]);
  }

  /** Finds the logged messages that a durable run is about to repeat. Returns whether there are any. */
  #repeatRun(): boolean {
    const { messages } = this.#agent.state;
    if (this.#found && isPrefix(messages, this.#found.messages)) {
      this.#ahead = this.#found.messages.slice(messages.length);
      this.#advance(messages.length);
    }
    return this.#ahead.length > 0;
  }

  /** The steps of the run are stored before its messages are logged, so a repeated message equals the logged one. */
  #repeat(message: AgentMessage, repeated: AgentMessage): Promise<void> | undefined {
    this.#count++;
    this.#last = message;
    if (JSON.stringify(repeated) === serializeMessage(message)) return undefined;
    this.#ahead = [];
    this.#found = undefined;
    return this.#replace();
  }

  #endRun(isReplayed: boolean | undefined): Promise<void> | undefined {
    const isLogged = isReplayed && (this.#ahead.length > 0 || this.#found?.hasEnded);
    return isLogged ? undefined : this.#write([{ type: "run_end", at: this.#now() }]);
  }

  /** Logs the conversation again. */
  #replace(): Promise<void> {
    const { messages } = this.#agent.state;
    this.#advance(messages.length);
    return this.#write([
      { type: "reset", at: this.#now() },
      ...messages.map((message): SessionLine => ({ type: "message", message })),
    ]);
  }

  /** The application may have changed the conversation since the last run. */
  #startRun(): Promise<void> {
    const { messages } = this.#agent.state;
    const lines: SessionLine[] = [];
    const isBehind = this.#found !== undefined && this.#found.messages.length > this.#count;
    this.#found = undefined;
    this.#ahead = [];
    if (isBehind || messages.length < this.#count || (this.#count > 0 && messages[this.#count - 1] !== this.#last)) {
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

  /** Serializes immediately, so that later changes to a message are not logged. */
  #write(lines: readonly SessionLine[]): Promise<void> {
    return this.#session.append(lines.map(serializeLine));
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
