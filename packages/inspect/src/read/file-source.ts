/** The runs of one file, which may grow: a session log, the steps of a durable run, or a cassette. */
import { basename } from "node:path";
import type { Run } from "../record/run.js";
import { readCassette } from "./cassette.js";
import { LineTail } from "./line-tail.js";
import type { ReadLine } from "./read-lines.js";
import { SessionHistory } from "./session-history.js";
import { type SessionFacts, SessionReader } from "./session-log.js";
import { QUIET_MS, type Source, type SourceOptions } from "./source.js";
import { StepsReader } from "./steps-log.js";

const UNKNOWN =
  "is neither a session log nor a cassette, nor the steps of a durable run. pi-inspect --help lists what can be opened";

/** Where a file is, and how its runs are named. */
export interface FileFacts {
  path: string;
  /** Stands in front of the ids of its runs. Default: nothing. */
  prefix?: string;
}

export class FileSource implements Source {
  readonly #name: string;
  readonly #prefix: string;
  readonly #options: SourceOptions;
  readonly #tail: LineTail;
  #session: SessionReader | StepsReader | undefined;
  /** The lines of a cassette, which is short and shown as a whole, or lines that do not say yet what the file is. */
  #lines: ReadLine[] = [];
  #cassette: Run | undefined;

  constructor({ path, prefix = "" }: FileFacts, options: SourceOptions) {
    this.#name = basename(path);
    this.#prefix = prefix;
    this.#options = options;
    this.#tail = new LineTail(path);
  }

  /** @throws the error of the file system, or an Error for a file that is neither */
  async check(): Promise<void> {
    const { restarted, lines, writtenAt } = await this.#tail.read();
    if (restarted) this.#clear();
    for await (const piece of lines) this.#take(piece);
    if (this.#options.now() - writtenAt <= QUIET_MS) return;
    const torn = this.#tail.takeTorn();
    if (torn) this.#take([torn]);
    this.#session?.pause();
  }

  async close(): Promise<void> {
    this.#clear();
  }

  #take(lines: readonly ReadLine[]): void {
    if (lines.length === 0) return;
    if (this.#session) for (const line of lines) this.#session.push(line);
    else {
      this.#lines.push(...lines);
      const types = new Set(this.#lines.map(({ fields }) => fields["type"]));
      if (types.has("request")) this.#showCassette();
      else if (types.has("steps")) this.#open(new StepsReader(this.#facts));
      else if (types.has("session") || types.has("message")) this.#openSession();
      else throw new Error(`${this.#name} ${UNKNOWN}`);
    }
  }

  get #facts(): SessionFacts {
    return { source: this.#name, prefix: this.#prefix, onRun: (run) => this.#options.store.add(run) };
  }

  #openSession(): void {
    const history = new SessionHistory({
      source: this.#name,
      prefix: this.#prefix,
      readAgain: ({ place, number }, to) => this.#tail.readAgain(place, number, to),
      parts: this.#options.store.parts,
    });
    this.#open(new SessionReader({ ...this.#facts, history }));
  }

  #open(session: SessionReader | StepsReader): void {
    this.#session = session;
    for (const line of this.#lines) session.push(line);
    this.#lines = [];
  }

  /** A new run takes the place of the last one; the page loads it again. */
  #showCassette(): void {
    const before = this.#cassette;
    const [run] = readCassette(this.#lines, this.#name, this.#prefix);
    if (!run) return;
    this.#cassette = run;
    this.#options.store.add(run);
    if (before) for (const index of run.entries.keys()) if (index >= before.entries.length - 1) run.onChange(index);
  }

  #clear(): void {
    const runs = [...(this.#session?.runs ?? []), ...(this.#cassette ? [this.#cassette] : [])];
    for (const run of runs) this.#options.store.remove(run);
    this.#session = undefined;
    this.#cassette = undefined;
    this.#lines = [];
  }
}
