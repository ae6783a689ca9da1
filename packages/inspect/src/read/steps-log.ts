/** The runs in the file of a durable run, as `sessionSteps` of `pi-agent/durable/session` writes it. */
import { Conversation } from "../record/conversation.js";
import type { Entry, Outcome, Section } from "../record/entry.js";
import { type Fields, fieldsOf, listOf, numberOf, textOf, toJson } from "../record/fields.js";
import { blocksOf, outcomeOf } from "../record/message-sections.js";
import { Run } from "../record/run.js";
import { copyScriptedTest } from "./copy-scripted-test.js";
import { describeStep, idOf, readStep, resultOf, type Step, toolOf } from "./durable-step.js";
import type { ReadLine } from "./read-lines.js";
import type { SessionFacts } from "./session-log.js";

/** Takes the lines of the file one by one. A process that only repeated steps has left nothing in it. */
export class StepsReader {
  readonly #facts: SessionFacts;
  readonly #runs: Run[] = [];
  readonly #conversation = new Conversation();
  #run: Run | undefined;
  #paused: Run | undefined;
  #runId = "";
  /** The attempts, in the order in which they did their first steps. */
  readonly #processes: string[] = [];
  /** The index of the entry of each tool call that has begun, by its key. */
  readonly #tools = new Map<string, number>();
  /** The index of the entry of each approval that was requested, by its name. */
  readonly #approvals = new Map<string, number>();
  /** The process that did the last step. */
  #latest = 0;
  /** The calls by their ids. A later one takes the place of an earlier one. */
  readonly #calls = new Map<unknown, Fields>();
  /** How many calls of the last response have no result. */
  #pending = 0;
  #last: Fields = {};

  constructor(facts: SessionFacts) {
    this.#facts = facts;
  }

  /** In the order of the file. */
  get runs(): readonly Run[] {
    return this.#runs;
  }

  push({ fields, problem }: ReadLine): void {
    if (fields["type"] === "steps") this.#runId = textOf(fields["runId"]);
    else if (problem !== undefined || typeof fields["name"] !== "string") this.#note(problem ?? "A line is not a step");
    else if (fields["name"].startsWith("approval:")) this.#resolve(fields["name"], fieldsOf(fields["value"]));
    else this.#see(fieldsOf(fields["value"]), Number(fields["name"].slice("step ".length)));
  }

  /** Nothing comes for now. A run that waits for an approval is under way for as long as that takes. */
  pause(): void {
    const run = this.#run;
    const waits = [...this.#approvals.values()].some((index) => run?.entries[index]?.outcome === "running");
    if (!run || waits) return;
    this.#end(undefined, this.#last["role"] === "assistant" && this.#pending === 0 ? outcomeOf(this.#last) : "aborted");
  }

  #see(record: Fields, position: number): void {
    const step = readStep(record, position, this.#processes);
    const { name } = step;
    this.#open(step);
    this.#dateApprovals(step);
    const run = this.#run;
    const first = run?.entries.length ?? 0;
    const [kind = ""] = name.split(" ");
    const take = Object.hasOwn(this.#kinds, kind) ? this.#kinds[kind] : undefined;
    if (take) take(step);
    else this.#note(`Hook ${name}: ${toJson(step.value)}`);
    for (let index = first; index < (run?.entries.length ?? 0); index++) this.#describeAt(index, step);
    this.#endIfComplete(step);
  }

  readonly #kinds: Readonly<Record<string, (step: Step) => void>> = {
    prompts: ({ value }) => this.#addMessages(listOf(value)),
    steering: ({ value }) => this.#addPolled(fieldsOf(value["returned"])),
    "follow-up": ({ value }) => this.#addPolled(fieldsOf(value["returned"])),
    response: (step) => this.#addResponse(step),
    approvals: (step) => this.#addApprovals(step),
    begin: (step) => {
      for (const key of step.name.split(" ").slice(1)) this.#startTool(key, step.at ?? 0);
    },
    tool: (step) => this.#endTool(step),
  };

  /** A run begins with its prompts; those of an agent that a tool runs come while the call has no result. */
  #open({ name, process, at, position }: Step): void {
    const isNested = this.#tools.size > 0 || this.#pending > 0;
    if (name === "prompts" && this.#run && !isNested) this.#end(at, outcomeOf(this.#last));
    if (this.#paused && name !== "prompts") this.#resume(this.#paused);
    const continues = this.#run !== undefined && process > this.#latest;
    if (!this.#run) this.#begin(at);
    this.#latest = process;
    if (continues)
      this.#note(
        `Process ${process + 1} went on here. It took steps 1 to ${position - 1} from the file, and did the next ones itself.`,
      );
  }

  #begin(startedAt: number | undefined): void {
    const { source, prefix, onRun } = this.#facts;
    const run = new Run({ id: `${prefix}${this.#runs.length + 1}`, title: "", source, model: "", startedAt });
    this.#run = run;
    this.#paused = undefined;
    this.#conversation.beginRun(run);
    this.#runs.push(run);
    onRun(run);
  }

  #resume(run: Run): void {
    this.#paused = undefined;
    run.resume();
    this.#run = run;
  }

