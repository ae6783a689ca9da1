/** Reads one file that may grow into runs: a session log, the steps of a durable run, or a cassette. */
import { basename } from "node:path";
import { Run } from "../record/run.js";
import { CassetteReader } from "./cassette.js";
import { CassetteHistory } from "./cassette-history.js";
import { LineTail } from "./line-tail.js";
import type { ReadLine } from "./read-lines.js";
import type { LineReader, SourceFacts } from "./run-sequence.js";
import { type HistoryFacts, type ReadAgain, SequenceHistory } from "./sequence-history.js";
import { SessionReader } from "./session-log.js";
import { QUIET_MS, type Source, type SourceOptions } from "./source.js";
import { StepsReader } from "./steps-log.js";

const UNKNOWN =
  "is neither a session log nor a cassette, nor the steps of a durable run. pi-inspect --help lists what can be opened";

/** Where a file is, and how its runs are named. */
export interface FileFacts {
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
      this.#lines.push(...lines);
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
