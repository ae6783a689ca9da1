/** The pane beside the timeline. It shows the details of an entry, charts, the form for a fork, or a copied test. */
import type { CopiedTest, RunSummary } from "../record/entry.js";
import { awaitView } from "./await-view.js";
import { chartsView } from "./charts-view.js";
import { loadDetails, loadDraft, sendResult, startFork } from "./client.js";
import { detailsView } from "./details-view.js";
import { button, element } from "./element.js";
import { forkView } from "./fork-view.js";
import type { View } from "./route.js";
import type { RunView } from "./run-view.js";

interface DetailsPaneActions {
  onBack: () => void;
  onView: (view: View) => void;
  /** Called with the id of a fork that was started. */
  onForked: (run: string) => void;
}

export class DetailsPane {
  readonly element: HTMLElement;
  readonly #content: HTMLElement = element("div");
  readonly #actions: DetailsPaneActions;
  /** Identifies what is shown. The content is replaced only when this changes, so that a form keeps its input. */
  #key = "";

  constructor(actions: DetailsPaneActions) {
    this.#actions = actions;
    const attributes = { "aria-label": "details", tabindex: "0" };
    const back = button("← Back", actions.onBack, "back");
    this.element = element("section", { class: "details", attributes }, back, this.#content);
  }

  /** Makes the next call of {@link show} load the content again. A form stays, because it may contain input. */
  reset(): void {
    if (!this.#content.querySelector("textarea")) this.#key = "";
  }

  async show(run: RunSummary | undefined, entries: RunView, view: View): Promise<void> {
    const isFork = typeof view === "object" && "fork" in view;
    const entry = typeof view === "number" ? entries.at(view) : undefined;
    const state = view === "charts" ? entries.count : entry;
    const key = JSON.stringify([run?.id, view, state, run?.canFork]);
    if (key === this.#key) return;
    this.#key = key;
    let content: HTMLElement | undefined;
    if (view === "charts") content = chartsView(await entries.all());
    else if (run && isFork) content = await this.#fork(run, view.fork);
    else if (run && typeof view === "number") content = await this.#describe(run, view);
    if (key !== this.#key) return;
    const empty = "Select a row to see its messages, arguments, results and usage.";
    this.#content.replaceChildren(content ?? element("p", { class: "facts" }, empty));
    if (isFork) this.element.querySelector("textarea")?.focus();
  }

  showTest(test: CopiedTest): void {
    const views = Object.entries(test.files).flatMap(([name, text]) => [
      element("h3", {}, name),
      button(`Copy ${name}`, () => void navigator.clipboard.writeText(text)),
      element("pre", {}, text.length > 20_000 ? `${text.slice(0, 20_000)}\n…` : text),
    ]);
    const hint = element("p", {}, "Save these files in one folder and run vitest.");
    this.#key = "test";
    this.#content.replaceChildren(element("article", {}, element("h2", {}, "Test"), hint, ...views));
  }

  async #describe(run: RunSummary, index: number): Promise<HTMLElement | undefined> {
    const details = await loadDetails(run.id, index);
    if (!details) return element("p", { class: "hint" }, "The source no longer has this row, or cannot be read.");
    const { awaits, name, kind } = details.entry;
    const onResult = async (body: unknown): Promise<string | undefined> => {
      const { error } = await sendResult(run.id, body);
      // The form is about to be removed, and the focused element with it.
      if (error === undefined) this.element.focus();
      return error;
    };
    return detailsView(details, {
      onFork:
        run.canFork && kind !== "note" && kind !== "wait" ? () => this.#actions.onView({ fork: index }) : undefined,
      notice: awaits && awaitView({ run: run.id, tool: name, awaits, onResult }),
    });
  }

  async #fork(run: RunSummary, index: number): Promise<HTMLElement> {
    const draft = await loadDraft(run.id, index);
    if (!draft) return element("p", { class: "facts" }, "The run cannot be forked here.");
    return forkView({
      run: run.id,
      draft,
      onCancel: () => this.#actions.onView(index),
      onRun: async (changes) => {
        const { run: forked, error } = await startFork(run.id, changes);
        if (forked !== undefined) this.#actions.onForked(forked);
        return error;
      },
    });
  }
}
