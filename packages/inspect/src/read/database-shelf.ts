/** Reads the sessions of a database into runs. */
import { type ReadLine, readLine } from "./read-lines.js";
import { SequenceHistory } from "./run-sequence.js";
import { SessionReader } from "./session-log.js";
import { QUIET_MS, type Shelf, type SourceOptions } from "./source.js";

/** A session in a database. */
export interface StoredSession {
  id: string;
  /** The number of entries of the session. */
  size: number;
  /** Unix time in milliseconds. */
  updatedAt: number;
}

/** A database with sessions. */
export interface SessionDatabase {
  /** The name that the page shows. */
  readonly name: string;
  /** The sessions that were written most recently, the latest first. */
  list(limit: number): Promise<StoredSession[]>;
  /** The sessions whose ids contain a text. One whose id equals it comes first. */
  find(text: string, limit: number): Promise<StoredSession[]>;
  /** The number of sessions. */
  count(): Promise<number>;
  /** The first entries of a session after a position, in order. */
  read(id: string, after: number, limit: number): Promise<{ position: number; entry: string }[]>;
  close(): Promise<void>;
}

/** The most entries of one query. */
const BATCH = 500;

export class DatabaseShelf implements Shelf<StoredSession> {
  readonly #database: SessionDatabase;
  readonly #options: SourceOptions;
  readonly #sessions = new Map<string, { reader: SessionReader; position: number }>();

  constructor(database: SessionDatabase, options: SourceOptions) {
    this.#database = database;
    this.#options = options;
  }

  async list(limit: number): Promise<{ items: StoredSession[]; isGone: (id: string) => boolean }> {
    const items = await this.#database.list(limit);
    const ids = new Set(items.map(({ id }) => id));
    // If the list is as long as its limit, a session that is not in it may just be older.
    return { items, isGone: (id) => items.length < limit && !ids.has(id) };
  }

  find(text: string, limit: number): Promise<StoredSession[]> {
    return this.#database.find(text, limit);
  }

  count(): Promise<number> {
    return this.#database.count();
  }

  async read({ id, size, updatedAt }: StoredSession): Promise<void> {
    const known = this.#sessions.get(id);
    // The session was deleted, and a new one with the same name was created.
    if (known && size < known.position) await this.drop(id);
    const session = this.#sessions.get(id) ?? { reader: this.#createReader(id), position: 0 };
    this.#sessions.set(id, session);
    if (size > session.position) {
      for await (const line of this.#lines(id, session.position)) {
        session.position = line.place;
        session.reader.push(line);
      }
    }
    if (this.#options.now() - updatedAt > QUIET_MS) session.reader.pause();
  }

  async drop(id: string): Promise<void> {
    for (const run of this.#sessions.get(id)?.reader.runs ?? []) this.#options.store.remove(run);
    this.#sessions.delete(id);
  }

  async close(): Promise<void> {
    for (const id of [...this.#sessions.keys()]) await this.drop(id);
    await this.#database.close();
  }

  #createReader(id: string): SessionReader {
    const { store } = this.#options;
    const [source, prefix] = [`${this.#database.name} ${id}`, `${id}-`];
    const history = new SequenceHistory({
      source,
      prefix,
      readAgain: ({ place }, to) => this.#lines(id, place - 1, to ?? (this.#sessions.get(id)?.position ?? 0) + 1),
      parts: store.parts,
      createReader: (facts, at) => new SessionReader(facts, at),
    });
    return new SessionReader({ source, prefix, onRun: (run) => store.add(run), history });
  }

  /** The entries after a position and before another one, by default up to the last entry. */
  async *#lines(
    id: string,
    after: number,
    before: number = Number.POSITIVE_INFINITY,
  ): AsyncGenerator<ReadLine & { place: number }> {
    for (let last = after; ; ) {
      const rows = await this.#database.read(id, last, BATCH);
      for (const { position, entry } of rows) {
        last = position;
        if (position >= before) return;
        yield { ...readLine(entry, position), place: position, size: entry.length };
      }
      if (rows.length < BATCH) return;
    }
  }
}
