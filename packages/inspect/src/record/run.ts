/** A run: entries in the order in which they began, and the sums over them. */
import { type Entry, type EntryUsage, noUsage, type Outcome, type RunSummary, type Section } from "./entry.js";

/** Makes the details of an entry when they are opened. */
export type Details = () => Section[];

/** What a program in another process needs to repeat a run; made when it is requested. */
export interface CopiedTest {
  /** The names and texts of the files. */
  files: Record<string, string>;
}

export class Run {
  readonly #entries: Entry[] = [];
  readonly #content: Details[] = [];
  /** What surrounds an entry, such as the prompt of a request. */
  readonly #context: (Details | undefined)[] = [];
  readonly #summary: RunSummary;
  /** Called with the index of each entry that is new or changed, and with -1 where only the summary changed. */
  onChange: (index: number) => void = () => {};
  /** Absent where a run cannot be repeated. */
  copyTest: (() => CopiedTest) | undefined;

  constructor(facts: Pick<RunSummary, "id" | "title" | "source" | "model"> & { startedAt?: number | undefined }) {
    const { startedAt, ...rest } = facts;
    const counts = { requests: 0, tools: 0, usage: noUsage(), entries: 0 };
    this.#summary = { ...rest, ...counts, outcome: "running", ...(startedAt !== undefined && { startedAt }) };
  }

  get summary(): Readonly<RunSummary> {
    return this.#summary;
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** @param context what other entries hold too, such as the prompt of a request */
  add(entry: Entry, content: Details, context?: Details): number {
    const index = this.#entries.push(entry) - 1;
    this.#content.push(content);
    this.#context.push(context);
    this.#summary.entries = this.#entries.length;
    if (entry.kind === "request") this.#summary.requests++;
    if (entry.kind === "tool") this.#summary.tools++;
    if (entry.usage) addUsage(this.#summary.usage, entry.usage, 1);
    if (this.#summary.title === "" && entry.kind === "message") this.#summary.title = entry.title;
    if (this.#summary.model === "" && entry.kind === "request") this.#summary.model = entry.name;
    this.onChange(index);
    return index;
  }

  update(index: number, change: Partial<Entry>, content?: Details): void {
    const entry = this.#entries[index];
    if (!entry) return;
    if (change.usage) {
      if (entry.usage) addUsage(this.#summary.usage, entry.usage, -1);
      addUsage(this.#summary.usage, change.usage, 1);
    }
    this.#entries[index] = { ...entry, ...change };
    if (content) this.#content[index] = content;
    this.onChange(index);
  }

  /** The details of an entry; none if there is no such entry. */
  describe(index: number): Section[] | undefined {
    const content = this.#content[index];
    return content && [...content(), ...(this.#context[index]?.() ?? [])];
  }

  /** The details without what other entries hold too. */
  contentOf(index: number): Section[] {
    return this.#content[index]?.() ?? [];
  }

  /** Ends the run, and whatever of it is still under way. */
  finish(outcome: Outcome, endedAt?: number): void {
    for (const [index, entry] of this.#entries.entries())
      if (entry.outcome === "running") this.update(index, { outcome: outcome === "done" ? "aborted" : outcome });
    this.#summary.outcome = outcome;
    const { startedAt } = this.#summary;
    if (startedAt !== undefined && endedAt !== undefined) this.#summary.durationMs = Math.max(0, endedAt - startedAt);
    this.onChange(-1);
  }
}

function addUsage(sum: EntryUsage, usage: EntryUsage, sign: 1 | -1): void {
  sum.input += sign * usage.input;
  sum.output += sign * usage.output;
  sum.cacheRead += sign * usage.cacheRead;
  sum.cacheWrite += sign * usage.cacheWrite;
  sum.cost += sign * usage.cost;
}
