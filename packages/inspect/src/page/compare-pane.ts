/** The pane that compares two runs. It replaces the timeline and the details. */
import type { RunSummary } from "../record/entry.js";
import type { ComparedCell, ComparedPart, ComparedRow, ComparedSums, Comparison } from "../server/compare-runs.js";
import { loadComparison } from "./client.js";
import { button, element } from "./element.js";
import { addressOf } from "./route.js";
import { dot, formatCost, formatCount, formatMs, formatTime } from "./rows.js";

// Finds the words in which two texts differ.

/** A piece of one of the two texts. */
interface DiffPiece {
  text: string;
  /** Whether the other text lacks this piece. */
  changed: boolean;
}

/** The most pairs of words to compare. With more, everything between the equal beginning and end counts as changed. */
const MAX_PAIRS = 1_000_000;

/** Splits two texts into equal and changed pieces. An equal beginning and end are compared in linear time. */
export function diffWords(left: string, right: string): { left: DiffPiece[]; right: DiffPiece[] } {
  const [one, other] = [wordsOf(left), wordsOf(right)];
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start++;
  let end = 0;
  const rest = Math.min(one.length, other.length) - start;
  while (end < rest && one[one.length - 1 - end] === other[other.length - 1 - end]) end++;
  const middle = [one.slice(start, one.length - end), other.slice(start, other.length - end)] as const;
  const common = commonWords(...middle);
  return {
    left: toPieces(one, new Set(common.map(([index]) => start + index)), start, end),
    right: toPieces(other, new Set(common.map(([, index]) => start + index)), start, end),
  };
}

/** Splits a text into words, runs of white space, and other single characters. */
function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

/** The positions of the words of a longest common subsequence. */
function commonWords(left: readonly string[], right: readonly string[]): [left: number, right: number][] {
  if (left.length * right.length > MAX_PAIRS || left.length === 0 || right.length === 0) return [];
  const width = right.length + 1;
  const lengths = new Uint32Array((left.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = left.length - 1; row >= 0; row--)
    for (let column = right.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        left[row] === right[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
  const common: [number, number][] = [];
  for (let row = 0, column = 0; row < left.length && column < right.length; ) {
    if (left[row] === right[column]) common.push([row++, column++]);
    else if (at(row + 1, column) >= at(row, column + 1)) row++;
    else column++;
  }
  return common;
}

function toPieces(words: readonly string[], common: ReadonlySet<number>, start: number, end: number): DiffPiece[] {
  const pieces: DiffPiece[] = [];
  for (const [index, text] of words.entries()) {
    const changed = index >= start && index < words.length - end && !common.has(index);
    const last = pieces.at(-1);
    if (last?.changed === changed) last.text += text;
    else pieces.push({ text, changed });
  }
  return pieces;
}

/** Milliseconds between a change of a run and the comparison that shows it. */
const DELAY = 500;

interface ComparePaneActions {
  /** Called with the ids of the left and the right run. */
  onPick: (left: string, right: string) => void;
  onBack: () => void;
}

export class ComparePane {
  readonly #bar: HTMLElement = element("div", { class: "toolbar" });
  readonly #content: HTMLElement = element("div", {
    class: "scroll",
    attributes: { tabindex: "0", role: "region", "aria-label": "comparison" },
  });
  readonly element: HTMLElement = element("section", { class: "compare" }, this.#bar, this.#content);
  readonly #actions: ComparePaneActions;
  #shown: [left: string, right: string] | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(actions: ComparePaneActions) {
    this.#actions = actions;
  }

  /** @param other the id of the right run; empty if the user has not chosen one yet */
  async show(runs: readonly RunSummary[], left: RunSummary | undefined, other: string): Promise<void> {
    const { onPick, onBack } = this.#actions;
    this.#shown = left && [left.id, other];
    if (!left) return this.#say("This run is no longer kept.");
    const swap = button("Swap", () => onPick(other, left.id));
    this.#bar.replaceChildren(
      button("← Back", onBack),
      comparePicker(runs, left, other, (id) => onPick(left.id, id)),
      ...(other === "" ? [] : [swap]),
    );
    if (other === "") return this.#say("Choose a run to compare with.");
    await this.#load();
  }

  hide(): void {
    this.#shown = undefined;
  }

  /** Updates the comparison if the run is one of the two. */
  changed(run: string): void {
    if (!this.#shown?.includes(run)) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#load();
    }, DELAY);
  }

  async #load(): Promise<void> {
    const shown = this.#shown;
    const comparison = shown && (await loadComparison(...shown));
    if (shown !== this.#shown) return;
    if (!comparison) return this.#say("One of the runs is no longer kept.");
    const { scrollTop } = this.#content;
    this.#content.replaceChildren(compareView(comparison));
    this.#content.scrollTop = scrollTop;
  }

  #say(text: string): void {
    this.#content.replaceChildren(element("p", { class: "hint" }, text));
  }
}

