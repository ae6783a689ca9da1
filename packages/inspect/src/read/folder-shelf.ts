/** Reads the files of a folder into runs, such as that of `jsonlSessions` of `pi-agent/session`. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { FileSource } from "./file-source.js";
import type { Shelf } from "./shelf-source.js";
import type { SourceOptions } from "./source.js";

const EXTENSION = /\.jsonl$/;

/** A file in the folder. */
interface FileItem {
  /** The name of the file. */
  id: string;
  changedAt: number;
}

export class FolderShelf implements Shelf<FileItem> {
  readonly #folder: string;
  readonly #options: SourceOptions;
  /** The files by their names. The source is undefined for a file that could not be read. */
  readonly #files = new Map<string, { source: FileSource | undefined; changedAt: number }>();

  constructor(folder: string, options: SourceOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  /** @throws the error of the file system, if the folder cannot be read */
  async list(limit: number): Promise<{ items: FileItem[]; isGone: (id: string) => boolean }> {
    const names = new Set(await this.#names());
    const items = await this.#date([...names]);
    return { items: items.slice(0, limit), isGone: (name) => !names.has(name) };
  }

  async find(text: string, limit: number): Promise<FileItem[]> {
    const found = (await this.#names()).filter((name) => name.includes(text));
    const items = await this.#date(found);
    const isExact = ({ id }: FileItem): number => Number(id === text);
    return items.sort((one, other) => isExact(other) - isExact(one)).slice(0, limit);
  }

  async count(): Promise<number> {
    return (await this.#names()).length;
  }

  async read({ id, changedAt }: FileItem): Promise<void> {
    const known = this.#files.get(id);
    // A file that could not be read is tried again only after it has changed.
    if (known && !known.source && known.changedAt === changedAt) return;
    const source = known?.source ?? new FileSource({ path: join(this.#folder, id), prefix: `${id}-` }, this.#options);
    this.#files.set(id, { source, changedAt });
    try {
      await source.check();
    } catch {
      this.#files.set(id, { source: undefined, changedAt });
      await source.close();
    }
  }

  async drop(id: string): Promise<void> {
    await this.#files.get(id)?.source?.close();
    this.#files.delete(id);
  }

  async close(): Promise<void> {
    for (const id of [...this.#files.keys()]) await this.drop(id);
  }

  async #names(): Promise<string[]> {
    return (await readdir(this.#folder)).filter((name) => EXTENSION.test(name));
  }

  /** Sorts files, the newest first. Leaves out folders, and files that were deleted since the folder was read. */
  async #date(names: readonly string[]): Promise<FileItem[]> {
    const dated = await Promise.all(
      names.map(async (id): Promise<FileItem[]> => {
        const stats = await stat(join(this.#folder, id)).catch(() => undefined);
        return stats?.isFile() ? [{ id, changedAt: stats.mtimeMs }] : [];
      }),
    );
    return dated.flat().sort((one, other) => other.changedAt - one.changedAt || (one.id < other.id ? 1 : -1));
  }
}
