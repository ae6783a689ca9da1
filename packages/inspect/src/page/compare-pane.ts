/** The pane that compares two runs. It replaces the timeline and the details. */
import type { RunSummary } from "../record/entry.js";
import { loadComparison } from "./client.js";
import { comparePicker, compareView } from "./compare-view.js";
import { element } from "./element.js";
import { button } from "./form.js";

/** Milliseconds between a change of a run and the comparison that shows it. */
const DELAY = 500;

export interface ComparePaneActions {
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