// Two runs side by side: first the totals, then the rows from the first difference on.

function compareView(comparison: Comparison): HTMLElement {
  const { left, right, same, rows, more } = comparison;
  return element(
    "article",
    { class: "comparison" },
    sumTable(comparison),
    same > 0 &&
      element(
        "p",
        { class: "facts divider" },
        `${countOf(same, "row")} at the beginning ${same === 1 ? "is" : "are"} equal`,
      ),
    rows.length === 0 && element("p", { class: "hint" }, "The runs are equal."),
    rows.length > 0 && element("div", { class: "cells columns" }, side(left), side(right)),
    ...rows.map((row) => rowView(row, left, right)),
    more > 0 && element("p", { class: "facts divider" }, `${countOf(more, "more row")} at the end`),
  );
}

/** Lets the user choose the other run. */
function comparePicker(
  runs: readonly RunSummary[],
  run: RunSummary,
  other: string,
  onPick: (id: string) => void,
): HTMLElement {
  const options = runs
    .filter(({ id }) => id !== run.id)
    .reverse()
    .map((one) => element("option", { value: one.id, selected: one.id === other }, labelOf(one)));
  const none = element("option", { value: "", selected: other === "" }, "Choose a run …");
  const list = element("select", { attributes: { "aria-label": "Other run" } }, none, ...options);
  list.addEventListener("change", () => onPick(list.value));
  return element(
    "div",
    { class: "pick" },
    element("span", { class: "cut side" }, labelOf(run)),
    element("span", { class: "facts" }, "and"),
    list,
  );
}

function side({ title }: RunSummary): HTMLElement {
  return element("span", { class: "cut side" }, title || "(untitled)");
}

