/** The interface of a session store: a folder of files, an SQLite file or a PostgreSQL database. */
import type { Complete } from "pi-ai/call";
import {
  assertMessage,
  type Checks,
  checkOptions,
  mayBeAnything,
  mustBeCountOrOff,
  mustBeFlag,
  mustBeFunction,
  mustBeList,
  mustBeText,
  throwWrong,
} from "../../checks.js";
import { digestOf } from "../../pause/index.js";
import type { AgentMessage } from "../../types/message.js";
import { type OpenSession, SessionLoss } from "./open-session.js";
import { type LoadedSession, type LoadSessionOptions, repairMessages, restoreSession } from "./restore-session.js";
import {
  closeTorn,
  isReadableMessage,
  type SessionLine,
  type SessionLines,
  SessionLogError,
  serializeLine,
} from "./session-lines.js";
import { openLog, type SessionLog } from "./session-log.js";
import type { LogOptions } from "./session-writer.js";

/** Options for opening a session for writing. */
export interface AppendOptions {
  /**
   * Take the session over from another writer, whose next write then fails. For SQLite and PostgreSQL. It has no effect for
   * files, which cannot stop the other writer. Default false: reject a session that another writer has open.
   */
  takeOver?: boolean | undefined;
  /** Unix time in milliseconds. Default `Date.now`. */
  now?: (() => number) | undefined;
}

/** Options for logging to a store. */
export interface StoreLogOptions extends AppendOptions, LogOptions {
  /**
   * Whether the agents that `agentTool` runs are logged, too, each call to a session of its own: `<id>.<id of the tool call>`,
   * with a digest where an id does not fit, or for a call within such an agent. A call with an id that was there before
   * replaces that conversation, which stays stored. Default false.
   */
  children?: boolean | undefined;
  /**
   * Called once when another writer has taken the session over. Nothing more is stored, no tool call begins, and a run that is
   * under way ends with the error; what it had accepted stays in the agent.
   */
  onLost?: ((error: SessionLogError) => void) | undefined;
}

/** Options for listing sessions. */
export interface ListOptions {
  /** The maximum number of sessions. Default 100. */
  limit?: number | undefined;
  /** The number of most recent sessions to skip. Default 0. */
  offset?: number | undefined;
}

/** Options for branching a session. */
export interface BranchOptions {
  /** The number of messages to copy to the new session, counted as `load` returns them. Default: all. */
  at?: number | undefined;
  /** The name of a conversation that was replaced, such as `replaced-1`: see `replaced` of `load`. Default: the present one. */
  of?: string | undefined;
  /** The id of the new session. Default: a random UUID. */
  to?: string | undefined;
  /** Unix time in milliseconds. Default `Date.now`. */
  now?: (() => number) | undefined;
}

/** A session in a list. */
export interface SessionSummary {
  /** Its id in the store. */
  id: string;
  /** When it was begun, as Unix time in milliseconds. */
  createdAt: number;
  /** When it was last written, as Unix time in milliseconds. */
  updatedAt: number;
  /** The session that it was branched from, and the number of copied messages. */
  from?: { id: string; messages: number };
}

/**
 * Stores sessions by id. An id has 1 to 100 letters, digits, `.`, `_` and `-`, and begins with a letter or digit;
 * others are rejected with a {@link SessionLogError}. A session has one writer at a time. When the promise of `append`
 * resolves, all of its messages are in the file or database.
 */
