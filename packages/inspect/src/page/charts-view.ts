/** Charts of the requests of a run, and a table of its tools. */
import type { Entry } from "../record/entry.js";
import { element, svgElement } from "./element.js";
import { formatCost, formatCount, formatMs } from "./rows.js";

const WIDTH = 600;
const HEIGHT = 120;
/** One point for each unit of the width: more could not be told apart. */
const MAX_POINTS = 600;
/** The largest width of a bar, for runs with few requests. */
const MAX_STEP = 40;

export function chartsView(entries: readonly Entry[]): HTMLElement {
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