function labelOf({ title, model, startedAt }: RunSummary): string {
  return [title || "(untitled)", model, formatTime(startedAt)].filter(Boolean).join(" · ");
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function sumTable({ left, right, sums }: Comparison): HTMLElement {
  const line = (name: string, read: (sum: ComparedSums) => number, format: (value: number) => string): HTMLElement => {
    const [one, other] = [read(sums.left), read(sums.right)];
    const sign = other > one ? "+" : "−";
    const difference = one === other ? "=" : `${sign}${format(Math.abs(other - one))}`;
    const cells = [format(one), format(other), difference].map((text) => element("td", {}, text));
    return element("tr", {}, element("th", { attributes: { scope: "row" } }, name), ...cells);
  };
  const plain = (value: number): string => String(value);
  const head = ["", left.title, right.title, "Change"].map((text) =>
    element("th", { attributes: { scope: "col" } }, element("span", { class: "cut" }, text)),
  );
  return element(
    "table",
    { class: "sums" },
    element("tr", {}, ...head),
    line("Requests", ({ requests }) => requests, plain),
    line("Tool calls", ({ tools }) => tools, plain),
    line("Prompt tokens", ({ usage }) => usage.input + usage.cacheRead + usage.cacheWrite, formatCount),
    line("Output tokens", ({ usage }) => usage.output, formatCount),
    line("Cost", ({ usage }) => usage.cost, formatCost),
    line("Time", ({ durationMs }) => durationMs, formatMs),
  );
}

function rowView(row: ComparedRow, left: RunSummary, right: RunSummary): HTMLElement {
  const { kind, name } = row.left?.entry ?? row.right?.entry ?? { kind: "note", name: "" };
  const title = kind === "request" ? `Request ${row.turn}` : kind === "tool" ? `Tool ${name}` : name;
  const parts = pairParts(row.left?.parts ?? [], row.right?.parts ?? []);
  const isSame = row.left !== undefined && row.right !== undefined && parts.every(({ isEqual }) => isEqual);
  const cells = element(
    "div",
    { class: "cells" },
    cellView(
      row.left,
      left,
      parts.map((part) => part.left),
    ),
    cellView(
      row.right,
      right,
      parts.map((part) => part.right),
    ),
  );
  return element(
    "details",
    { class: `compared ${isSame ? "same" : ""}`, open: !isSame },
    element("summary", {}, title, isSame && element("span", { class: "facts" }, " equal")),
    cells,
  );
}

interface ShownPart {
  title: string;
  isEqual: boolean;
  pieces: DiffPiece[];
}

interface PartPair {
  left: ShownPart | undefined;
  right: ShownPart | undefined;
  isEqual: boolean;
}

/** Pairs parts with the same title. A part that only the right side has keeps its place among the others. */
function pairParts(left: readonly ComparedPart[], right: readonly ComparedPart[]): PartPair[] {
  const rest = [...right];
  const pairs: PartPair[] = [];
  for (const [index, part] of left.entries()) {
    const isLater = ({ title }: ComparedPart): boolean => left.slice(index).some((one) => one.title === title);
    while (rest[0] && !isLater(rest[0])) pairs.push(onlyRight(rest.shift()));
    const found = rest.findIndex(({ title }) => title === part.title);
    const [other] = found === -1 ? [] : rest.splice(found, 1);
    pairs.push(other ? pairOf(part, other) : { left: whole(part), right: undefined, isEqual: false });
  }
  return [...pairs, ...rest.map(onlyRight)];
}

function pairOf({ title, text }: ComparedPart, other: ComparedPart): PartPair {
  const isEqual = text === other.text;
  const { left, right } = diffWords(text, other.text);
  return { left: { title, isEqual, pieces: left }, right: { title, isEqual, pieces: right }, isEqual };
}

function onlyRight(part: ComparedPart | undefined): PartPair {
  return { left: undefined, right: part && whole(part), isEqual: false };
}

/** A part that only one side has. Its words are not marked: all of them would be. */
function whole({ title, text }: ComparedPart): ShownPart {
  return { title, isEqual: false, pieces: [{ text, changed: false }] };
}

function cellView(
  cell: ComparedCell | undefined,
  run: RunSummary,
  parts: readonly (ShownPart | undefined)[],
): HTMLElement {
  if (!cell) return element("div", { class: "cell none" }, element("p", { class: "facts" }, "not in this run"));
  const { entry, index } = cell;
  const { usage, durationMs, outcome } = entry;
  const tokens =
    usage && `${formatCount(usage.input + usage.cacheRead + usage.cacheWrite)} → ${formatCount(usage.output)} tokens`;
  const facts = [outcome === "running" ? "running" : formatMs(durationMs), tokens, usage && formatCost(usage.cost)];
  const href = addressOf({ run: run.id, view: index, query: "" });
  return element(
    "div",
    { class: "cell" },
    element(
      "p",
      { class: "cell-head facts" },
      dot(outcome),
      side(run),
      element("span", {}, facts.filter(Boolean).join(" · ")),
      element("a", { href, title: `Open in ${run.title}` }, "Open"),
    ),
    ...parts.filter((part) => part !== undefined).map(partView),
  );
}

/** Equal parts are collapsed, because the reader looks for differences. */
function partView({ title, isEqual, pieces }: ShownPart): HTMLElement {
  const words = pieces.map(({ text, changed }) => (changed ? element("mark", {}, text) : text));
  const summary = element("summary", {}, isEqual ? `${title}, equal` : title);
  return element("details", { class: "part", open: !isEqual }, summary, element("pre", {}, ...words));
}
