/** Reads parts of a sequence of runs again. During the first read, checkpoints record where a later one can begin. */
import type { PartCache } from "../record/part-cache.js";
import { SHOWN_MESSAGES } from "../record/prompt.js";
import type { Run, RunHistory, RunPart } from "../record/run.js";
import type { ReadLine } from "./read-lines.js";
import type { Checkpoint, LineReader, RunMarks, RunSequence, SourceFacts } from "./run-sequence.js";

/** The number of entries between two checkpoints. */
const PART_ENTRIES = 200;

/** Yields the lines from a checkpoint up to, but not including, another place; by default up to the last line read. */
export type ReadAgain = (from: Pick<Checkpoint, "place" | "number">, to?: number) => AsyncIterable<ReadLine>;

/** Reads a part of a source. */
export interface PartReader extends LineReader {
  readonly sequence: RunSequence;
}

export interface HistoryFacts {
  source: string;
  prefix: string;
  readAgain: ReadAgain;
  parts: PartCache;
  createReader: (facts: SourceFacts, at: Checkpoint) => PartReader;
}

export class SequenceHistory implements RunMarks {
  readonly #facts: HistoryFacts;
  readonly #checkpoints: Checkpoint[] = [];

  constructor(facts: HistoryFacts) {
    this.#facts = facts;
  }

  isDue(entry: number): boolean {
    return entry - (this.#checkpoints.at(-1)?.entry ?? 0) >= PART_ENTRIES;
  }

  add(checkpoint: Checkpoint): void {
    this.#checkpoints.push(checkpoint);
  }

  of(run: number): RunHistory {
    return { partAt: (index) => this.#partAt(run, index), whole: () => this.#whole(run) };
  }

  async #partAt(run: number, index: number): Promise<RunPart> {
    const found = this.#checkpoints.findLastIndex(
      (one) => one.run < run || (one.run === run && (one.entry ?? 0) <= index),
    );
    const [own, end] = [this.#checkpoints[found], this.#checkpoints[found + 1]];
    if (!own) throw new Error("The source has changed");
    const load = () => this.#read(this.#checkpoints[this.#startOf(found, SHOWN_MESSAGES)] ?? own, run, end);
    // The last part is not cached, because it may grow.
    if (!end) return (await load()).part;
    return this.#facts.parts.get(own, load);
  }

  async #whole(run: number): Promise<Run> {
    const found = this.#checkpoints.findIndex((one) => one.run === run);
    const start = this.#checkpoints[this.#startOf(found, Number.POSITIVE_INFINITY)];
    if (!start) throw new Error("The source has changed");
    const end = this.#checkpoints.find((one) => one.run > run);
    return (await this.#read(start, run, end)).part.run;
  }

  /**
   * The last checkpoint that is at least this many messages before another one, or the first one of the conversation.
   */
  #startOf(index: number, messages: number): number {
    const own = this.#checkpoints[index];
    let start = index;
    while (own && start > 0) {
      const [here, before] = [this.#checkpoints[start], this.#checkpoints[start - 1]];
      if (!here || before?.epoch !== own.epoch || own.messages - here.messages >= messages) break;
      start--;
    }
    return start;
  }

  async #read(start: Checkpoint, run: number, end: Checkpoint | undefined): Promise<{ part: RunPart; size: number }> {
    const { source, prefix, readAgain, createReader } = this.#facts;
    const reader = createReader({ source, prefix, onRun: () => {} }, start);
    let size = 0;
    for await (const line of readAgain(start, end?.place)) {
      size += line.size ?? 0;
      reader.push(line);
    }
    if (end?.startsAt !== undefined) reader.sequence.conversation.dateResponse(end.startsAt);
    // The next run began, which ends one that is under way.
    if (end && end.entry === undefined) reader.sequence.end(end.startsAt);
    else reader.pause();
    const found = reader.runs[run - start.run];
    if (!found) throw new Error("The source has changed");
    return { part: { run: found, from: start.run === run ? (start.entry ?? 0) : 0 }, size };
  }
}
