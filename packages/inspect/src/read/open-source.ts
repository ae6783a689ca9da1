/** Opens the place that the command names: a file, a folder, or a database. */
import { open, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { RunStore } from "../record/run-store.js";
import { DatabaseShelf, type SessionDatabase } from "./database-shelf.js";
import { openPostgresDatabase, openSqliteDatabase, type PostgresOptions } from "./databases.js";
import { FileSource, FolderShelf } from "./folder-shelf.js";
import { ShelfSource, type Source } from "./source.js";

const SQLITE = "SQLite format 3\0";

/** Added to the error for addresses of other schemes. */
const CLOSED =
  "Stores of events (pi-agent/event-store) and the journals of Restate and DBOS cannot be opened. Sessions (pi-agent/session) can";

/** A source that has been read, and the folder to watch for changes; undefined if there is none. */
export interface OpenedSource {
  source: Source;
  folder: string | undefined;
}

/** How a place is read. */
export interface OpenOptions {
  store: RunStore;
  /** Unix time in milliseconds. */
  now: () => number;
  /** How many sessions of a folder or a database are shown at first. Default 1,000. */
  sessions?: number | undefined;
}

/**
 * Reads a place into the store.
 *
 * @throws an error if the place cannot be read, or contains nothing that the inspector can show
 */
export async function openSource(
  place: string,
  options: OpenOptions,
  postgres: PostgresOptions = {},
): Promise<OpenedSource> {
  const opened = await createSource(place, options, postgres);
  try {
    await opened.source.check();
    return opened;
  } catch (error) {
    await opened.source.close();
    throw error;
  }
}

async function createSource(place: string, options: OpenOptions, postgres: PostgresOptions): Promise<OpenedSource> {
  const { store, now, sessions } = options;
  const openDatabase = (database: SessionDatabase): Source =>
    new ShelfSource((sink) => new DatabaseShelf(database, { store: sink, now }), store, sessions);
  if (/^postgres(?:ql)?:\/\//.test(place))
    return { source: openDatabase(await openPostgresDatabase(place, postgres)), folder: undefined };
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(place)?.[1];
  if (scheme !== undefined)
    throw new Error(`pi-inspect opens files, folders and postgres:// addresses, not ${scheme}://. ${CLOSED}`);
  const stats = await stat(place).catch(() => {
    throw new Error(`There is no file or folder ${basename(place)}`);
  });
  if (stats.isDirectory()) {
    const source = new ShelfSource((sink) => new FolderShelf(place, { store: sink, now }), store, sessions);
    return { source, folder: place };
  }
  const folder = dirname(place);
  if (await isSqlite(place)) return { source: openDatabase(openSqliteDatabase(place)), folder };
  return { source: new FileSource({ path: place }, { store, now }), folder };
}

async function isSqlite(path: string): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SQLITE.length), 0, SQLITE.length, 0);
    return buffer.toString("latin1", 0, bytesRead) === SQLITE;
  } finally {
    await file.close();
  }
}