  #end(endedAt: number | undefined, outcome: Outcome): void {
    const run = this.#run;
    if (!run) return;
    const { ownMessages } = this.#conversation;
    run.copyTest = () => copyScriptedTest(ownMessages());
    run.finish(outcome, endedAt);
    this.#paused = run;
    this.#run = undefined;
  }

  /** The file holds no end: a run is complete when it found nothing more to do after a response without calls. */
  #endIfComplete({ name, at, value }: Step): void {
    const { stopReason } = this.#last;
    if (this.#last["role"] !== "assistant" || this.#pending > 0 || this.#tools.size > 0) return;
    const isFailed = stopReason === "error" || stopReason === "aborted";
    const { taken, received } = fieldsOf(value["returned"]);
    const isIdle = name === "follow-up" && listOf(taken).length + listOf(received).length === 0;
    if (isFailed || isIdle) this.#end(at, outcomeOf(this.#last));
  }

  #addMessages(messages: readonly unknown[]): void {
    for (const message of messages) this.#conversation.add(message);
    this.#last = fieldsOf(messages.at(-1) ?? this.#last);
  }

  #addPolled({ taken, received }: Fields): void {
    this.#addMessages([...listOf(taken), ...listOf(received)]);
  }

  #addResponse({ value, at }: Step): void {
    const message = fieldsOf(value["message"]);
    this.#conversation.add(message, at);
    this.#last = message;
    const calls = blocksOf(message).filter(({ type }) => type === "toolCall");
    for (const call of calls) this.#calls.set(call["id"], call);
    this.#pending = calls.length;
    if (value["isRepeated"] === true)
      this.#note("This response was requested again: the process that had requested it died. The sums count it once.");
  }

  /** Named as `pi-agent` names them: by the position of the step and that of the call. */
  #addApprovals({ name, position, value, at }: Step): void {
    for (const [index, key] of name.split(" ").slice(1).entries()) {
      if (listOf(value)[index] !== true) continue;
      const title = `The call ${idOf(key)} needs an approval`;
      const entry: Entry = { kind: "wait", name: "approval", title, outcome: "running", turn: this.#conversation.turn };
      const added = this.#run?.add({ ...entry, ...(at !== undefined && { startedAt: at }) }, () => []);
      if (added !== undefined) this.#approvals.set(`approval:${position}.${index + 1}`, added);
    }
  }

  /** An answer has no date. */
  #resolve(name: string, { approved, reason }: Fields): void {
    const index = this.#approvals.get(name) ?? -1;
    const title = approved === true ? "Approved" : `Declined${textOf(reason) ? `: ${textOf(reason)}` : ""}`;
    const { title: before = "" } = this.#run?.entries[index] ?? {};
    const text = (): Section[] => [{ kind: "text", title: "Approval", text: `${before}\n${title}` }];
    this.#run?.update(index, { outcome: approved === true ? "done" : "error", title: `${before}. ${title}` }, text);
  }

  /** The next step followed the answer. */
  #dateApprovals({ at }: Step): void {
    for (const [name, index] of this.#approvals) {
      const { outcome, startedAt } = this.#run?.entries[index] ?? {};
      if (outcome === "running" || at === undefined || startedAt === undefined) continue;
      this.#run?.update(index, { durationMs: Math.max(0, at - startedAt) });
      this.#approvals.delete(name);
    }
  }

  #startTool(key: string, startedAt: number): void {
    const { name, arguments: args } = this.#calls.get(idOf(key)) ?? {};
    const index = this.#conversation.startTool(key, textOf(name), args, startedAt);
    if (index !== undefined) this.#tools.set(key, index);
  }

  #endTool(step: Step): void {
    const { value, at = 0 } = step;
    const { name, key } = toolOf(step);
    const { result, isError, durationMs } = fieldsOf(value["outcome"]);
    const begun = this.#tools.get(key);
    if (begun === undefined) this.#startTool(key, at - (numberOf(durationMs) ?? 0));
    else this.#describeAt(begun, step);
    const { arguments: args } = this.#calls.get(idOf(key)) ?? {};
    const facts = { args, result: fieldsOf(result), isError: isError === true, durationMs: numberOf(durationMs) };
    this.#conversation.endTool(key, facts);
    this.#tools.delete(key);
    this.#pending = Math.max(0, this.#pending - 1);
    this.#conversation.append([resultOf(step)]);
    if (value["isUnknown"] === true)
      this.#note(`Whether ${name} took effect is not known: its process died, and it was not run again.`);
  }

  #describeAt(index: number, step: Step): void {
    this.#run?.attach(index, { describe: () => describeStep(step, this.#runId, this.#processes) });
  }

  #note(text: string): void {
    if (!this.#run) this.#begin(undefined);
    this.#conversation.note(text);
  }
}
