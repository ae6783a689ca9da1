/** Reads the file of a durable run into runs, as `sessionSteps` of `pi-agent/durable/session` writes it. */
import type { Entry, Section } from "../record/entry.js";
import { type Fields, fieldsOf, listOf, numberOf, textOf, toJson } from "../record/fields.js";
import type { Run } from "../record/run.js";
import { blocksOf, outcomeOf } from "../record/sections.js";
import type { ReadLine } from "./read-lines.js";
import { type Checkpoint, type LineReader, RunSequence, type SourceFacts } from "./run-sequence.js";
import { describeStep, idOf, readStep, resultOf, type Step, toolOf } from "./step-line.js";

/** What the details of every step show. */
interface DurableFacts {
  runId: string;
  /** The ids of the processes, in the order of their first steps. */
  readonly processes: string[];
}

/** Builds runs from the lines of the file, one by one. A process that only repeated steps leaves no line. */
export class StepsReader implements LineReader {
  readonly sequence: RunSequence;
  readonly #durable: DurableFacts;
  /** The index of the entry of each tool call that has begun, by its key. */
  readonly #tools = new Map<string, number>();
  /** The index of the entry of each approval that was requested, by its name. */
  readonly #approvals = new Map<string, number>();
  /** The process that did the last step. */
  #latest = 0;
  /** The tool calls by their ids. A later call replaces an earlier one with the same id. */
  readonly #calls = new Map<unknown, Fields>();
  /** The number of the last response's tool calls that have no result yet. */
  #pending = 0;

  /** @param at where it begins, in the file of another reader; by default at the beginning */
  constructor(facts: SourceFacts, at?: { checkpoint: Checkpoint; reader: StepsReader }) {
    this.sequence = new RunSequence(facts, at?.checkpoint);
    this.#durable = at ? at.reader.#durable : { runId: "", processes: [] };
    this.#latest = at?.checkpoint.process ?? 0;
  }

  get runs(): readonly Run[] {
    return this.sequence.runs;
  }

  push(line: ReadLine): void {
    const { fields, problem } = line;
    if (fields["type"] === "steps") this.#durable.runId = textOf(fields["runId"]);
    else if (problem !== undefined || typeof fields["name"] !== "string") {
      if (!this.sequence.run) this.#mark(line, true);
      this.sequence.note(problem ?? "A line is not a step");
    } else if (fields["name"].startsWith("approval:")) this.#resolve(fields["name"], fieldsOf(fields["value"]));
    else this.#see(line, Number(/step (\d+)$/.exec(fields["name"])?.[1]));
    this.sequence.weigh(line);
  }

  /** A run that waits for an approval is under way for as long as that takes. */
  pause(): void {
    const { last } = this.sequence;
    if (this.#waits) return;
    this.sequence.pause(undefined, last["role"] === "assistant" && this.#pending === 0 ? outcomeOf(last) : "aborted");
  }

  /** Whether an approval was requested and not answered. */
  get #waits(): boolean {
    const { run } = this.sequence;
    return [...this.#approvals.values()].some((index) => run?.entries[index]?.outcome === "running");
  }

  #see(line: ReadLine, position: number): void {
    const step = readStep(fieldsOf(line.fields["value"]), position, this.#durable.processes);
    const { name } = step;
    this.#dateApprovals(step);
    this.#open(step, line);
    const { run } = this.sequence;
    const first = run?.entries.length ?? 0;
    const [kind = ""] = name.split(" ");
    const take = Object.hasOwn(this.#kinds, kind) ? this.#kinds[kind] : undefined;
    if (take) take(step);
    else this.sequence.note(`Hook ${name}: ${toJson(step.value)}`);
    for (let index = first; index < (run?.entries.length ?? 0); index++) this.#describeAt(index, step);
    this.#endIfComplete(step);
  }

  readonly #kinds: Readonly<Record<string, (step: Step) => void>> = {
    // Earlier versions stored the prompts alone.
    prompts: ({ value }) => this.#addMessages(listOf(Array.isArray(value) ? value : value["prompts"])),
    steering: ({ value }) => this.#addPolled(fieldsOf(value["returned"])),
    "follow-up": ({ value }) => this.#addPolled(fieldsOf(value["returned"])),
    response: (step) => this.#addResponse(step),
    "approvals/needed": (step) => this.#addApprovals(step),
    begin: (step) => {
      for (const key of step.name.split(" ").slice(1)) this.#startTool(key, step.at ?? 0);
    },
    tool: (step) => this.#endTool(step),
  };

  /** Begins a run at its prompts, except at those of an agent that a tool runs: then a tool call has no result yet. */
  #open({ name, process, at, position }: Step, line: ReadLine): void {
    const { sequence } = this;
    const isNested = this.#tools.size > 0 || this.#pending > 0;
    if (name !== "prompts" && !sequence.run) sequence.resume();
    const begins = !sequence.run || (name === "prompts" && !isNested);
    const isPart = name === "response" && !isNested && !this.#waits;
    if (isPart) this.#calls.clear();
    if (begins || isPart) this.#mark(line, begins, at);
    const continues = !begins && process > this.#latest;
    if (begins) sequence.begin(at);
    this.#latest = process;
    if (continues)
      sequence.note(
        `Process ${process + 1} went on here. It took steps 1 to ${position - 1} from the file, and did the next ones itself.`,
      );
  }

  #mark(line: ReadLine, begins: boolean, startsAt?: number): void {
    this.sequence.mark(line, { begins, startsAt, process: this.#latest });
  }

  /** The file has no line for the end of a run. A run ends when nothing follows a response without tool calls. */
  #endIfComplete({ name, at, value }: Step): void {
    const { last } = this.sequence;
    if (last["role"] !== "assistant" || this.#pending > 0 || this.#tools.size > 0) return;
    const { taken, received } = fieldsOf(value["returned"]);
    const isIdle = name === "follow-up" && listOf(taken).length + listOf(received).length === 0;
    const outcome = outcomeOf(last);
    if (outcome !== "done" || isIdle) this.sequence.pause(at, outcome);
  }

  #addMessages(messages: readonly unknown[]): void {
    for (const message of messages) this.sequence.add(message);
  }

  #addPolled({ taken, received }: Fields): void {
    this.#addMessages([...listOf(taken), ...listOf(received)]);
  }

