/** The page: the list of runs with its filter, the timeline of one run, and its details pane or a comparison with another run. */
import type { RunSummary } from "../record/entry.js";
import type { RunChange } from "../server/change-feed.js";
import { listen, loadRuns, loadSessions, loadTest, moreSessions, stopFork } from "./client.js";
import { ComparePane } from "./compare-pane.js";
import { DetailsPane } from "./details-pane.js";
import { button, element } from "./element.js";
import { levelOf, type Route, readRoute, type View, writeRoute } from "./route.js";
import { formatCount, runRow } from "./rows.js";
import { RunHeader, RunView, SearchField } from "./run-view.js";
import { VirtualList } from "./virtual-list.js";

// The controls above the list of runs: a filter, and buttons that list more sessions of the folder or database.

/** A shorter list has no filter. */
const FEW_RUNS = 10;

class SessionBar {
  readonly #input = element("input", { type: "search", placeholder: "Filter runs", oninput: () => this.#onFilter() });
  readonly #text = element("span", { class: "facts" });
  readonly #find = button("Find", () => void this.#load(this.#input.value));
  readonly #more = element(
    "div",
    { class: "actions", hidden: true },
    this.#text,
    button("Show more", () => void this.#load()),
    this.#find,
  );
  readonly element: HTMLElement = element("div", { class: "sessions" }, this.#input, this.#more);
  readonly #onFilter: () => void;

  constructor(onFilter: () => void) {
    this.#onFilter = onFilter;
    this.#input.ariaLabel = "Filter runs";
    this.#find.title = "Searches the names of all sessions for the text of the filter";
    this.#input.addEventListener("keydown", ({ key }) => {
      if (key === "Enter") void this.#load(this.#input.value);
    });
  }

  /** The runs whose title, source or model contains the text of the filter. Hides the filter if the list is short. */
  filter(runs: readonly RunSummary[]): readonly RunSummary[] {
    const wanted = this.#input.value.toLowerCase();
    this.#input.hidden = wanted === "" && this.#more.hidden && runs.length < FEW_RUNS;
    if (wanted === "") return runs;
    return runs.filter(({ title, source, model }) => `${title}\n${source}\n${model}`.toLowerCase().includes(wanted));
  }

  /**
   * Shows how many of the sessions are in the list.
   *
   * @param result of a search or an error, shown before the numbers
   */
  async update(result = ""): Promise<void> {
    const counts = await loadSessions();
    this.#more.hidden = !counts || (counts.shown >= counts.total && result === "");
    this.#onFilter();
    if (counts)
      this.#text.textContent = `${result}${formatCount(counts.shown)} of ${formatCount(counts.total)} sessions`;
  }

  /** @param text finds the sessions whose names contain it; undefined adds the next older sessions */
  async #load(text?: string): Promise<void> {
    if (this.#more.hidden || text === "") return;
    this.#text.textContent = "Reading …";
    const { found, error } = await moreSessions(text);
    await this.update(error !== undefined ? `${error} ` : found === undefined ? "" : `${found} found · `);
  }
}

const RUN_HEIGHT = 68;
const NO_ROUTE: Route = { run: undefined, view: undefined, query: "" };

