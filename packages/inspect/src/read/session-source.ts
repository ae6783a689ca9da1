/** The runs of the sessions in a database. */
import { type ReadLine, readLine } from "./read-lines.js";
import { SessionHistory } from "./session-history.js";
import { SessionReader } from "./session-log.js";
import { QUIET_MS, type Source, type SourceOptions } from "./source.js";

/** A session in a database. */
export interface StoredSession {
  id: string;
  /** The number of its entries. */
  size: number;
  /** Unix time in milliseconds. */
  updatedAt: number;
}

/** A database with sessions. */
export interface SessionDatabase {
  /** Its name for people. */
  readonly name: string;
  /** The sessions that were written last, the last one first. */
  list(limit: number): Promise<StoredSession[]>;
  /** The entries of a session after a position, in order: at most as many as the limit. */
  read(id: string, after: number, limit: number): Promise<{ position: number; entry: string }[]>;
  close(): Promise<void>;
}

const MAX_SESSIONS = 1000;
/** Entries of one query. */
const BATCH = 500;

export class SessionSource implements Source {
  readonly #database: SessionDatabase;
  readonly #options: SourceOptions;
  readonly #sessions = new Map<string, { reader: SessionReader; position: number }>();

  constructor(database: SessionDatabase, options: SourceOptions) {
    this.#database = database;
    this.#options = options;
  }

  /** @throws the error of the database */
  async check(): Promise<void> {
    const stored = await this.#database.list(MAX_SESSIONS);
    // The page shows the run that came last at the top.
    for (const session of stored.reverse()) await this.#read(session);
    if (stored.length === MAX_SESSIONS) return;
    const ids = new Set(stored.map(({ id }) => id));
    for (const id of this.#sessions.keys()) if (!ids.has(id)) this.#drop(id);
  }

  async close(): Promise<void> {
    for (const id of [...this.#sessions.keys()]) this.#drop(id);
    await this.#database.close();
  }

  async #read({ id, size, updatedAt }: StoredSession): Promise<void> {
    const known = this.#sessions.get(id);
    // Another session with the same name has taken its place.
    if (known && size < known.position) this.#drop(id);
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

  #createReader(id: string): SessionReader {
    const { store } = this.#options;
    const [source, prefix] = [`${this.#database.name} ${id}`, `${id}-`];
    const history = new SessionHistory({
      source,
      prefix,
      readAgain: ({ place }, to) => this.#lines(id, place - 1, to ?? (this.#sessions.get(id)?.position ?? 0) + 1),
      parts: store.parts,
    });
    return new SessionReader({ source, prefix, onRun: (run) => store.add(run), history });
  }

  /** The entries after a position and before another one; by default up to the last. */
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

  #drop(id: string): void {
    for (const run of this.#sessions.get(id)?.reader.runs ?? []) this.#options.store.remove(run);
    this.#sessions.delete(id);
  }
}
