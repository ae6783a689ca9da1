/** Compares two runs turn by turn: pairs the requests, messages and tool calls of the same turn. */
import { addUsage, type Entry, type EntryUsage, noUsage, type RunSummary, type Section } from "../record/entry.js";
import type { Run } from "../record/run.js";
import { cutText, moreCharacters } from "../record/text.js";

/** The most rows of a comparison. */
const MAX_ROWS = 300;
/** The most characters of one part. */
const MAX_PART = 6000;

/** One text of an entry, such as that of a response, the arguments of a tool call, or its result. */
export interface ComparedPart {
  title: string;
  text: string;
}

/** The entry of one run in a row. */
export interface ComparedCell {
  /** The index of the entry in its run. */
  index: number;
  entry: Entry;
  parts: ComparedPart[];
}

/** Two paired entries, or an entry that only one of the runs has. */
export interface ComparedRow {
  turn: number;
  left?: ComparedCell;
  right?: ComparedCell;
}

/** Totals over the rows after the equal beginning. */
export interface ComparedSums {
  requests: number;
  tools: number;
  usage: EntryUsage;
  /** The sum of the durations of all entries, in milliseconds. */
  durationMs: number;
}

export interface Comparison {
  left: RunSummary;
  right: RunSummary;
  /** How many rows at the beginning are equal. They are not in `rows`. */
  same: number;
  rows: ComparedRow[];
  /** How many rows at the end are left out because of the limit. */
  more: number;
  sums: { left: ComparedSums; right: ComparedSums };
}

interface Pair {
  turn: number;
  left: number | undefined;
  right: number | undefined;
}

export function compareRuns(left: Run, right: Run): Comparison {
  const pairs = pairEntries(left.entries, right.entries);
  const first = pairs.findIndex((pair) => !isEqual(left, right, pair));
  const same = first === -1 ? pairs.length : first;
  const different = pairs.slice(same);
  const toRow = ({ turn, ...pair }: Pair): ComparedRow => ({
    turn,
    ...(pair.left !== undefined && { left: toCell(left, pair.left) }),
    ...(pair.right !== undefined && { right: toCell(right, pair.right) }),
  });
  return {
    left: left.summary,
    right: right.summary,
    same,
    rows: different.slice(0, MAX_ROWS).map(toRow),
    more: Math.max(0, different.length - MAX_ROWS),
    sums: {
      left: sumUp(
        left.entries,
        different.map((pair) => pair.left),
      ),
      right: sumUp(
        right.entries,
        different.map((pair) => pair.right),
      ),
    },
  };
}

/**
 * Within a turn, pairs the first call of a tool with the first call of the same tool, the second with the second, etc.
 */
function pairEntries(left: readonly Entry[], right: readonly Entry[]): Pair[] {
  const partners = new Map<string, number>();
  for (const [key, index] of keysOf(right)) partners.set(key, index);
  const pairs: Pair[] = [];
  for (const [key, index] of keysOf(left)) {
    pairs.push({ turn: left[index]?.turn ?? 0, left: index, right: partners.get(key) });
    partners.delete(key);
  }
  for (const index of partners.values()) pairs.push({ turn: right[index]?.turn ?? 0, left: undefined, right: index });
  // The sort is stable: within a turn and kind, entries that only the right run has come last.
  const rank = ({ left: one, right: other }: Pair): number => rankOf(left[one ?? -1] ?? right[other ?? -1]);
  return pairs.sort((one, other) => one.turn - other.turn || rank(one) - rank(other));
}

const RANKS: readonly Entry["kind"][] = ["request", "wait", "tool", "message", "note"];

function rankOf(entry: Entry | undefined): number {
  return entry ? RANKS.indexOf(entry.kind) : 0;
}

/** Yields a key for each entry. Entries with equal keys in two runs are a pair. */
function* keysOf(entries: readonly Entry[]): Iterable<[key: string, index: number]> {
  const counts = new Map<string, number>();
  let turn = -1;
  for (const [index, entry] of entries.entries()) {
    if (entry.turn !== turn) counts.clear();
    ({ turn } = entry);
    const name = entry.kind === "request" ? "" : entry.name;
    const kind = `${entry.kind} ${name}`;
    const count = counts.get(kind) ?? 0;
    counts.set(kind, count + 1);
    yield [`${turn} ${count} ${kind}`, index];
  }
}

function isEqual(left: Run, right: Run, pair: Pair): boolean {
  if (pair.left === undefined || pair.right === undefined) return false;
  const [one, other] = [partsOf(left, pair.left), partsOf(right, pair.right)];
  const isSame = ({ title, text }: ComparedPart, index: number): boolean =>
    other[index]?.title === title && other[index].text === text;
  return one.length === other.length && one.every(isSame);
}

/** The texts to compare. Tables and the JSON of a message are left out: they contain times, which always differ. */
function partsOf(run: Run, index: number): ComparedPart[] {
  return run
    .contentOf(index)
    .filter((section): section is Extract<Section, { kind: "text" }> => section.kind === "text")
    .filter(({ title }) => title !== "Message as JSON");
}

function toCell(run: Run, index: number): ComparedCell {
  const entry = run.entries[index];
  if (!entry) throw new RangeError("There is no such entry");
  const parts = partsOf(run, index).map(({ title, text }) => ({
    title,
    text: cutText(text, MAX_PART, moreCharacters),
  }));
  return { index, entry, parts };
}

function sumUp(entries: readonly Entry[], indexes: readonly (number | undefined)[]): ComparedSums {
  const sums = { requests: 0, tools: 0, usage: noUsage(), durationMs: 0 };
  for (const index of indexes) {
    const entry = index === undefined ? undefined : entries[index];
    if (!entry) continue;
    if (entry.kind === "request") sums.requests++;
    if (entry.kind === "tool") sums.tools++;
    sums.durationMs += entry.durationMs ?? 0;
    if (entry.usage) addUsage(sums.usage, entry.usage, 1);
  }
  return sums;
}