class Page {
  #runs: RunSummary[] = [];
  /** The runs that match the filter, the newest last. */
  #listed: readonly RunSummary[] = [];
  #route: Route = readRoute();
  readonly #status = element("p", { class: "status", hidden: true, attributes: { role: "status" } });
  readonly #hits = element("span", { class: "facts" });
  readonly #header = new RunHeader({
    onCompare: (run, other) => this.#go({ ...NO_ROUTE, run, view: { compare: other } }),
    onStop: (run) => void this.#stop(run),
    onWaiting: async () => this.#open((await this.#view.all()).findIndex(({ awaits }) => awaits)),
  });
  readonly #none = element("p", { class: "hint", hidden: true }, "No runs yet. A run appears here when it starts.");
  readonly #search = new SearchField((query) => this.#searchFor(query));
  readonly #help = helpView();
  readonly #sessions = new SessionBar(() => this.#listRuns());
  readonly #runList = new VirtualList({
    label: "runs",
    rowHeight: RUN_HEIGHT,
    row: (position) => runRow(this.#runAt(position)),
    onSelect: (position) => this.#go({ ...NO_ROUTE, run: this.#runAt(position)?.id }),
  });
  readonly #view = new RunView(
    (index) => this.#open(index),
    () => void this.#showDetails(),
  );
  readonly #details = new DetailsPane({
    onBack: () => this.#back(),
    onView: (view) => this.#open(view),
    onForked: (run) => {
      this.#go({ ...NO_ROUTE, run });
      this.#view.list.element.focus();
    },
  });
  readonly #compare = new ComparePane({
    onPick: (left, right) => this.#go({ ...NO_ROUTE, run: left, view: { compare: right } }),
    onBack: () => this.#back(),
  });

  start(): void {
    const tools = element(
      "div",
      { class: "toolbar" },
      button("← Back", () => this.#back(), "back"),
      this.#search.element,
      this.#hits,
      button("Charts", () => this.#open("charts")),
      button("Compare", () => this.#open({ compare: "" })),
      button("Copy as test", () => void this.#copyTest()),
    );
    const help = button("?", () => this.#help.showModal(), "help");
    help.ariaLabel = "Keys";
    document.body.append(
      this.#status,
      element(
        "nav",
        { class: "runs" },
        element("div", { class: "nav-head" }, element("h1", {}, "Runs"), help),
        this.#sessions.element,
        this.#none,
        this.#runList.element,
      ),
      element("main", { attributes: { "aria-label": "run" } }, this.#header.element, tools, this.#view.list.element),
      this.#details.element,
      this.#compare.element,
      this.#help,
    );
    addEventListener("popstate", () => void this.#show(readRoute()));
    this.#listenToKeys();
    listen({
      onReady: () => void this.#reload(),
      onChange: (change) => this.#change(change),
      onGone: () => this.#say("The server is gone. The page shows what it has loaded, and reconnects by itself."),
    });
  }

  get #run(): RunSummary | undefined {
    return this.#find(this.#route.run);
  }

  #find(id: string | undefined): RunSummary | undefined {
    return this.#runs.find((run) => run.id === id);
  }

  /** The run at a position of the list, which shows the newest run first. */
  #runAt(position: number): RunSummary | undefined {
    return this.#listed[this.#listed.length - 1 - position];
  }

  /** @param reveal whether to scroll to the selected run */
  #listRuns(reveal = false): void {
    this.#listed = this.#sessions.filter(this.#runs);
    this.#runList.resize(this.#listed.length);
    const index = this.#listed.findLastIndex(({ id }) => id === this.#route.run);
    this.#runList.select(index === -1 ? -1 : this.#listed.length - 1 - index, reveal);
  }

  async #reload(): Promise<void> {
    this.#runs = await loadRuns();
    this.#say("");
    void this.#sessions.update();
    this.#showAgain();
  }

  #showAgain(): void {
    this.#view.reset();
    this.#details.reset();
    void this.#show(this.#route);
  }

  #go(route: Route): void {
    writeRoute(route);
    void this.#show(route);
  }

  /** Shows a view of the run that is open. */
  #open(view: View): void {
    if (this.#route.run !== undefined) this.#go({ ...this.#route, view });
  }

  async #show(route: Route): Promise<void> {
    this.#route = route;
    document.body.dataset["level"] = levelOf(route);
    this.#listRuns(true);
    this.#showHeader();
    if (await this.#view.load(route.run)) await this.#filter();
    if (this.#search.show(route.query)) await this.#filter();
    if (route !== this.#route) return;
    const { view } = route;
    const isComparison = typeof view === "object" && "compare" in view;
    const selected = typeof view === "object" && "fork" in view ? view.fork : view;
    this.#view.select(typeof selected === "number" ? selected : undefined);
    if (isComparison) await this.#compare.show(this.#runs, this.#run, view.compare);
    else this.#compare.hide();
    if (!isComparison) await this.#showDetails();
  }

  #showHeader(): void {
    const run = this.#run;
    this.#none.hidden = this.#runs.length > 0;
    const hint = this.#route.run === undefined ? "Select a run." : "This run is no longer kept.";
    this.#header.show(run, this.#find(run?.parent?.run), this.#runs.length > 0 ? hint : "");
  }

  async #stop(id: string): Promise<void> {
    const { error } = await stopFork(id);
    if (error !== undefined) this.#say(error);
  }

  async #showDetails(): Promise<void> {
    await this.#details.show(this.#run, this.#view, this.#route.view);
  }

  #change({ run, entries, dropped, oldest }: RunChange): void {
    const index = this.#runs.findIndex(({ id }) => id === run.id);
    if (dropped) this.#runs = this.#runs.filter(({ id }) => id !== run.id);
    else if (index === -1 && oldest) this.#runs.unshift(run);
    else if (index === -1) this.#runs.push(run);
    else this.#runs[index] = run;
    this.#listRuns();
    this.#compare.changed(run.id);
    if (index === -1 || dropped || run.id === this.#route.run) this.#showHeader();
    // A run with the same id was dropped before, because its file was truncated or replaced.
    if (index === -1 && !dropped && !oldest && run.id === this.#route.run) this.#showAgain();
    else if (this.#view.update(run.id, entries)) void this.#showDetails();
  }

  #searchFor(query: string): void {
    this.#route = { ...this.#route, query };
    writeRoute(this.#route);
    void this.#filter();
  }

  async #filter(): Promise<void> {
    const { run, query } = this.#route;
    this.#hits.textContent = run === undefined ? "" : await this.#view.filter(run, query);
  }

  #back(): void {
    const { run, view } = this.#route;
    if (view === undefined) this.#go(NO_ROUTE);
    else this.#go({ ...this.#route, run, view: typeof view === "object" && "fork" in view ? view.fork : undefined });
  }

  #listenToKeys(): void {
    const timeline = this.#view.list.element;
    listenToKeys(
      {
        Escape: () => this.#back(),
        Enter: () => {
          if (document.activeElement === this.#runList.element) timeline.focus();
          else if (document.activeElement === timeline) this.#details.element.focus();
        },
        "/": () => this.#search.element.focus(),
        "?": () => this.#help.showModal(),
        f: () => this.#fork(),
        c: () => this.#open({ compare: "" }),
        g: () => this.#open("charts"),
        t: () => void this.#copyTest(),
      },
      () => (levelOf(this.#route) === "compare" ? this.#back() : timeline.focus()),
    );
  }

  /** Opens the form for a fork at the selected entry. */
  #fork(): void {
    const { view } = this.#route;
    if (typeof view === "number" && this.#run?.canFork) this.#open({ fork: view });
  }

  async #copyTest(): Promise<void> {
    const { run } = this.#route;
    const test = run === undefined ? undefined : await loadTest(run);
    if (!test) return this.#say("This run cannot be copied as a test.");
    document.body.dataset["level"] = "details";
    this.#details.showTest(test);
  }

  #say(text: string): void {
    this.#status.textContent = text;
    this.#status.hidden = text === "";
  }
}

