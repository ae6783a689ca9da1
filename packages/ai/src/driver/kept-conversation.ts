/** The entries of each conversation that the server keeps, because they were sent and answered: the next request sends only new ones. */
import type { WireRequest } from "../transport/index.js";
import type { AssistantMessage, Message } from "../types/message.js";
import type { Model } from "../types/model.js";
import { shortHash } from "../utils/hash.js";
import { isRecord } from "../utils/is-object.js";
import { processState } from "../utils/process-state.js";
import { registerSessionResourceCleanup } from "../utils/session-resources.js";

/** How the servers of an api keep a conversation between two requests. */
export interface ThreadRow {
  /** Whether the server of the model does. One that ignores the fields would answer the new messages alone, without a word. */
  isKept(model: Model, options: object): boolean;
  /** The field of the body with the conversation. */
  field: "messages" | "input";
  /** Whether an entry of that field is part of an answer. */
  isAnswer(entry: unknown): boolean;
  /** Whether the server keeps this answer. */
  isStored(message: AssistantMessage): boolean;
  /** Milliseconds after which the server forgets a conversation. */
  lifetimeMs: number;
  /** Fields that the server takes from its own copy: a request that goes on leaves them out. */
  kept: readonly string[];
  /** Fields that may differ between two requests of a conversation. Each other one must be equal, and so must this header. */
  free: readonly string[];
  header: string;
  /** A field at any depth that says nothing about the content, and moves from request to request. */
  mark: string;
  /** The first request of a conversation that the server is to keep. */
  create(whole: WireRequest, body: Fields): WireRequest;
  /** A request that goes on after the answer with this id. */
  resume(next: WireRequest, body: Fields, answerId: string): WireRequest;
  /** The server's code for a refusal of a thread: whether the same request helps in another thread, or only without one. */
  codes: Readonly<Record<string, "again" | "without">>;
  /** Reads that code; undefined if the refusal is about something else. */
  codeOf(error: unknown): string | undefined;
}

export type Fields = Record<string, unknown>;

/** The entries that the server keeps under the id of an answer. */
interface Kept {
  session: string;
  answerId: string;
  /** Names the content of the answer. */
  answer: string;
  /** Names the settings and the entries before the answer. */
  before: string;
  /** How many entries that were. */
  count: number;
  /** Whether the answer goes on when nothing new is sent. */
  isPaused: boolean;
  /** By the monotonic clock, in milliseconds. */
  ends: number;
}

/** Sessions that are remembered; the oldest is dropped first, and its next request is sent whole. */
const MAX_SESSIONS = 1000;

const conversations = /* @__PURE__ */ processState("kept conversations", () => new Map<string, Kept | Refused>());

/** A session of a model whose server does not keep its requests. */
interface Refused {
  session: string;
  refused: true;
}

registerSessionResourceCleanup((session) => {
  for (const [key, known] of conversations)
    if (session === undefined || known.session === session) conversations.delete(key);
});

/** The conversation of a session with a model. */
export class KeptConversation {
  readonly #row: ThreadRow;
  readonly #session: string;
  readonly #key: string;

  constructor(row: ThreadRow, session: string, { provider, id }: Model) {
    this.#row = row;
    this.#session = session;
    this.#key = JSON.stringify([session, provider, id]);
  }

  /** Whether the server has refused to keep requests of this session. */
  get isRefused(): boolean {
    const known = conversations.get(this.#key);
    return known !== undefined && "refused" in known;
  }

  /**
   * Takes what the server keeps, because each answer can be continued once. Returns the entries that it does not have yet;
   * undefined if the request does not continue the answer, or changes what came before.
   */
  take(whole: WireRequest, messages: readonly Message[]): { answerId: string; entries: unknown[] } | undefined {
    const known = conversations.get(this.#key);
    if (!known || "refused" in known) return undefined;
    conversations.delete(this.#key);
    const entries = entriesOf(this.#row, whole);
    if (performance.now() >= known.ends || entries.length <= known.count) return undefined;
    if (!messages.some((message) => isAnswer(message, known))) return undefined;
    if (digestOf(this.#row, whole, known.count) !== known.before) return undefined;
    const fresh = entries.slice(known.count);
    const end = fresh.findIndex((entry) => !this.#row.isAnswer(entry));
    const rest = end < 0 ? [] : fresh.slice(end);
    // Answers of others stand between: the server is not known to take them.
    if (end === 0 || rest.some((entry) => this.#row.isAnswer(entry))) return undefined;
    return rest.length > 0 || known.isPaused ? { answerId: known.answerId, entries: rest } : undefined;
  }

  /** Remembers an answer and what it was given for. */
  keep(whole: WireRequest, message: AssistantMessage): void {
    const { responseId, stopReason, content } = message;
    if (!responseId || !CONTINUED.has(stopReason) || !this.#row.isStored(message)) return;
    const count = entriesOf(this.#row, whole).length;
    this.#put({
      session: this.#session,
      answerId: responseId,
      answer: nameOf(JSON.stringify(content)),
      before: digestOf(this.#row, whole, count),
      count,
      isPaused: stopReason === "pause",
      ends: performance.now() + this.#row.lifetimeMs,
    });
  }

  /** Sends the rest of the session without threads. */
  refuse(): void {
    this.#put({ session: this.#session, refused: true });
  }

  #put(known: Kept | Refused): void {
    conversations.delete(this.#key);
    const [oldest] = conversations.keys();
    if (oldest !== undefined && conversations.size >= MAX_SESSIONS) conversations.delete(oldest);
    conversations.set(this.#key, known);
  }
}

/** Answers that the next request goes on from as they are. One that was cut off would be sent back without its end. */
const CONTINUED: ReadonlySet<string> = new Set(["stop", "toolUse", "pause"]);

function isAnswer(message: Message, { answerId, answer }: Kept): boolean {
  return (
    message.role === "assistant" &&
    message.responseId === answerId &&
    nameOf(JSON.stringify(message.content)) === answer
  );
}

function entriesOf({ field }: ThreadRow, { body }: WireRequest): unknown[] {
  const entries = isRecord(body) ? body[field] : undefined;
  return Array.isArray(entries) ? entries : [];
}

/** Names the address, the settings and the first entries of a request. */
function digestOf(row: ThreadRow, whole: WireRequest, count: number): string {
  const { body, baseUrl, headers } = whole;
  const free = new Set([...row.free, row.field]);
  const settings = Object.entries(Object(body)).filter(([name]) => !free.has(name));
  const before = [baseUrl, headers[row.header], settings, entriesOf(row, whole).slice(0, count)];
  const text = JSON.stringify(before, (name, value: unknown) => (name === row.mark ? undefined : value));
  return nameOf(text);
}

/** A session continues its own conversations only, so nothing is won by a collision. */
function nameOf(text: string): string {
  return `${text.length} ${shortHash(text)}`;
}
