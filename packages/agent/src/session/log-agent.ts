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
    await writer.begin(messagesOf(log.lines));
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

  constructor(session: OpenSession, agent: LoggedAgent, now: () => number) {
    this.#session = session;
    this.#agent = agent;
    this.#now = now;
  }

  /** Logs the messages that the session lacks. */
  async begin(logged: readonly AgentMessage[]): Promise<void> {
    const lines: SessionLine[] = this.#session.isNew ? [{ type: "session", version: 1, at: this.#now() }] : [];
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
