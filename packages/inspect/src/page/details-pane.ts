/** The pane beside the timeline. It shows the details of an entry, charts, the form for a fork, or a copied test. */
import type { AwaitedResult, CopiedTest, Entry, RunSummary, Section } from "../record/entry.js";
import type { EntryDetails } from "../server/api.js";
import { loadDetails, loadDraft, sendResult, startFork } from "./client.js";
import { button, check, element, field, keepForm, svgElement, textArea } from "./element.js";
import { forkView } from "./fork-view.js";
import type { View } from "./route.js";
import { formatCost, formatCount, formatMs } from "./rows.js";
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

// The details of an entry.

/** Texts with more characters are collapsed at first. */
const OPEN_LENGTH = 4000;

interface DetailsOptions {
  /** Opens the form for a fork. Undefined if the run cannot be forked at this entry. */
  onFork: (() => void) | undefined;
  /** Shown above the sections. */
  notice: HTMLElement | undefined;
}

const RESULT_FROM = {
  recording: "The result was taken from the original run.",
  page: "The result was typed on this page.",
  tool: "The program ran the tool for this fork.",
} as const;

function detailsView({ entry, sections }: EntryDetails, { onFork, notice }: DetailsOptions): HTMLElement {
  const { kind, turn, name, inherited, resultFrom } = entry;
  const origin = inherited ? "This row is part of the original run." : resultFrom && RESULT_FROM[resultFrom];
  return element(
    "article",
    {},
    element(
      "div",
      { class: "details-head" },
      element("h2", {}, kind === "request" ? `Request ${turn}` : name),
      onFork && button(kind === "request" ? "Fork here" : "Fork from here", onFork),
    ),
    origin && element("p", { class: "facts" }, origin),
    notice,
    ...sections.map(sectionView),
  );
}

function sectionView(section: Section, index: number): HTMLElement {
  if (section.kind === "table") return tableView(section);
  const isLong = section.kind === "text" && (section.text.length > OPEN_LENGTH || index > 12);
  const made = element("details", {}, element("summary", {}, section.title));
  made.open = !isLong && !/^Prompt|^Tools$|JSON$|^Headers$|^Request body$/.test(section.title);
  // The content of a collapsed section is created when the section is opened.
  const fill = (): void => {
    if (made.open && made.childElementCount === 1) made.append(...contentOf(section));
  };
  made.addEventListener("toggle", fill);
  fill();
  return made;
}

function contentOf(section: Exclude<Section, { kind: "table" }>): HTMLElement[] {
  if (section.kind === "text") return [element("pre", {}, section.text)];
  const { summary, before, after } = section;
  return [
    element("p", { class: before === "" ? "" : "warning" }, summary),
    ...(before === "" ? [] : [element("pre", { class: "before", title: "before" }, before)]),
    element("pre", { class: "after", title: "now" }, after),
  ];
}

function tableView({ title, rows }: Extract<Section, { kind: "table" }>): HTMLElement {
  const lines = rows.map(([name, value]) => element("tr", {}, element("th", {}, name), element("td", {}, value)));
  return element("table", {}, element("caption", {}, title), ...lines);
}

// The form for a tool call that waits for its result: the user types the result, or lets the program run the tool.

interface AwaitViewOptions {
  /** The id of the run. */
  run: string;
  tool: string;
  awaits: AwaitedResult;
  /** Sends the result. Resolves with the reason if the server refuses it, else with undefined. */
  onResult: (body: unknown) => Promise<string | undefined>;
}

function awaitView({ run, tool, awaits, onResult }: AwaitViewOptions): HTMLElement {
  const { call, canRun, recorded } = awaits;
  const text = textArea(recorded ?? "", "What the tool would return");
  const failed = check("The tool failed");
  const problem = element("p", { class: "problem", hidden: true, attributes: { role: "alert" } });
  const send = async (body: object): Promise<void> => {
    const error = await onResult({ call, ...body });
    if (error === undefined) forget();
    problem.textContent = error ?? "";
    problem.hidden = error === undefined;
  };
  const use = button(
    "Use this result",
    () => void send({ text: text.value, isError: failed.input.checked }),
    "primary",
  );
  const question = confirmation(tool, () => void send({ run: true, confirmed: true }));
  const ask = button("Run the tool …", () => {
    question.hidden = false;
    question.querySelector("button")?.focus();
  });
  const form = element(
    "section",
    { class: "awaits", attributes: { "aria-label": "waiting for a result" } },
    element("p", {}, "This call waits for a result. ", whyOf(recorded)),
    field("Result", text),
    failed.element,
    problem,
    element("div", { class: "actions" }, use, canRun && ask),
    canRun && question,
  );
  const forget = keepForm(form, `result ${run} ${call}`);
  return form;
}

function whyOf(recorded: string | undefined): string {
  if (recorded !== undefined) return "Below is the result of the original run.";
  return "The original run has none for these arguments.";
}

