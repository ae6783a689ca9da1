/** Opens what the command names: a file, a folder, or a database. */
import { open, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { FileSource } from "./file-source.js";
import { FolderSource } from "./folder-source.js";
import { openPostgresDatabase, type PostgresOptions } from "./postgres-database.js";
import { SessionSource } from "./session-source.js";
import type { Source, SourceOptions } from "./source.js";
import { openSqliteDatabase } from "./sqlite-database.js";

const SQLITE = "SQLite format 3\0";

/** A source that has been read, and the folder whose changes say that it may have grown. */
export interface OpenedSource {
  source: Source;
  folder: string | undefined;
}

/**
 * Reads a place into the store.
 *
 * @throws Error when it cannot be read, or holds nothing that the inspector knows
 */
export async function openSource(
  place: string,
  options: SourceOptions,
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

async function createSource(place: string, options: SourceOptions, postgres: PostgresOptions): Promise<OpenedSource> {
  if (/^postgres(?:ql)?:\/\//.test(place))
    return { source: new SessionSource(await openPostgresDatabase(place, postgres), options), folder: undefined };
  const stats = await stat(place).catch(() => {
    throw new Error(`There is no file or folder ${basename(place)}`);
  });
  if (stats.isDirectory()) return { source: new FolderSource(place, options), folder: place };
  const folder = dirname(place);
  if (await isSqlite(place)) return { source: new SessionSource(openSqliteDatabase(place), options), folder };
  return { source: new FileSource({ path: place }, options), folder };
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
