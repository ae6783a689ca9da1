/** The head of a run: what it is, where it came from, and what can be done with it. */
import type { RunSummary } from "../record/entry.js";
import { element } from "./element.js";
import { button } from "./form.js";
import { formatCost, formatCount, formatMs } from "./format.js";
import { addressOf } from "./route.js";

export interface RunHeaderActions {
  onCompare: (other: string) => void;
  onStop: () => void;
  /** Shows the first tool call that waits. */
  onWaiting: () => void;
}

export function runHeader(run: RunSummary, original: RunSummary | undefined, actions: RunHeaderActions): HTMLElement {
  const { title, model, outcome, durationMs, usage, parent, waiting } = run;
  const tokens = usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
  const facts = [model, outcome === "done" ? "" : outcome, formatMs(durationMs), `${formatCount(tokens)} tokens`];
  const isFork = parent !== undefined;
  return element(
    "header",
    { class: "run-header" },
    element(
      "div",
      { class: "run-facts" },
      element("h1", { class: "cut", title }, title || "(untitled)"),
      element("p", { class: "facts" }, [...facts, formatCost(usage.cost)].filter(Boolean).join(" · ")),
      parent && origin(parent.run, parent.turn, parent.entry, original?.title),
    ),
    element(
      "div",
      { class: "actions" },
      waiting > 0 && button(waiting === 1 ? "1 call waits" : `${waiting} calls wait`, actions.onWaiting, "primary"),
      isFork && outcome === "running" && button("Stop", actions.onStop, "danger"),
      isFork && original !== undefined && button("Compare with original", () => actions.onCompare(parent.run)),
    ),
  );
}

function origin(run: string, turn: number, entry: number, title: string | undefined): HTMLElement {
  const place = `Forked at request ${turn} of `;
  if (title === undefined) return element("p", { class: "facts cut" }, `${place}a run that is not kept any more`);
  const href = addressOf({ run, view: entry, query: "" });
  return element("p", { class: "facts cut" }, place, element("a", { href }, title || "(untitled)"));
}