export interface SessionStore {
  /**
   * Opens a session, which is created if there is none: takes it for this writer, loads it and repairs it. What it returns is
   * middleware with the conversation.
   *
   * @example
   * const session = await sessions.open("chat-1");
   * const agent = new Agent({ initialState: { model, messages: session.messages }, middleware: [session] });
   * await agent.resume();
   *
   * @throws SessionLogError when another writer has the session open
   */
  open(id: string, options?: StoreLogOptions): Promise<SessionLog>;
  /** The earlier name of {@link SessionStore.open}. */
  log(id: string, options?: StoreLogOptions): Promise<SessionLog>;
  /**
   * Adds messages to a session, which is created if there is none.
   *
   * @throws SessionLogError when another writer has the session open
   */
  append(id: string, messages: readonly AgentMessage[], options?: AppendOptions): Promise<void>;
  /**
   * Returns the conversation of a session, ready to be continued, as `loadSession` restores it; undefined if there is no
   * such session.
   */
  load(id: string, options?: LoadSessionOptions): Promise<LoadedSession | undefined>;
  /** Lists the sessions of the store, the last written first. */
  list(options?: ListOptions): Promise<SessionSummary[]>;
  /**
   * Copies the first messages of a session to a new one, and returns its id.
   *
   * @throws TypeError for an unknown option
   * @throws SessionLogError when there is no such session, when the new one exists, or when the results of a tool call
   * would be left behind
   */
  branch(id: string, options?: BranchOptions): Promise<string>;
  /**
   * Deletes a session; does nothing if there is none.
   *
   * @throws SessionLogError when a writer has it open
   */
  delete(id: string): Promise<void>;
  /** Closes files and connections that the store opened. A client that was passed in stays open. */
  close(): Promise<void>;
}

/** Options for opening a session in a backend. */
export interface OpenOptions {
  takeOver: boolean;
  strict: boolean;
  /** Of the session that is opened. */
  loss: SessionLoss;
}

/** The operations that each store implements. All ids have been checked. */
export interface SessionBackend {
  open(id: string, options: OpenOptions): Promise<OpenSession>;
  read(id: string): Promise<SessionLines | undefined>;
  list(page: Complete<ListOptions>): Promise<SessionSummary[]>;
  /** Creates a session with these lines, all or none; returns false if it exists. */
  create(id: string, lines: readonly string[]): Promise<boolean>;
  delete(id: string): Promise<void>;
  close(): Promise<void>;
}

export const LOG: Checks<keyof LogOptions> = { strict: mustBeFlag, onError: mustBeFunction, now: mustBeFunction };
const APPEND: Checks<keyof AppendOptions> = { takeOver: mustBeFlag, now: mustBeFunction };
const OPEN: Checks<keyof StoreLogOptions> = { ...LOG, ...APPEND, children: mustBeFlag, onLost: mustBeFunction };
const LIST: Checks<keyof ListOptions> = { limit: mustBeCountOrOff, offset: mustBeCountOrOff };
/** A misspelt option would copy another part than was meant. */
const BRANCH: Checks<keyof BranchOptions> = {
  at: mayBeAnything,
  of: mayBeAnything,
  to: mayBeAnything,
  now: mustBeFunction,
};
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const MAX_ID_LENGTH = 100;
const DIGEST_LENGTH = 22;

/**
 * The session of a call, or of one in the agent that it runs. A model chooses the ids of calls, so a name that cannot hold them whole has
 * their digest: no two are the same.
 */
async function childOf(id: string, calls: readonly string[]): Promise<string> {
  const names = [id, ...calls];
  const plain = names.join(".");
  // A name with a digest has a dot more.
  if (ID.test(plain) && names.length === 2 && !calls[0]?.includes(".")) return plain;
  const digest = (await digestOf(names)).slice(0, DIGEST_LENGTH);
  const legible = plain.replaceAll(/[^A-Za-z0-9._-]/g, "_").slice(0, MAX_ID_LENGTH - DIGEST_LENGTH - 1);
  return `${legible}.${digest}`;
}

