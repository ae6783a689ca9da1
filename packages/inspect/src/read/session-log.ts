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
  return new SessionReader(source).read(lines);
}

class SessionReader {
  readonly #source: string;
  readonly #runs: Run[] = [];
  readonly #conversation = new Conversation();
  #run: Run | undefined;
  /** Where the run begins in the conversation. */
  #from = 0;
  #last: Fields = {};

  constructor(source: string) {
    this.#source = source;
  }

  read(lines: readonly ReadLine[]): Run[] {
    for (const [index, { fields, problem }] of lines.entries()) {
      if (problem !== undefined || !TYPES.has(fields["type"]))
        this.#note(problem ?? `Unknown line: ${textOf(fields["type"])}`);
      else this.#take(fields, lines[index + 1]?.fields ?? {});
    }
    // A log whose last run has no end is that of a process that died, or that is still running.
    this.#end(undefined, this.#run && "aborted");
    return this.#runs;
  }

  #take(line: Fields, next: Fields): void {
    const at = numberOf(line["at"]);
    if (line["type"] === "run_start") this.#begin(at);
    else if (line["type"] === "run_end") this.#end(at);
    else if (line["type"] === "note") this.#note(textOf(line["text"]));
    else if (line["type"] === "message") {
      this.#last = fieldsOf(line["message"]);
      this.#current().conversation.add(this.#last, startOf(next));
      if (typeof line["note"] === "string") this.#note(line["note"]);
    } else if (line["type"] === "reset") {
      this.#end(at);
      this.#conversation.replace([]);
    }
  }

  #begin(startedAt: number | undefined): void {
    this.#end(startedAt);
    const id = `${this.#runs.length + 1}`;
    const run = new Run({ id, title: "", source: this.#source, model: "", startedAt });
    this.#run = run;
    this.#from = this.#conversation.messages.length;
    this.#last = {};
    this.#conversation.beginRun(run);
    this.#runs.push(run);
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
