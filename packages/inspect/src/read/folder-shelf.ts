/** Reads files into runs: session logs, steps of durable runs and cassettes, each of which may grow, and folders of them. */
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { Run } from "../record/run.js";
import { CassetteHistory, CassetteReader } from "./cassette.js";
import { LineTail, type ReadLine } from "./read-lines.js";
import {
  type HistoryFacts,
  type LineReader,
  type ReadAgain,
  SequenceHistory,
  type SourceFacts,
} from "./run-sequence.js";
import { SessionReader } from "./session-log.js";
import { QUIET_MS, type Shelf, type Source, type SourceOptions } from "./source.js";
import { StepsReader } from "./steps-log.js";

const UNKNOWN =
  "is neither a session log nor a cassette, nor the steps of a durable run. pi-inspect --help lists what can be opened";

/** Where a file is, and how its runs are named. */
interface FileFacts {
  path: string;
  /** The prefix of the ids of its runs. Default: none. */
  prefix?: string;
}

export class FileSource implements Source {
  readonly #name: string;
  readonly #prefix: string;
  readonly #options: SourceOptions;
  readonly #tail: LineTail;
  #reader: LineReader | undefined;
  /** Lines that do not say yet what the file is. */
  #lines: ReadLine[] = [];

  constructor({ path, prefix = "" }: FileFacts, options: SourceOptions) {
    this.#name = basename(path);
    this.#prefix = prefix;
    this.#options = options;
    this.#tail = new LineTail(path);
  }

  /** @throws the error of the file system, or an `Error` if the file is of no known kind */
  async check(): Promise<void> {
    const { restarted, lines, writtenAt } = await this.#tail.read();
    if (restarted) this.#clear();
    for await (const piece of lines) this.#take(piece);
    this.#reader?.rest?.();
    if (this.#options.now() - writtenAt <= QUIET_MS) return;
    const torn = this.#tail.takeTorn();
    if (torn) this.#take([torn]);
    this.#reader?.pause();
  }

  async close(): Promise<void> {
    this.#clear();
  }

  #take(lines: readonly ReadLine[]): void {
    if (lines.length === 0) return;
    if (this.#reader) for (const line of lines) this.#reader.push(line);
    else {
      // As arguments, the lines of one piece can be more than a call takes.
      for (const line of lines) this.#lines.push(line);
      const types = new Set(this.#lines.map(({ fields }) => fields["type"]));
      if (types.has("request")) this.#openCassette();
      else if (types.has("steps")) this.#openSteps();
      else if (types.has("session") || types.has("message")) this.#openSession();
      else throw new Error(`${this.#name} ${UNKNOWN}`);
    }
  }

  get #facts(): SourceFacts {
    return { source: this.#name, prefix: this.#prefix, onRun: (run) => this.#options.store.add(run) };
  }

  readonly #readAgain: ReadAgain = ({ place, number }, to) => this.#tail.readAgain(place, number, to);

  #openSession(): void {
    const history = this.#createHistory((facts, at) => new SessionReader(facts, at));
    this.#open(new SessionReader({ ...this.#facts, history }));
  }

  #openSteps(): void {
    const history = this.#createHistory((facts, checkpoint) => new StepsReader(facts, { checkpoint, reader }));
    const reader = new StepsReader({ ...this.#facts, history });
    this.#open(reader);
  }

  #createHistory(createReader: HistoryFacts["createReader"]): SequenceHistory {
    return new SequenceHistory({
      source: this.#name,
      prefix: this.#prefix,
      readAgain: this.#readAgain,
      parts: this.#options.store.parts,
      createReader,
    });
  }

  #open(session: LineReader): void {
    this.#reader = session;
    for (const line of this.#lines) session.push(line);
    this.#lines = [];
  }

  #openCassette(): void {
    const { parts } = this.#options.store;
    const facts = { id: `${this.#prefix}1`, title: `Recording ${this.#name}`, source: this.#name, model: "" };
    const marks = new CassetteHistory(facts, this.#readAgain, parts);
    const run = new Run(facts);
    run.history = marks;
    const reader = new CassetteReader(run, { marks });
    marks.orphans = reader.orphans;
    this.#options.store.add(run);
    this.#open(reader);
  }

  #clear(): void {
    for (const run of this.#reader?.runs ?? []) this.#options.store.remove(run);
    this.#reader = undefined;
    this.#lines = [];
  }
}

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
