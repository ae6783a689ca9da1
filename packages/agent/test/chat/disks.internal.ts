/** Three kinds of session store for the model test: what a process has written before it dies is what the next one finds. */
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { jsonlSessions, SessionLogError, type SessionStore } from "pi-agent/session";
import { type SqliteDatabase, sqliteSessions } from "pi-agent/session/sqlite";
import type { Random } from "../../../../test/support/random.js";
import { LineQueue } from "../../src/stores/session/open-session.js";
import { parseEntries } from "../../src/stores/session/session-lines.js";
import { createSessionStore, type SessionBackend } from "../../src/stores/session/session-store.js";

/** Where the sessions of one sequence are, through any number of processes. */
export interface Disk {
  /**
   * Boots another process.
   *
   * @param interrupt called between two lines, if the disk writes them one after the other: the process may die there
   */
  boot(interrupt: () => void): BootedStore;
  /** Whether a process may die while another one uses the disk. */
  readonly canDieAlone: boolean;
  /** Whether a write may fail, and succeed when it is tried again. */
  readonly isFlaky: boolean;
  /** Whether the store of a process that lives on can be taken from it. */
  readonly canTakeOver: boolean;
  close(): void;
}

/** The store of one process. */
export interface BootedStore {
  store: SessionStore;
  /** The process dies: it writes nothing more. What it has written stays. */
  kill(): void;
}

/** Kinds of disk, by their names. */
export type Disks = Readonly<Record<string, (random: Random) => Disk>>;

export const DISKS: Disks = {
  memory: (random) => new MemoryDisk(random),
  files: () => new FileDisk(),
  SQLite: () => new SqliteDisk(),
};

/** A promise of a process that has died. */
export const never = <TValue>(): Promise<TValue> => new Promise<TValue>(() => {});

interface Row {
  lines: string[];
  owner: MemoryProcess | undefined;
}

interface MemoryProcess {
  isDead: boolean;
  readonly interrupt: () => void;
}

/** Lines in memory. Each line takes a while, some fail, and a process may die between two lines. */
class MemoryDisk implements Disk {
  readonly isFlaky: boolean;
  readonly canTakeOver = true;
  readonly #random: Random;
  readonly #rows = new Map<string, Row>();
  readonly #slowness: number;
  readonly canDieAlone = true;

  constructor(random: Random) {
    this.#random = random;
    this.isFlaky = random.chance(0.15);
    this.#slowness = random.pick([0, 0, 2, 8]);
  }

  boot(interrupt: () => void): BootedStore {
    const process: MemoryProcess = { isDead: false, interrupt };
    const kill = (): void => {
      process.isDead = true;
      for (const row of this.#rows.values()) if (row.owner === process) row.owner = undefined;
    };
    return { store: createSessionStore(this.#backendOf(process)), kill };
  }

  close(): void {}

  #backendOf(process: MemoryProcess): SessionBackend {
    return {
      open: async (id, { takeOver, loss }) => {
        const row = this.#rows.get(id) ?? { lines: [], owner: undefined };
        if (row.owner && !takeOver) throw new SessionLogError(`The session ${id} is in use by another request`);
        this.#rows.set(id, row);
        row.owner = process;
        const queue = new LineQueue((lines, progress) => this.#write(row, lines, { progress, process }), loss);
        return {
          loss,
          isNew: row.lines.length === 0,
          read: async () => parseEntries(row.lines),
          append: (lines) => queue.append(lines),
          flush: () => queue.flush(),
          release: async () => {
            if (row.owner === process) row.owner = undefined;
          },
        };
      },
      read: async (id) => {
        const row = this.#rows.get(id);
        return row && parseEntries(row.lines);
      },
      list: async () => [],
      create: async (id, lines) => {
        if (this.#rows.has(id)) return false;
        this.#rows.set(id, { lines: lines.slice(), owner: undefined });
        return true;
      },
      delete: async (id) => void this.#rows.delete(id),
      close: async () => {},
    };
  }

  async #write(
    row: Row,
    lines: readonly string[],
    { progress, process }: { progress: { written: number }; process: MemoryProcess },
  ): Promise<void> {
    for (const line of lines) {
      for (let ticks = this.#slowness; ticks > 0; ticks--) await undefined;
      if (!process.isDead) process.interrupt();
      if (process.isDead) return never();
      if (row.owner !== process) throw new SessionLogError("Another writer has taken the session over");
      if (this.isFlaky && this.#random.chance(0.1)) throw new Error("The disk is full");
      row.lines.push(line);
      progress.written++;
    }
  }
}

/** A folder for each process, which begins as the folder of the one before was when that one died. */
class FileDisk implements Disk {
  readonly isFlaky = false;
  readonly canDieAlone = false;
  readonly canTakeOver = false;
  readonly #root = mkdtempSync(join(tmpdir(), "chat-"));
  #count = 0;

  boot(): BootedStore {
    return { store: jsonlSessions(this.#folder), kill: () => this.#leave() };
  }

  #leave(): void {
    const from = this.#folder;
    this.#count++;
    try {
      for (const name of readdirSync(from))
        if (name.endsWith(".jsonl")) cpSync(join(from, name), join(this.#folder, name), { recursive: true });
    } catch {
      // The process died before it had a folder.
    }
  }

  close(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }

  get #folder(): string {
    return join(this.#root, String(this.#count));
  }
}

/** A database in memory. Its driver does nothing for a process that has died. */
class SqliteDisk implements Disk {
  readonly isFlaky = false;
  readonly canTakeOver = true;
  readonly canDieAlone = true;
  readonly #database = new DatabaseSync(":memory:");

  boot(): BootedStore {
    const process = { isDead: false };
    const assertAlive = (): void => {
      if (process.isDead) throw new Error("The process has died");
    };
    const driver: SqliteDatabase = {
      exec: (sql) => {
        assertAlive();
        return this.#database.exec(sql);
      },
      prepare: (sql) => {
        assertAlive();
        // The statements of Node take what those of the interface take.
        return this.#database.prepare(sql) as ReturnType<SqliteDatabase["prepare"]>;
      },
      close: () => {},
    };
    const kill = (): void => {
      process.isDead = true;
    };
    return { store: sqliteSessions(driver), kill };
  }

  close(): void {
    this.#database.close();
  }
}
