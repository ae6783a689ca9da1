/** A run: its entries in the order in which they began, and their totals. */
import { redactSection } from "./credentials.js";
import {
  addUsage,
  type CopiedTest,
  type Described,
  type Details,
  type Entry,
  holdsText,
  noUsage,
  type Outcome,
  type RunFacts,
  type RunSummary,
  type Section,
} from "./entry.js";
import type { Launcher, Origin } from "./launcher.js";
import { SHOWN_MESSAGES } from "./prompt-sections.js";

/** A copy of consecutive entries of a run. */
export interface RunPart {
  /** Contains the copied entries, beginning with the index 0. */
  run: Run;
  /** The index of its first entry in the original run. */
  from: number;
}

/** Reads a run again from its source. Both methods reject if the source cannot be read. */
export interface RunHistory {
  /** A part that contains the entry. The most recent parts are cached. */
  partAt(index: number): Promise<RunPart>;
  /** A copy of the run with all entries and the whole conversation before it. It is not cached. */
  whole(): Promise<Run>;
}

/** Replaces every entry of a long run that was dropped. */
export const FORGOTTEN: Entry = { kind: "note", name: "note", title: "No longer kept", outcome: "done", turn: 0 };
const LOST = "The inspector keeps only the newest entries of a long run. A session log has all of them.";
const describeForgotten: Details = () => [{ kind: "text", title: "Note", text: LOST }];

export class Run {
  readonly #entries: Entry[] = [];
  readonly #content: Details[] = [];
  /** Details that repeat those of other entries, such as the prompt of a request. */
  readonly #context: (Details | undefined)[] = [];
  /** Details that were added later, such as how a request went over the wire. */
  readonly #more = new Map<number, Described[]>();
  /** The number of messages in the conversation when each entry began. */
  readonly #positions: (number | undefined)[] = [];
  readonly #weights = new EntryWeights();
  /** `forget` has dropped all entries before this index, except those that were running. */
  #firstKept = 0;
  readonly #summary: RunSummary;
  /** The conversation and its instructions; absent if the source does not contain them. */
  origin: Origin | undefined;
  /** Sends the requests of forks; absent if the run cannot be forked. */
  launcher: Launcher | undefined;
  /** Called with the index of each new or changed entry, and with `run` if only the summary changed. */
  onChange: (change: number | "run") => void = () => {};
  /** Creates a test that repeats the run; absent if that is not possible. */
  copyTest: (() => CopiedTest) | undefined;
  /** Reads again what {@link forget} has dropped; absent if it is in no source. */
  history: RunHistory | undefined;

  constructor(facts: RunFacts) {
    const { startedAt, ...rest } = facts;
    const counts = { requests: 0, tools: 0, usage: noUsage(), entries: 0, waiting: 0, canFork: false };
    this.#summary = { ...rest, ...counts, outcome: "running", ...(startedAt !== undefined && { startedAt }) };
  }

