/** The page: runs, the timeline of one of them, and the details of an entry. */
import type { RunSummary } from "../record/entry.js";
import type { RunChange } from "../server/change-feed.js";
import { chartsView } from "./charts.js";
import { listen, loadDetails, loadEntries, loadRuns, loadTest } from "./client.js";
import { detailsView } from "./details-view.js";
import { element } from "./element.js";
import { type Route, readRoute, writeRoute } from "./route.js";
import { runRow } from "./rows.js";
import { RunView } from "./run-view.js";
import { VirtualList } from "./virtual-list.js";

const RUN_HEIGHT = 68;
/** Milliseconds after the last key before a search begins. */
const SEARCH_DELAY = 200;

class Page {
  #runs: RunSummary[] = [];
  #route: Route = readRoute();
  /** The run whose entries are shown. */
  #loaded: string | undefined;
  #detailsKey = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #status = element("p", { class: "status", hidden: true, attributes: { role: "status" } });
  readonly #hits = element("span", { class: "facts" });
  readonly #details = element("section", { class: "details", attributes: { "aria-label": "details", tabindex: "0" } });
  readonly #search = element("input", { type: "search", placeholder: "Search (/)", oninput: () => this.#typed() });
  readonly #runList = new VirtualList({
    label: "runs",
    rowHeight: RUN_HEIGHT,
    row: (position) => this.#runRow(position),
    onSelect: (position) => this.#go({ run: this.#runAt(position)?.id, view: undefined, query: "" }),
  });
  readonly #view = new RunView((index) => this.#go({ ...this.#route, view: index }));

  start(): void {
    const button = (text: string, onclick: () => void): HTMLElement =>
      element("button", { type: "button", onclick }, text);
    this.#search.ariaLabel = "Search";
    const tools = element(
      "div",
      { class: "toolbar" },
      button("← Back", () => this.#back()),
      this.#search,
      this.#hits,
      button("Charts", () => this.#go({ ...this.#route, view: "charts" })),
      button("Copy as test", () => void this.#copyTest()),
    );
    document.body.append(
      this.#status,
      element("nav", { class: "runs" }, element("h1", {}, "Runs"), this.#runList.element),
      element("main", { attributes: { "aria-label": "run" } }, tools, this.#view.list.element),
      this.#details,
    );
    addEventListener("popstate", () => this.#show(readRoute()));
    addEventListener("keydown", (event) => this.#press(event));
    listen({
      onReady: () => void this.#reload(),
      onChange: (change) => this.#change(change),
      onGone: () => this.#say("The server is gone. This is what was loaded before; the page connects again by itself."),
    });
  }

  /** The newest run comes first. */
  #runAt(position: number): RunSummary | undefined {
    return this.#runs[this.#runs.length - 1 - position];
  }

  #runRow(position: number): HTMLElement {
    const run = this.#runAt(position);
    return run ? runRow(run) : element("div");
  }

  async #reload(): Promise<void> {
    this.#runs = await loadRuns();
    this.#say("");
    this.#loaded = undefined;
    this.#detailsKey = "";
    await this.#show(this.#route);
  }

  #go(route: Route): void {
    writeRoute(route);
    void this.#show(route);
  }

  async #show(route: Route): Promise<void> {
    this.#route = route;
    document.body.dataset["level"] = route.run === undefined ? "runs" : route.view === undefined ? "run" : "details";
    this.#runList.resize(this.#runs.length);
    this.#runList.select(this.#runs.length - 1 - this.#runs.findLastIndex(({ id }) => id === route.run));
    if (route.run !== this.#loaded) await this.#load(route.run);
    if (document.activeElement !== this.#search && this.#search.value !== route.query) {
      this.#search.value = route.query;
      await this.#filter();
    }
    this.#view.select(typeof route.view === "number" ? route.view : undefined);
    await this.#showDetails();
  }

  async #load(run: string | undefined): Promise<void> {
    this.#loaded = run;
    const entries = run === undefined ? [] : await loadEntries(run);
    if (this.#loaded !== run) return;
    this.#view.show(entries ?? []);
    await this.#filter();
  }

  async #showDetails(): Promise<void> {
    const { run, view } = this.#route;
    const entry = typeof view === "number" ? this.#view.entries[view] : undefined;
    const key = `${run} ${view} ${JSON.stringify(view === "charts" ? this.#view.entries.length : entry)}`;
    if (key === this.#detailsKey) return;
    this.#detailsKey = key;
    if (view === "charts") return this.#details.replaceChildren(chartsView(this.#view.entries));
    const details = run !== undefined && view !== undefined ? await loadDetails(run, view) : undefined;
    if (key !== this.#detailsKey) return;
    const empty = element(
      "p",
      { class: "facts" },
      "Select an entry to see its messages, arguments, results and usage.",
    );
    this.#details.replaceChildren(details ? detailsView(details) : empty);
  }

  #change({ run, entries, dropped }: RunChange): void {
    const index = this.#runs.findIndex(({ id }) => id === run.id);
    if (dropped) this.#runs = this.#runs.filter(({ id }) => id !== run.id);
    else if (index === -1) this.#runs.push(run);
    else this.#runs[index] = run;
    this.#runList.resize(this.#runs.length);
    if (run.id !== this.#loaded) return;
    this.#view.update(entries);
    void this.#showDetails();
  }

  #typed(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#route = { ...this.#route, query: this.#search.value };
      writeRoute(this.#route);
      void this.#filter();
    }, SEARCH_DELAY);
  }

  async #filter(): Promise<void> {
    const { run, query } = this.#route;
    this.#hits.textContent = run === undefined ? "" : await this.#view.filter(run, query);
  }

  #back(): void {
    const { run, view } = this.#route;
    this.#go(
      view === undefined ? { run: undefined, view: undefined, query: "" } : { ...this.#route, run, view: undefined },
    );
  }

  #press(event: KeyboardEvent): void {
    if (event.key === "Escape" && event.target === this.#search) this.#view.list.element.focus();
    else if (event.key === "Escape") this.#back();
    else if (event.key === "/" && event.target !== this.#search) {
      event.preventDefault();
      this.#search.focus();
    } else if (event.key === "Enter" && event.target === this.#runList.element) this.#view.list.element.focus();
    else if (event.key === "Enter" && event.target === this.#view.list.element) this.#details.focus();
  }

  async #copyTest(): Promise<void> {
    const { run } = this.#route;
    const test = run === undefined ? undefined : await loadTest(run);
    if (!test) return this.#say("This run cannot be copied as a test.");
    const views = Object.entries(test.files).flatMap(([name, text]) => [
      element("h3", {}, name),
      element("button", { type: "button", onclick: () => void navigator.clipboard.writeText(text) }, `Copy ${name}`),
      element("pre", {}, text.length > 20_000 ? `${text.slice(0, 20_000)}\n…` : text),
    ]);
    const hint = element("p", {}, "Save these files beside each other, and run vitest.");
    this.#detailsKey = "test";
    document.body.dataset["level"] = "details";
    this.#details.replaceChildren(element("article", {}, element("h2", {}, "Test"), hint, ...views));
  }

  #say(text: string): void {
    this.#status.textContent = text;
    this.#status.hidden = text === "";
  }
}

new Page().start();