/** The user must confirm before a tool runs, because it can delete files, spend money or send messages. */
function confirmation(tool: string, onConfirm: () => void): HTMLElement {
  const text = `${tool} will run in the program with the arguments below. Its effects are real.`;
  const made = element("div", {
    class: "confirm",
    hidden: true,
    attributes: { role: "alertdialog", "aria-label": text },
  });
  const cancel = button("Do not run it", () => {
    made.hidden = true;
  });
  made.append(
    element("p", {}, text),
    element("div", { class: "actions" }, cancel, button("Run it now", onConfirm, "danger")),
  );
  return made;
}

// Charts of the requests of a run, and a table of its tools.

const WIDTH = 600;
const HEIGHT = 120;
/** One point for each unit of the width: more could not be told apart. */
const MAX_POINTS = 600;
/** The largest width of a bar, for runs with few requests. */
const MAX_STEP = 40;

function chartsView(entries: readonly Entry[]): HTMLElement {
  const requests = entries.filter(({ kind }) => kind === "request");
  const promptOf = ({ usage }: Entry): number => (usage ? usage.input + usage.cacheRead + usage.cacheWrite : 0);
  let cost = 0;
  const costs = requests.map(({ usage }) => (cost += usage?.cost ?? 0));
  const shares = requests.map((entry) => (100 * (entry.usage?.cacheRead ?? 0)) / Math.max(1, promptOf(entry)));
  const speeds = requests.map(({ usage, durationMs = 0, firstMs = 0 }) =>
    durationMs > firstMs ? ((usage?.output ?? 0) * 1000) / (durationMs - firstMs) : 0,
  );
  return element(
    "article",
    { class: "charts" },
    element("h2", {}, "Charts"),
    chart("Cost up to each request", costs, formatCost),
    chart("Prompt tokens (the context in use)", requests.map(promptOf), formatCount),
    chart(
      "Output tokens",
      requests.map(({ usage }) => usage?.output ?? 0),
      formatCount,
    ),
    chart("Share of the prompt read from the cache", shares, (value) => `${Math.round(value)} %`),
    chart(
      "Time to the first part",
      requests.map(({ firstMs = 0 }) => firstMs),
      formatMs,
    ),
    chart("Output tokens per second", speeds, (value) => value.toFixed(1)),
    toolTable(entries),
  );
}

function chart(title: string, values: readonly number[], format: (value: number) => string): HTMLElement | undefined {
  const points = thin(values);
  const max = Math.max(...points, 0);
  // All values are 0 or unknown: a chart would be empty.
  if (max === 0) return undefined;
  const extent = `last ${format(values.at(-1) ?? 0)}, most ${format(max)}`;
  const step = Math.min(MAX_STEP, WIDTH / Math.max(1, points.length));
  const bars = points.map((value, index) => {
    const height = (HEIGHT * value) / max;
    return svgElement("rect", { x: index * step, y: HEIGHT - height, width: Math.max(0.5, step * 0.85), height });
  });
  const size = {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": `${title}: ${extent}`,
  };
  const figure = element("figure", {}, element("figcaption", {}, element("strong", {}, title), extent));
  figure.append(svgElement("svg", size, ...bars));
  return figure;
}

/** Reduces the values to `MAX_POINTS`: each stands for a range of values and is the largest of them. */
function thin(values: readonly number[]): number[] {
  if (values.length <= MAX_POINTS) return [...values];
  const size = values.length / MAX_POINTS;
  return Array.from({ length: MAX_POINTS }, (_, index) =>
    Math.max(
      ...values.slice(Math.floor(index * size), Math.max(Math.floor(index * size) + 1, Math.floor((index + 1) * size))),
    ),
  );
}

function toolTable(entries: readonly Entry[]): HTMLElement | undefined {
  const tools = new Map<string, { count: number; total: number; most: number; errors: number }>();
  for (const { kind, name, durationMs = 0, outcome } of entries) {
    if (kind !== "tool") continue;
    const sum = tools.get(name) ?? { count: 0, total: 0, most: 0, errors: 0 };
    sum.count++;
    sum.total += durationMs;
    sum.most = Math.max(sum.most, durationMs);
    if (outcome === "error") sum.errors++;
    tools.set(name, sum);
  }
  if (tools.size === 0) return undefined;
  const cells = (tag: "td" | "th", texts: string[]) =>
    element("tr", {}, ...texts.map((text) => element(tag, {}, text)));
  const rows = [...tools].map(([name, { count, total, most, errors }]) =>
    cells("td", [name, String(count), formatMs(total / count), formatMs(most), String(errors)]),
  );
  const head = cells("th", ["Tool", "Calls", "Average", "Longest", "Errors"]);
  return element("table", {}, element("caption", {}, "Tools"), head, ...rows);
}
