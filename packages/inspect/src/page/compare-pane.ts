/** The pane in place of the timeline that compares two runs. */
import type { RunSummary } from "../record/entry.js";
import { loadComparison } from "./client.js";
import { comparePicker, compareView } from "./compare-view.js";
import { element } from "./element.js";
import { button } from "./form.js";

/** Milliseconds in which changes of running runs are collected. */
const DELAY = 500;

export interface ComparePaneActions {
  /** Receives the ids of the runs at the left and at the right. */
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

  /** @param other the id of the run at the right; empty for none yet */
  async show(runs: readonly RunSummary[], left: RunSummary | undefined, other: string): Promise<void> {
    const { onPick, onBack } = this.#actions;
    this.#shown = left && [left.id, other];
    if (!left) return this.#say("This run is not kept any more.");
    const swap = button("Swap", () => onPick(other, left.id));
    this.#bar.replaceChildren(
      button("← Back", onBack),
      comparePicker(runs, left, other, (id) => onPick(left.id, id)),
      ...(other === "" ? [] : [swap]),
    );
    if (other === "") return this.#say("Choose the run to compare with.");
    await this.#load();
  }

  hide(): void {
    this.#shown = undefined;
  }

  /** Compares again if the run is one of the two. */
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
    if (!comparison) return this.#say("One of the runs is not kept any more.");
    const { scrollTop } = this.#content;
    this.#content.replaceChildren(compareView(comparison));
    this.#content.scrollTop = scrollTop;
  }

  #say(text: string): void {
    this.#content.replaceChildren(element("p", { class: "hint" }, text));
  }
}
