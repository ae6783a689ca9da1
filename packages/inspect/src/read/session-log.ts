/** The runs of a session log, as `pi-agent/session` writes it. */
import { Conversation } from "../record/conversation.js";
import type { Outcome } from "../record/entry.js";
import { type Fields, fieldsOf, numberOf, textOf } from "../record/fields.js";
import { outcomeOf } from "../record/message-sections.js";
import { Run, type RunHistory } from "../record/run.js";
import { copyScriptedTest } from "./copy-scripted-test.js";
import type { ReadLine } from "./read-lines.js";

const TYPES: ReadonlySet<unknown> = new Set(["session", "run_start", "message", "note", "run_end", "reset"]);

/** Messages outside a run, which an application has put in, are shown as a run of their own. */
export function readSessionLog(lines: readonly ReadLine[], source: string): Run[] {
  const runs: Run[] = [];
  const reader = new SessionReader({ source, prefix: "", onRun: (run) => runs.push(run) });
  for (const line of lines) reader.push(line);
  reader.pause();
  return runs;
}

/** What a reader must know to begin at a line in the middle of a session. */
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
}

/** Places from which a session can be read again. */
export interface SessionMarks {
  /** Whether a checkpoint is due at an entry of the run that is under way. */
  isDue(entry: number): boolean;
  add(checkpoint: Checkpoint): void;
  /** The history of the run with this many runs before it. */
  of(run: number): RunHistory;
}

/** Where the lines of a session come from. */
export interface SessionFacts {
  source: string;
  /** Stands in front of the ids of its runs. */
  prefix: string;
  /** Receives each run when it begins. */
  onRun: (run: Run) => void;
  /** Reads the session again. Without it, the runs are kept as a whole. */
  history?: SessionMarks;
}

/** Takes the lines of a session one by one, as they are read or written. */
export class SessionReader {
  readonly #facts: SessionFacts;
  readonly #runs: Run[] = [];
  readonly #conversation = new Conversation();
  #run: Run | undefined;
  /** A run without an end that seemed to have been left. */
  #paused: Run | undefined;
  #last: Fields = {};
  /** How many runs came before the first of this reader. */
  readonly #before: number;
  #epoch = 0;

  /** @param at where it begins; by default at the beginning */
  constructor(facts: SessionFacts, at?: Checkpoint) {
    this.#facts = facts;
    this.#before = at?.run ?? 0;
    if (!at) return;
    this.#conversation.skip(at.messages, at.prompt);
    if (at.entry !== undefined) this.#begin(undefined, at.turn);
  }

  /** In the order of the log. */
  get runs(): readonly Run[] {
    return this.#runs;
  }

  push(line: ReadLine): void {
    if (this.#paused) this.#resume(this.#paused);
    this.#mark(line);
    const { fields, problem, size = 0 } = line;
    if (problem !== undefined || !TYPES.has(fields["type"])) {
      this.#note(problem ?? `Unknown line: ${textOf(fields["type"])}`);
    } else {
      const next = startOf(fields);
      if (next !== undefined) this.date(next);
      this.#take(fields);
    }
    const run = this.#run;
    run?.weigh(run.entries.length - 1, size);
  }

  /** Something began. A log holds no end of a response: it was complete then, at the latest. */
  date(next: number): void {
    if (this.#run) this.#conversation.dateResponse(next);
  }

  /** The next run began, which ends one that is under way. */
  end(at: number | undefined): void {
    this.#end(at);
  }

  /** Notes a place from which the session can be read again. The results of a response stay with it. */
  #mark({ place, number, fields, problem }: ReadLine): void {
    const { history } = this.#facts;
    if (!history || place === undefined) return;
    const isKnown = problem === undefined && TYPES.has(fields["type"]);
    const message = isKnown && fields["type"] === "message";
    const begins = fields["type"] === "run_start" || (!this.#run && (!isKnown || message || fields["type"] === "note"));
    const entry = begins ? undefined : this.#run?.entries.length;
    const isResult = fieldsOf(fields["message"])["role"] === "toolResult";
    if (!begins && (entry === undefined || !message || isResult || !history.isDue(entry))) return;
    const { messages, promptLength, turn } = this.#conversation;
    // A run that the line begins follows one that is under way, too.
    const run = this.#before + this.#runs.length - (begins ? 0 : 1);
    const count = { messages: messages.length, prompt: promptLength, turn };
    history.add({ place, number, startsAt: startOf(fields), run, entry, epoch: this.#epoch, ...count });
  }

  /** Nothing comes for now: a last run without an end is that of a process that died. */
  pause(): void {
    const run = this.#run;
    if (!run) return;
    this.#end(undefined, "aborted");
    this.#paused = run;
  }

  #resume(run: Run): void {
    this.#paused = undefined;
    run.resume();
    this.#run = run;
  }

  #take(line: Fields): void {
    const at = numberOf(line["at"]);
    if (line["type"] === "run_start") this.#begin(at);
    else if (line["type"] === "run_end") this.#end(at);
    else if (line["type"] === "note") this.#note(textOf(line["text"]));
    else if (line["type"] === "message") {
      const message = fieldsOf(line["message"]);
      this.#inRun().add(message);
      this.#last = message;
      if (typeof line["note"] === "string") this.#note(line["note"]);
    } else if (line["type"] === "reset") {
      this.#end(at);
      this.#epoch++;
      this.#conversation.replace([]);
    }
  }

  #begin(startedAt: number | undefined, turn?: number): void {
    this.#end(startedAt);
    const { source, prefix, onRun, history } = this.#facts;
    const number = this.#before + this.#runs.length;
    const run = new Run({ id: `${prefix}${number + 1}`, title: "", source, model: "", startedAt });
    run.history = history?.of(number);
    this.#run = run;
    this.#last = {};
    this.#conversation.beginRun(run, turn);
    this.#runs.push(run);
    onRun(run);
  }

  #end(
    endedAt: number | undefined,
    outcome: Outcome = this.#last["role"] === "assistant" ? outcomeOf(this.#last) : "done",
  ): void {
    const run = this.#run;
    if (!run) return;
    const { ownMessages } = this.#conversation;
    run.copyTest = () => copyScriptedTest(ownMessages());
    run.finish(outcome, endedAt);
    this.#run = undefined;
  }

  #note(text: string): void {
    this.#inRun().note(text);
  }

  /** The conversation, in a run. */
  #inRun(): Conversation {
    if (!this.#run) this.#begin(undefined);
    return this.#conversation;
  }
}

/** When the line after a response began, which is when the response was complete at the latest. */
function startOf(line: Fields): number | undefined {
  const message = fieldsOf(line["message"]);
  const at = numberOf(line["at"]) ?? numberOf(message["timestamp"]);
  return at === undefined ? undefined : at - (numberOf(message["durationMs"]) ?? 0);
}