// Keyboard shortcuts that work anywhere on the page, and the dialog that lists them.

/**
 * Calls the action of a key when it is pressed. While a field has the focus, only Escape works: it leaves the field.
 * While a dialog is open, no shortcut works.
 *
 * @param leave called for Escape in a field, instead of the action of Escape
 */
function listenToKeys(actions: Readonly<Record<string, () => void>>, leave: () => void): void {
  addEventListener("keydown", (event) => {
    const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
    if (!action || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const { target } = event;
    const isWriting = target instanceof HTMLElement && target.matches("input, textarea, select");
    if (isWriting && event.key !== "Escape") return;
    // By default, "/" would be typed into the search field that it focuses, and Escape would clear the field it leaves.
    if (event.key.length === 1 || isWriting) event.preventDefault();
    if (isWriting) leave();
    else action();
  });
}

const KEYS: readonly [keys: string[], meaning: string][] = [
  [["↓", "↑", "j", "k"], "Next and previous row"],
  [["Home", "End"], "First and last row"],
  [["PageDown", "PageUp"], "Next and previous page of rows"],
  [["Enter"], "Go to the next part: runs, timeline, details"],
  [["Escape"], "Go back"],
  [["/"], "Search in the run"],
  [["f"], "Fork the run at the selected row"],
  [["c"], "Compare the run with another one"],
  [["g"], "Charts"],
  [["t"], "Copy the run as a test"],
  [["?"], "This list"],
];

/** Open it with `showModal`: then the browser keeps the focus inside, and closes the dialog on Escape. */
function helpView(): HTMLDialogElement {
  const rows = KEYS.map(([keys, meaning]) =>
    element("tr", {}, element("th", {}, ...keys.map((key) => element("kbd", {}, key))), element("td", {}, meaning)),
  );
  const dialog = element(
    "dialog",
    { attributes: { "aria-label": "Keys" } },
    element("h2", {}, "Keys"),
    element("table", {}, ...rows),
    button("Close", () => dialog.close()),
  );
  // A click on the backdrop has the dialog itself as its target.
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}

new Page().start();
