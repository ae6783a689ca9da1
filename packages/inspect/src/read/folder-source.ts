/** The runs of all files in a folder, such as that of `jsonlSessions` of `pi-agent/session`. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { FileSource } from "./file-source.js";
import type { Source, SourceOptions } from "./source.js";

const EXTENSION = /\.jsonl$/;
/** The newest files that are shown. */
const MAX_FILES = 1000;

export class FolderSource implements Source {
  readonly #folder: string;
  readonly #options: SourceOptions;
  /** By their names; undefined for one that is neither a session log nor a cassette. */
  readonly #files = new Map<string, { source: FileSource | undefined; changedAt: number }>();

  constructor(folder: string, options: SourceOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  /** @throws the error of the file system, if the folder cannot be read */
  async check(): Promise<void> {
    const names = (await readdir(this.#folder)).filter((name) => EXTENSION.test(name));
    const found = await Promise.all(names.map((name) => this.#date(name)));
    const files = found.filter((file) => file !== undefined);
    // The page shows the run that came last at the top.
    files.sort((one, other) => one.changedAt - other.changedAt || (one.name < other.name ? -1 : 1));
    for (const file of files.slice(-MAX_FILES)) await this.#check(file);
    for (const [name, { source }] of this.#files) {
      if (names.includes(name)) continue;
      this.#files.delete(name);
      await source?.close();
    }
  }

  async close(): Promise<void> {
    for (const { source } of this.#files.values()) await source?.close();
  }

  async #check({ name, changedAt }: { name: string; changedAt: number }): Promise<void> {
    const known = this.#files.get(name);
    // Another file in the folder must not cost a look at each change of one that is not ours.
    if (known && !known.source && known.changedAt === changedAt) return;
    const source =
      known?.source ?? new FileSource({ path: join(this.#folder, name), prefix: `${name}-` }, this.#options);
    this.#files.set(name, { source, changedAt });
    try {
      await source.check();
    } catch {
      this.#files.set(name, { source: undefined, changedAt });
      await source.close();
    }
  }

  /** A file that was deleted since the folder was read is left out. */
  async #date(name: string): Promise<{ name: string; changedAt: number } | undefined> {
    const stats = await stat(join(this.#folder, name)).catch(() => undefined);
    return stats?.isFile() ? { name, changedAt: stats.mtimeMs } : undefined;
  }
}