  get summary(): Readonly<RunSummary> {
    this.#summary.canFork = this.origin !== undefined && this.launcher !== undefined;
    return this.#summary;
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /**
   * @param content the details that only this entry has
   * @param context details that repeat those of other entries, such as the prompt of a request
   * @param position the number of messages before the entry
   * @returns the index of the entry
   */
  add(entry: Entry, content: Details, context?: Details, position?: number): number {
    const index = this.#entries.push(entry) - 1;
    this.#content.push(content);
    this.#context.push(context);
    this.#positions.push(position);
    this.#weights.add();
    this.#summary.entries = this.#entries.length;
    if (!entry.inherited) this.#count(entry);
    if (this.#summary.title === "" && entry.kind === "message") this.#summary.title = entry.title;
    if (this.#summary.model === "" && entry.kind === "request") this.#summary.model = entry.name;
    this.onChange(index);
    return index;
  }

  update(index: number, change: Partial<Entry>, content?: Details): void {
    const entry = this.#entries[index];
    if (!entry || entry === FORGOTTEN) return;
    if (change.usage) {
      if (entry.usage) addUsage(this.#summary.usage, entry.usage, -1);
      addUsage(this.#summary.usage, change.usage, 1);
    }
    this.#entries[index] = { ...entry, ...change };
    if ("awaits" in change) this.#summary.waiting += (change.awaits ? 1 : 0) - (entry.awaits ? 1 : 0);
    if (content) this.#content[index] = content;
    this.onChange(index);
  }

  /** The number of kept entries. An entry that is long in its source counts more than once. */
  get kept(): number {
    return this.#weights.total;
  }

  /** Adds to the number of bytes that an entry has in its source. A long entry counts more than once. */
  weigh(index: number, bytes: number): void {
    const entry = this.#entries[index];
    if (entry && entry !== FORGOTTEN) this.#weights.weigh(index, bytes);
  }

  /** Whether an entry was dropped, or one of the messages that its details show. */
  isForgotten(index: number): boolean {
    if (this.#entries[index] === FORGOTTEN) return true;
    const position = this.#positions[index];
    if (!this.history || position === undefined || !this.origin) return false;
    const shown = this.origin.messages.slice(Math.max(0, position - SHOWN_MESSAGES), position);
    return this.#context[index] !== undefined && shown.includes(undefined);
  }

  /** Whether all entries and messages are kept. */
  get isWhole(): boolean {
    return this.#firstKept === 0 && !(this.history && this.origin?.messages.includes(undefined));
  }

  /**
   * Drops the oldest entries except running ones. The totals keep counting them. If the run has a history, their
   * messages are dropped, too.
   *
   * @param count by how much to reduce {@link kept}
   */
  forget(count: number): void {
    const goal = this.kept - count;
    let dropped = 0;
    while (this.kept > goal && this.#firstKept < this.#entries.length)
      if (this.#forgetOne(this.#firstKept++)) dropped++;
    if (!this.history) this.#summary.dropped = (this.#summary.dropped ?? 0) + dropped;
  }

  /** Returns false for a running entry, which is kept. */
  #forgetOne(index: number): boolean {
    const entry = this.#entries[index];
    if (!entry || entry.outcome === "running") return false;
    const position = this.#positions[index];
    // A note adds no message: the message at its position belongs to the next entry.
    if (this.history && position !== undefined && entry.kind !== "note") this.origin?.forget?.(position);
    this.#entries[index] = FORGOTTEN;
    this.#content[index] = describeForgotten;
    this.#context[index] = undefined;
    this.#positions[index] = undefined;
    this.#more.delete(index);
    this.#weights.drop(index);
    return true;
  }

  /** Sets the title of a run that has none yet. */
  setTitle(title: string): void {
    if (this.#summary.title === "") this.#summary.title = title;
    this.onChange("run");
  }

  /** Continues a run that seemed to have ended. */
  resume(): void {
    this.#summary.outcome = "running";
    delete this.#summary.durationMs;
    this.onChange("run");
  }

  /** Adds to the details of an entry, such as how it went over the wire. */
  attach(index: number, more: Described): void {
    this.#more.set(index, [...(this.#more.get(index) ?? []), more]);
    this.onChange(index);
  }

  /** Everything that {@link attach} has added. */
  get described(): Described[] {
    return [...this.#more.values()].flat();
  }

  /** Copies the entries of another run that began before a position of its conversation. */
  inherit(parent: Run, position: number): void {
    for (const [index, entry] of parent.#entries.entries()) {
      const own = parent.#positions[index];
      const content = parent.#content[index];
      if (own === undefined || own >= position || !content) continue;
      this.add({ ...entry, inherited: true }, content, parent.#context[index], own);
    }
  }

  /** The number of messages before an entry. */
  positionOf(index: number): number | undefined {
    return this.#positions[index];
  }

  /**
   * The details of an entry; undefined if there is no such entry.
   *
   * @param maxLength the most characters of a text. Default: all
   */
  describe(index: number, maxLength?: number): Section[] | undefined {
    const content = this.#content[index];
    if (!content) return undefined;
    const more = this.#more.get(index) ?? [];
    const sections = [...content(), ...more.flatMap((one) => one.describe()), ...(this.#context[index]?.() ?? [])];
    return sections.map((section) => redactSection(section, maxLength));
  }

  /** The details that only this entry has. */
  contentOf(index: number): Section[] {
    return (this.#content[index]?.() ?? []).map((section) => redactSection(section));
  }

  /**
   * Whether the content of an entry contains a text, ignoring case.
   *
   * @param text in lower case
   */
  holds(index: number, text: string): boolean {
    // Redacting takes long, so it is done only for entries that contain the text before.
    if (!(this.#content[index]?.() ?? []).some((section) => holdsText(section, text))) return false;
    return this.contentOf(index).some((section) => holdsText(section, text));
  }

  #count(entry: Entry): void {
    if (entry.kind === "request") this.#summary.requests++;
    if (entry.kind === "tool") this.#summary.tools++;
    if (entry.usage) addUsage(this.#summary.usage, entry.usage, 1);
  }

  /** Ends the run, and all its entries that are still running. */
  finish(outcome: Outcome, endedAt?: number): void {
    for (const [index, entry] of this.#entries.entries())
      if (entry.outcome === "running")
        this.update(index, { outcome: outcome === "done" ? "aborted" : outcome, awaits: undefined });
    this.#summary.outcome = outcome;
    const { startedAt } = this.#summary;
    if (startedAt !== undefined && endedAt !== undefined) this.#summary.durationMs = Math.max(0, endedAt - startedAt);
    this.onChange("run");
  }
}

const BYTES = 4096;

/** What the kept entries of a run count for the limit of entries. */
class EntryWeights {
  /** The number of bytes of entries in their source. */
  readonly #bytes = new Map<number, number>();
  #total = 0;

  /** An entry counts once, and once more for every 4096 bytes in its source. */
  get total(): number {
    return this.#total;
  }

  add(): void {
    this.#total++;
  }

  /** Adds to the number of bytes that an entry has in its source. */
  weigh(index: number, bytes: number): void {
    const before = this.#bytes.get(index) ?? 0;
    this.#bytes.set(index, before + bytes);
    this.#total += Math.floor((before + bytes) / BYTES) - Math.floor(before / BYTES);
  }

  drop(index: number): void {
    this.#total -= 1 + Math.floor((this.#bytes.get(index) ?? 0) / BYTES);
    this.#bytes.delete(index);
  }
}
