/** Reads the runs of a session log, as `pi-agent/session` writes it. */
import { type Fields, fieldsOf, numberOf, textOf } from "../record/fields.js";
import { isMark } from "../record/pauses.js";
import type { Run } from "../record/run.js";
import type { ReadLine } from "./read-lines.js";
import { type Checkpoint, type LineReader, RunSequence, type SourceFacts } from "./run-sequence.js";

const TYPES: ReadonlySet<unknown> = new Set(["session", "run_start", "message", "note", "run_end", "reset"]);

/** Reads a whole log. Messages outside a run, which an application has added, become a run of their own. */
export function readSessionLog(lines: readonly ReadLine[], source: string): Run[] {
  const runs: Run[] = [];
  const reader = new SessionReader({ source, prefix: "", onRun: (run) => runs.push(run) });
  for (const line of lines) reader.push(line);
  reader.pause();
  return runs;
}

export class SessionReader implements LineReader {
  readonly sequence: RunSequence;
  /** The run under way has nothing yet but answers, which were stored before it began. */
  #isAnswered = false;

  /** @param at where to begin; by default at the beginning of the session */
  constructor(facts: SourceFacts, at?: Checkpoint) {
    this.sequence = new RunSequence(facts, at);
  }

  get runs(): readonly Run[] {
    return this.sequence.runs;
  }

  push(line: ReadLine): void {
    this.sequence.resume();
    this.#mark(line);
    const { fields, problem } = line;
    if (problem !== undefined || !TYPES.has(fields["type"])) {
      this.sequence.note(problem ?? `Unknown line: ${textOf(fields["type"])}`);
    } else {
      const next = startOf(fields);
      // A log holds no end of a response: it was complete then, at the latest.
      if (next !== undefined) this.sequence.conversation.dateResponse(next);
      this.#take(fields);
    }
    this.sequence.weigh(line);
  }

  /** A last run without an end is that of a process that died. */
  pause(): void {
    this.sequence.pause(undefined, "aborted");
  }

  /** The results of a response stay with it. */
  #mark(line: ReadLine): void {
    const { fields, problem } = line;
    const { type } = fields;
    const isKnown = problem === undefined && TYPES.has(type);
    const isMessage = isKnown && type === "message";
    const begins =
      (type === "run_start" && !this.#isAnswered) || (!this.sequence.run && (!isKnown || isMessage || type === "note"));
    const isResult = fieldsOf(fields["message"])["role"] === "toolResult";
    if (begins || (isMessage && !isResult)) this.sequence.mark(line, { begins, startsAt: startOf(fields), process: 0 });
  }

  #take(line: Fields): void {
    const { sequence } = this;
    const at = numberOf(line["at"]);
    const wasAnswered = this.#isAnswered;
    this.#isAnswered = false;
    switch (line["type"]) {
      case "run_start":
        if (!wasAnswered) sequence.begin(at);
        break;
      case "run_end":
        sequence.end(at);
        break;
      case "note":
        sequence.note(textOf(line["text"]));
        break;
      case "message":
        this.#addMessage(line, wasAnswered);
        break;
      case "reset":
        sequence.end(at);
        sequence.startOver();
    }
  }

  #addMessage({ message: added, note }: Fields, wasAnswered: boolean): void {
    const { sequence } = this;
    const message = fieldsOf(added);
    this.#isAnswered = isMark(message) && (wasAnswered || !sequence.run);
    if (!sequence.run) sequence.begin(this.#isAnswered ? numberOf(message["timestamp"]) : undefined);
    sequence.add(message);
    if (typeof note === "string") sequence.note(note);
  }
}

/** When the message or event of a line began. A response before it was complete by then. */
function startOf(line: Fields): number | undefined {
  const message = fieldsOf(line["message"]);
  const at = numberOf(line["at"]) ?? numberOf(message["timestamp"]);
  return at === undefined ? undefined : at - (numberOf(message["durationMs"]) ?? 0);
}