export function createSessionStore(backend: SessionBackend): SessionStore {
  const open = async (id: string, { takeOver = false, strict = false, onLost }: StoreLogOptions) =>
    backend.open(checkId(id), { takeOver, strict, loss: new SessionLoss(onLost) });
  const load = async (id: string, options?: LoadSessionOptions): Promise<LoadedSession | undefined> => {
    if (options) checkOptions(options, { strict: mustBeFlag });
    const lines = await backend.read(checkId(id));
    return lines && restoreSession(lines, options);
  };
  const openSession = async (id: string, options: StoreLogOptions = {}): Promise<SessionLog> => {
    checkOptions(options, OPEN);
    const { children = false } = options;
    const openChild = children
      ? async (calls: readonly string[]) => open(await childOf(id, calls), options)
      : undefined;
    return openLog(await open(id, options), { ...options, openChild });
  };
  return {
    load,
    open: openSession,
    log: openSession,
    append: async (id, messages, options = {}) => {
      checkOptions(options, APPEND);
      mustBeList("messages", messages);
      for (const [index, message] of messages.entries()) {
        assertMessage(message, `messages[${index}]`);
        mustBeText(`messages[${index}].role`, message.role);
        if (!isReadableMessage(message))
          throwWrong(
            `messages[${index}]`,
            "an answer or a result with a list of blocks, a result with a toolCallId",
            message,
          );
      }
      const session = await open(id, options);
      const { now = Date.now } = options;
      try {
        const start: SessionLine[] = session.isNew
          ? [{ type: "session", version: 1, at: now() }]
          : closeTorn((await session.read()).lines);
        const lines = [...start, ...messages.map((message): SessionLine => ({ type: "message", message }))];
        await session.append(lines.map(serializeLine));
      } finally {
        await session.release();
      }
    },
    list: async (options = {}) => {
      checkOptions(options, LIST);
      const { limit = 100, offset = 0 } = options;
      return backend.list({ limit, offset });
    },
    branch: async (id, options = {}) => {
      checkOptions(options, BRANCH);
      const { at, of, to = crypto.randomUUID(), now = Date.now } = options;
      const session = await load(id);
      if (!session) throw new SessionLogError(`There is no session ${id}`);
      const messages = takeMessages(findConversation(id, session, of), at);
      const from = { id, messages: messages.length };
      const header: SessionLine = { type: "session", version: 1, at: now(), from };
      const lines = [header, ...messages.map((message): SessionLine => ({ type: "message", message }))];
      if (!(await backend.create(checkId(to), lines.map(serializeLine))))
        throw new SessionLogError(`The session ${to} already exists`);
      return to;
    },
    delete: async (id) => backend.delete(checkId(id)),
    close: () => backend.close(),
  };
}

/** Rejects ids that would lead out of the folder or are too long for a file name. */
function checkId(id: string): string {
  if (typeof id === "string" && ID.test(id)) return id;
  throw new SessionLogError(
    "The id of a session must have 1 to 100 letters, digits, dots, underscores and hyphens, and begin with a letter or digit",
  );
}

/** The present conversation, or one that it has replaced. */
function findConversation(id: string, { messages, replaced }: LoadedSession, name: string | undefined): AgentMessage[] {
  if (name === undefined) return messages;
  const found = replaced.find((one) => one.name === name);
  if (!found) throw new SessionLogError(`The session ${id} has no replaced conversation ${name}`);
  return repairMessages(found.messages);
}

function takeMessages(messages: readonly AgentMessage[], count = messages.length): AgentMessage[] {
  if (!Number.isInteger(count) || count < 0 || count > messages.length)
    throw new SessionLogError(`A session of ${messages.length} messages cannot be branched at ${count}`);
  // The results of a response follow it directly. If the next message is one, the copy would end within a response's results.
  if (messages[count]?.role === "toolResult")
    throw new SessionLogError(
      `Message ${count} is the result of a tool call; branch before the call or after its results`,
    );
  return messages.slice(0, count);
}

/** Reads the facts for a list from a session's first line. */
export function summarize(id: string, header: string | undefined, updatedAt: number): SessionSummary {
  const { at, from } = parseHeader(header);
  const summary: SessionSummary = { id, createdAt: typeof at === "number" ? at : updatedAt, updatedAt };
  return isOrigin(from) ? { ...summary, from: { id: from.id, messages: from.messages } } : summary;
}

function parseHeader(text: string | undefined): { at?: unknown; from?: unknown } {
  try {
    const header: unknown = JSON.parse(text ?? "");
    return typeof header === "object" && header !== null ? header : {};
  } catch {
    return {};
  }
}

function isOrigin(value: unknown): value is { id: string; messages: number } {
  if (typeof value !== "object" || value === null || !("id" in value && "messages" in value)) return false;
  return typeof value.id === "string" && typeof value.messages === "number";
}