  #addResponse({ value, at }: Step): void {
    const message = fieldsOf(value["message"]);
    this.sequence.add(message, at);
    const calls = blocksOf(message).filter(({ type }) => type === "toolCall");
    for (const call of calls) this.#calls.set(call["id"], call);
    this.#pending = calls.length;
    if (value["isRepeated"] === true)
      this.sequence.note(
        "This response was requested again: the process that had requested it died. The sums count it once.",
      );
  }

  /** Adds a row for each approval. The step holds the requests, and nothing for calls that need none. */
  #addApprovals({ value, at }: Step): void {
    const { returned } = value;
    // Earlier versions wrapped the value.
    for (const request of listOf(Array.isArray(returned) ? returned : fieldsOf(returned)["value"])) {
      const { name, toolCallId } = fieldsOf(request);
      if (typeof name !== "string") continue;
      const title = `The call ${textOf(toolCallId)} needs an approval`;
      const entry: Entry = {
        kind: "wait",
        name: "approval",
        title,
        outcome: "running",
        turn: this.sequence.conversation.turn,
      };
      const added = this.sequence.run?.add({ ...entry, ...(at !== undefined && { startedAt: at }) }, () => []);
      if (added !== undefined) this.#approvals.set(name, added);
    }
  }

  /** Takes the decision about an approval. It has no date: `#dateApprovals` sets its duration. */
  #resolve(name: string, { approved, reason }: Fields): void {
    const index = this.#approvals.get(name) ?? -1;
    const title = approved === true ? "Approved" : `Declined${textOf(reason) ? `: ${textOf(reason)}` : ""}`;
    const { title: before = "" } = this.sequence.run?.entries[index] ?? {};
    const text = (): Section[] => [{ kind: "text", title: "Approval", text: `${before}\n${title}` }];
    this.sequence.run?.update(
      index,
      { outcome: approved === true ? "done" : "error", title: `${before}. ${title}` },
      text,
    );
  }

  /** Sets the duration of decided approvals: the next step follows the decision. */
  #dateApprovals({ at }: Step): void {
    for (const [name, index] of this.#approvals) {
      const { outcome, startedAt } = this.sequence.run?.entries[index] ?? {};
      if (outcome === "running" || at === undefined || startedAt === undefined) continue;
      this.sequence.run?.update(index, { durationMs: Math.max(0, at - startedAt) });
      this.#approvals.delete(name);
    }
  }

  #startTool(key: string, startedAt: number): void {
    const { name, arguments: args } = this.#calls.get(idOf(key)) ?? {};
    const index = this.sequence.conversation.startTool(key, textOf(name), args, startedAt);
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
    this.sequence.conversation.endTool(key, facts);
    this.#tools.delete(key);
    this.#pending = Math.max(0, this.#pending - 1);
    this.sequence.conversation.append([resultOf(step)]);
    if (value["isUnknown"] === true)
      this.sequence.note(`Whether ${name} took effect is not known: its process died, and it was not run again.`);
  }

  #describeAt(index: number, step: Step): void {
    this.sequence.run?.attach(index, {
      describe: () => describeStep(step, this.#durable.runId, this.#durable.processes),
    });
  }
}
