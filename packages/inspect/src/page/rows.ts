/** The rows of the list of runs and of the timeline, and the numbers and times in them. */
import type { Entry, RunSummary } from "../record/entry.js";
import { element } from "./element.js";

// Formats numbers and times for the page.

export function formatMs(ms: number | undefined): string {
  if (ms === undefined) return "";
  // The limits are those of the rounded values: 59.96 s is 1 min 0 s, not 60.0 s.
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

export function formatCount(count: number): string {
  if (count < 10_000) return String(Math.round(count));
  return count < 999_950 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** @param cost in US dollars */
export function formatCost(cost: number): string {
  if (cost === 0) return "$0";
  if (cost < 0.00001) return "<$0.00001";
  return cost < 0.01 ? `$${Number(cost.toFixed(5))}` : `$${cost.toFixed(2)}`;
}

export function formatTime(time: number | undefined): string {
  return time === undefined ? "" : new Date(time).toLocaleTimeString();
}

export function runRow(run: RunSummary | undefined): HTMLElement {
  if (!run) return element("div");
  const { title, model, outcome, durationMs, startedAt, usage, requests, waiting, parent } = run;
  const tokens = usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
  const facts = [
    outcome === "running" ? "running" : formatMs(durationMs),
    formatCost(usage.cost),
    `${formatCount(tokens)} tokens`,
    `${requests} ${requests === 1 ? "request" : "requests"}`,
  ];
  return element(
    "div",
    { class: `run ${outcome}${parent ? " fork" : ""}` },
    element(
      "div",
      { class: "run-title" },
      dot(outcome),
      element("span", { class: "cut" }, title || "(untitled)"),
      waiting > 0 && element("span", { class: "badge" }, "waits"),
    ),
    element("div", { class: "facts cut" }, [model, formatTime(startedAt)].filter(Boolean).join(" · ")),
    element("div", { class: "facts cut" }, facts.filter(Boolean).join(" · ")),
  );
}

/** When a turn began and ended, in Unix milliseconds. The bars of its rows share this time axis. */
interface TurnSpan {
  start: number;
  end: number;
}

export function entryRow(entry: Entry, span: TurnSpan | undefined): HTMLElement {
  const { kind, name, title, outcome, usage, durationMs, turn, inherited, awaits, attempts = 1, received } = entry;
  const prompt = usage ? usage.input + usage.cacheRead + usage.cacheWrite : 0;
  const share = usage && prompt > 0 ? `${Math.round((100 * usage.cacheRead) / prompt)} % cached` : "";
  const retries = attempts > 1 ? `${attempts} attempts` : "";
  const arrived = received === undefined ? "…" : `${formatCount(received)} B`;
  return element(
    "div",
    { class: `entry ${kind} ${outcome}${inherited ? " inherited" : ""}` },
    element("span", { class: "turn" }, kind === "request" ? String(turn) : ""),
    element(
      "span",
      { class: "kind" },
      dot(outcome),
      element("span", { class: "cut" }, kind === "request" ? "request" : name),
    ),
    element("span", { class: "title cut" }, awaits && element("span", { class: "badge" }, "waits"), title),
    element("span", { class: "bar-box" }, span && bar(entry, span)),
    element("span", { class: "facts share" }, retries || share),
    element("span", { class: "facts number" }, outcome === "running" ? arrived : formatMs(durationMs)),
  );
}

export function dot(outcome: string): HTMLElement {
  return element("span", {
    class: `dot ${outcome}`,
    title: outcome,
    attributes: { role: "img", "aria-label": outcome },
  });
}

function bar({ startedAt, durationMs, firstMs, outcome }: Entry, { start, end }: TurnSpan): HTMLElement | undefined {
  if (startedAt === undefined) return undefined;
  const length = Math.max(1, end - start);
  const own = outcome === "running" ? end - startedAt : (durationMs ?? 0);
  const made = element("span", { class: `bar ${outcome}` });
  made.style.left = `${(100 * Math.max(0, startedAt - start)) / length}%`;
  made.style.width = `${Math.max(1, (100 * own) / length)}%`;
  if (firstMs !== undefined && own > 0) {
    const wait = element("span", { class: "wait" });
    wait.style.width = `${Math.min(100, (100 * firstMs) / own)}%`;
    made.append(wait);
  }
  return made;
}

/** The kinds of entries that take time. */
const TIMED: ReadonlySet<Entry["kind"]> = new Set(["request", "wait", "tool"]);

/** How many rows before and after an entry to search for its turn. In a run without requests, all rows have turn 0. */
const NEAR_ROWS = 200;

/** The span of an entry's turn, over those entries of the turn that are loaded. The entries of a turn are adjacent. */
export function spanAt(at: (index: number) => Entry | undefined, index: number): TurnSpan | undefined {
  const turn = at(index)?.turn;
  let span: TurnSpan | undefined;
  const add = ({ kind, startedAt, durationMs = 0 }: Entry): void => {
    if (startedAt === undefined || !TIMED.has(kind)) return;
    const end = startedAt + durationMs;
    span = { start: Math.min(span?.start ?? startedAt, startedAt), end: Math.max(span?.end ?? end, end) };
  };
  for (const step of [1, -1])
    for (let place = step === 1 ? index : index - 1; Math.abs(place - index) <= NEAR_ROWS; place += step) {
      const entry = at(place);
      if (entry?.turn !== turn || !entry) break;
      add(entry);
    }
  return span;
}
