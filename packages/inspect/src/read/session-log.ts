/** The runs of a session log, as `pi-agent/session` writes it. */
import { Conversation } from "../record/conversation.js";
import type { Outcome } from "../record/entry.js";
import { type Fields, fieldsOf, numberOf, textOf } from "../record/fields.js";
import { outcomeOf } from "../record/message-sections.js";
import { Run } from "../record/run.js";
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

/** Where the lines of a session come from. */
export interface SessionFacts {
  source: string;
  /** Stands in front of the ids of its runs. */
  prefix: string;
  /** Receives each run when it begins. */
  onRun: (run: Run) => void;
}

/** Takes the lines of a session one by one, as they are read or written. */
export class SessionReader {
  readonly #facts: SessionFacts;
  readonly #runs: Run[] = [];
  readonly #conversation = new Conversation();
  #run: Run | undefined;
  /** A run without an end that seemed to have been left. */
  #paused: Run | undefined;
  /** Where the run begins in the conversation. */
  #from = 0;
  #last: Fields = {};

  constructor(facts: SessionFacts) {
    this.#facts = facts;
  }

  /** In the order of the log. */
  get runs(): readonly Run[] {
    return this.#runs;
  }

  push({ fields, problem }: ReadLine): void {
    if (this.#paused) this.#resume(this.#paused);
    if (problem !== undefined || !TYPES.has(fields["type"])) {
      this.#note(problem ?? `Unknown line: ${textOf(fields["type"])}`);
      return;
    }
    // A log holds no end of a response: it was complete when the next thing began, at the latest.
    const next = startOf(fields);
    if (this.#run && next !== undefined) this.#conversation.dateResponse(next);
    this.#take(fields);
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
      this.#current().conversation.add(message);
      this.#last = message;
      if (typeof line["note"] === "string") this.#note(line["note"]);
    } else if (line["type"] === "reset") {
      this.#end(at);
      this.#conversation.replace([]);
    }
  }

  #begin(startedAt: number | undefined): void {
    this.#end(startedAt);
    const { source, prefix, onRun } = this.#facts;
    const id = `${prefix}${this.#runs.length + 1}`;
    const run = new Run({ id, title: "", source, model: "", startedAt });
    this.#run = run;
    this.#from = this.#conversation.messages.length;
    this.#last = {};
    this.#conversation.beginRun(run);
    this.#runs.push(run);
    onRun(run);
  }

  #end(
    endedAt: number | undefined,
    outcome: Outcome = this.#last["role"] === "assistant" ? outcomeOf(this.#last) : "done",
  ): void {
    const run = this.#run;
    if (!run) return;
    const { messages } = this.#conversation;
    const [from, to] = [this.#from, messages.length];
    run.copyTest = () => copyScriptedTest(messages.slice(from, to));
    run.finish(outcome, endedAt);
    this.#run = undefined;
  }

  #note(text: string): void {
    this.#current().conversation.note(text);
  }

  #current(): { conversation: Conversation } {
    if (!this.#run) this.#begin(undefined);
    return { conversation: this.#conversation };
  }
}

/** When the line after a response began, which is when the response was complete at the latest. */
function startOf(line: Fields): number | undefined {
  const message = fieldsOf(line["message"]);
  const at = numberOf(line["at"]) ?? numberOf(message["timestamp"]);
  return at === undefined ? undefined : at - (numberOf(message["durationMs"]) ?? 0);
}
