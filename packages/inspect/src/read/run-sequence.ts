/**
 * The runs of a source, one after another, over one conversation. During the first read, checkpoints record where a part can be
 * read again.
 */
import { Conversation } from "../record/conversation.js";
import type { Outcome } from "../record/entry.js";
import { type Fields, fieldsOf } from "../record/fields.js";
import { SHOWN_MESSAGES } from "../record/prompt-sections.js";
import { Run, type RunHistory, type RunPart } from "../record/run.js";
import type { PartCache } from "../record/run-store.js";
import { outcomeOf } from "../record/sections.js";
import { copyScriptedTest } from "./copy-scripted-test.js";
import type { ReadLine } from "./read-lines.js";

/** What a reader must know to begin at a line in the middle of a source. */
export interface Checkpoint {
  /** Of the line. */
  place: number;
  number: number;
  /** When the line began, if it is dated. */
  startsAt: number | undefined;
  /** The number of runs before the one that is under way or that the line begins. */
  run: number;
  /** How many entries of this run come before; undefined if the line begins the run. */
  entry: number | undefined;
  /** How often the conversation was started over. */
  epoch: number;
  /** The number of messages, and that of the prompt of the last request. */
  messages: number;
  prompt: number | undefined;
  turn: number;
  /** In the file of a durable run: the process that did the step before. */
  process: number;
}

/** Places from which a source can be read again. */
export interface RunMarks {
  /** Whether a checkpoint is due at an entry of the run that is under way. */
  isDue(entry: number): boolean;
  add(checkpoint: Checkpoint): void;
  /** The history of the run with this many runs before it. */
  of(run: number): RunHistory;
}

/** Where the lines come from. */
export interface SourceFacts {
  source: string;
  /** Stands in front of the ids of its runs. */
  prefix: string;
  /** Receives each run when it begins. */
  onRun: (run: Run) => void;
  /** Reads the source again. Without it, the runs are kept as a whole. */
  history?: RunMarks;
}

/** Takes the lines of a source one by one, as they are read or written. */
export interface LineReader {
  /** In the order of the source. */
  readonly runs: readonly Run[];
  push(line: ReadLine): void;
  /** All lines so far have been pushed. */
  rest?(): void;
  /** Nothing comes for now. */
  pause(): void;
}

export class RunSequence {
  readonly conversation: Conversation = new Conversation();
  /** In the order of the source. */
  readonly runs: Run[] = [];
  /** The last message, by which a run ends. */
  last: Fields = {};
  readonly #facts: SourceFacts;
  #run: Run | undefined;
  /** A run without an end that seemed to have been left, or to be complete. */
  #paused: Run | undefined;
  /** How many runs came before the first of this sequence. */
  readonly #before: number;
  #epoch = 0;

  /** @param at where it begins; by default at the beginning */
  constructor(facts: SourceFacts, at?: Checkpoint) {
    this.#facts = facts;
    this.#before = at?.run ?? 0;
    if (!at) return;
    this.conversation.skip(at.messages, at.prompt);
    if (at.entry !== undefined) this.begin(undefined, at.turn);
  }

  /** The run that is under way. */
  get run(): Run | undefined {
    return this.#run;
  }

  /** Begins a run, which ends one that is under way. */
  begin(startedAt: number | undefined, turn?: number): void {
    this.end(startedAt);
    const { source, prefix, onRun, history } = this.#facts;
    const number = this.#before + this.runs.length;
    const run = new Run({ id: `${prefix}${number + 1}`, title: "", source, model: "", startedAt });
    run.history = history?.of(number);
    this.#run = run;
    this.#paused = undefined;
    this.last = {};
    this.conversation.beginRun(run, turn);
    this.runs.push(run);
    onRun(run);
  }

  end(endedAt: number | undefined, outcome: Outcome = outcomeOf(this.last)): void {
    const run = this.#run;
    if (!run) return;
    const { ownMessages } = this.conversation;
    run.copyTest = () => copyScriptedTest(ownMessages());
    run.finish(outcome, endedAt);
    this.#run = undefined;
  }

  /** Ends the run in such a way that {@link resume} goes on with it. */
  pause(endedAt: number | undefined, outcome: Outcome): void {
    const run = this.#run;
    this.end(endedAt, outcome);
    this.#paused = run ?? this.#paused;
  }

  /** Goes on with a run that was paused. */
  resume(): void {
    const run = this.#paused;
    if (!run) return;
    this.#paused = undefined;
    run.resume();
    this.#run = run;
  }

  startOver(): void {
    this.#epoch++;
    this.conversation.replace([]);
  }

  add(message: unknown, endedAt?: number): void {
    this.conversation.add(message, endedAt);
    this.last = fieldsOf(message);
  }

  note(text: string): void {
    if (!this.#run) this.begin(undefined);
    this.conversation.note(text);
  }

  /** The line that was taken last is that long. */
  weigh({ size = 0 }: ReadLine): void {
    const run = this.#run ?? this.#paused;
    run?.weigh(run.entries.length - 1, size);
  }

  /** Notes that the source can be read again from a line, if the line begins a run or a part of one. */
  mark({ place, number }: ReadLine, at: { begins: boolean; startsAt: number | undefined; process: number }): void {
    const { history } = this.#facts;
    if (!history || place === undefined) return;
    const { begins, startsAt, process } = at;
    const entry = begins ? undefined : this.#run?.entries.length;
    if (!begins && (entry === undefined || !history.isDue(entry))) return;
    const { messages, promptLength, turn } = this.conversation;
    // A run that the line begins follows one that is under way, too.
    const run = this.#before + this.runs.length - (begins ? 0 : 1);
    const count = { messages: messages.length, prompt: promptLength, turn };
    history.add({ place, number, startsAt, run, entry, epoch: this.#epoch, process, ...count });
  }
}

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
