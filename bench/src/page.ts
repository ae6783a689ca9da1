/** The tables of docs/performance.md. */
import { type Cell, earlyRunLine, figureLines, growthOf, hasSecondRun, type Line, plainCells } from "./figures.ts";
import type { ClientName } from "./peers.ts";
import { LIMIT_SECONDS } from "./run-process.ts";
import type { ScenarioResult } from "./run-scenario.ts";
import { formatNumber, formatTable } from "./table.ts";
import type { Measured } from "./works/measured.ts";

export interface Column {
  name: ClientName;
  head: string;
}

type Rows = string[][];

/** The table at the top of the page: milliseconds of a few kinds of work, for each library. */
export function buildSummary(results: readonly ScenarioResult[], columns: readonly Column[]): string {
  const rows = results.flatMap((result) => {
    const { summary } = result.scenario;
    if (summary === undefined) return [];
    const cells = plainCells(result, ({ value }) => value);
    return [[summary, ...columns.map(({ name }) => formatWhole(cells.get(name)))]];
  });
  return formatTable([["milliseconds", ...columns.map(({ head }) => head)], ...rows]);
}

/** A dash for a figure of a smaller size, which clients with quadratic cost run and which is not comparable. */
function formatWhole(cell: Cell | undefined): string {
  const isWhole = cell !== undefined && "median" in cell && cell.size === undefined;
  return isWhole ? formatNumber(cell.median) : "-";
}

/** All tables except those of the parsers: first the figures with goals, then the figures that they derive from. */
export function buildTables(results: readonly ScenarioResult[], columns: readonly Column[]): string {
  const general = results.filter(({ scenario }) => scenario.only !== "parsers");
  const lines = general.flatMap(figureLines);
  const timed = general.filter(({ scenario }) => (scenario.figure ?? "ratio") === "ratio");
  const repeated = timed.filter(hasSecondRun);
  const early = (run: "second" | "fourth"): Line[] => repeated.map((result) => earlyRunLine(result, run));
  const plain = (of: (measured: Measured) => number): string => formatTable(plainRows(timed, columns, of));
  return [
    "### CPU time in floors, warm",
    formatTable(goalRows(lines, columns, ["x"])),
    describeFloors(general),
    "### How many times the others cost what ours does, warm",
    formatTable(relativeRows(lines, columns)),
    "### CPU time in floors, second run of a process",
    formatTable(goalRows(early("second"), columns, ["x"])),
    "### CPU time in floors, fourth run of a process",
    formatTable(goalRows(early("fourth"), columns, ["x"])),
    "### Times and memory",
    formatTable(goalRows(lines, columns, ["ms", "KB"])),
    "### Growth",
    "The cost grows as the size to this power: 1 is linear, 2 is quadratic. The floor and ours are also measured at four times the size (agents at ten and at two and a half times). The heap is larger there, so that the garbage collector makes even the floor grow faster than its work. The others are measured once more, at a quarter of their size.",
    formatTable(growthRows(general, columns)),
    "### CPU milliseconds of one run, warm",
    plain(({ value }) => value),
    "### CPU milliseconds of a whole process with one run, cold",
    "From the start of Node to the end of the first run, with the start of Node, all imports and code that is not compiled yet.",
    formatTable(plainRows(repeated, columns, ({ cold = Number.NaN }) => cold)),
    "### Peak memory of the process in megabytes",
    plain(({ peakMegabytes }) => peakMegabytes),
    ...describeReasons(general, columns),
  ].join("\n\n");
}

/** The parsers of arguments: cost, growth and guarantees. */
export function buildParserTables(
  results: readonly ScenarioResult[],
  checks: ReadonlyMap<ClientName, Record<string, boolean>>,
  columns: readonly Column[],
): string {
  const parsers = results.filter(({ scenario }) => scenario.only === "parsers");
  const names = Object.keys([...checks.values()][0] ?? {});
  const checked = columns.filter(({ name }) => checks.has(name));
  const held = names.map((name) => [
    name,
    ...checked.map((column) => (checks.get(column.name)?.[name] ? "yes" : "no")),
  ]);
  return [
    formatTable(goalRows(parsers.flatMap(figureLines), columns, ["x"])),
    describeFloors(parsers),
    formatTable([["what holds", ...checked.map(({ head }) => head)], ...held]),
    ...describeReasons(parsers, columns),
  ].join("\n\n");
}

function goalRows(lines: readonly Line[], columns: readonly Column[], units: readonly Line["unit"][]): Rows {
  const rows = lines
    .filter(({ unit }) => units.includes(unit))
    .map(({ name, unit, goal, cells }) => [
      unit === "x" ? name : `${name}, ${unit}`,
      ...columns.map((column) => formatCell(cells.get(column.name), column.name === "ours")),
      ...(goal === undefined ? ["-", "-"] : [`<= ${formatGoal(goal)}`, isMet(cells.get("ours"), goal) ? "yes" : "no"]),
    ]);
  return [["work", ...columns.map(({ head }) => head), "goal", "met"], ...rows];
}

/** Includes smaller sizes, because each side is compared with a floor of its size. */
function relativeRows(lines: readonly Line[], columns: readonly Column[]): Rows {
  const others = columns.filter(({ name }) => name !== "floor" && name !== "ours");
  const rows = lines
    .filter(({ unit, cells }) => unit === "x" && others.some(({ name }) => cells.has(name)))
    .map(({ name, cells }) => [name, ...others.map((column) => divide(cells.get(column.name), cells.get("ours")))]);
  return [["work", ...others.map(({ head }) => head)], ...rows];
}

function divide(other: Cell | undefined, ours: Cell | undefined): string {
  if (!ours || !other || "reason" in ours || "reason" in other) return formatCell(other, false);
  return formatNumber(other.median / ours.median);
}

export function isMet(cell: Cell | undefined, goal: number): boolean {
  return cell !== undefined && "median" in cell && cell.median <= goal;
}

/** Formats a goal without rounding: goals are round numbers. */
const formatGoal = (goal: number): string => goal.toLocaleString("en-US");

export function formatCell(cell: Cell | undefined, ranged: boolean): string {
  if (!cell) return "-";
  if ("reason" in cell) return isNotOffered(cell.reason) ? "-" : "failed";
  const size = cell.size === undefined ? "" : ` at ${cell.size.toLocaleString("en-US")}`;
  const range = ranged ? ` (${formatNumber(cell.least)} to ${formatNumber(cell.most)})` : "";
  return `${formatNumber(cell.median)}${range}${size}`;
}

export const isNotOffered = (reason: string): boolean => reason.includes("not offered");

function plainRows(
  results: readonly ScenarioResult[],
  columns: readonly Column[],
  of: (measured: Measured) => number,
): Rows {
  const rows = results.map((result) => {
    const cells = plainCells(result, of);
    return [result.scenario.name, ...columns.map(({ name }) => formatCell(cells.get(name), name === "ours"))];
  });
  return [["work", ...columns.map(({ head }) => head)], ...rows];
}

function growthRows(results: readonly ScenarioResult[], columns: readonly Column[]): Rows {
  const rows = results.flatMap(({ scenario, sides }) => {
    if (!scenario.grows) return [];
    const exponents = columns.map(({ name }) => {
      const side = sides.get(name);
      return side && growthOf(side, scenario);
    });
    const ours = exponents[columns.findIndex(({ name }) => name === "ours")];
    const cells = exponents.map((exponent) => (exponent === undefined ? "-" : exponent.toFixed(2)));
    const met = ours !== undefined && ours <= scenario.grows.exponent;
    return [[scenario.name, ...cells, `<= ${scenario.grows.exponent}`, met ? "yes" : "no"]];
  });
  return [["work", ...columns.map(({ head }) => head), "goal", "met"], ...rows];
}

function describeFloors(results: readonly ScenarioResult[]): string {
  const special = results.flatMap(({ scenario: { name, floor } }) =>
    floor ? [`- The floor of "${name}": ${floor}.`] : [],
  );
  return special.join("\n");
}

/** Lists failed measurements and those that ran once. */
function describeReasons(results: readonly ScenarioResult[], columns: readonly Column[]): string[] {
  const failed = results.flatMap(({ scenario, sides }) =>
    columns.flatMap(({ name, head }) => {
      const reason = sides.get(name)?.reason;
      return reason === undefined || isNotOffered(reason) ? [] : [`- ${head}, "${scenario.name}": ${reason}`];
    }),
  );
  const slow = columns.flatMap(({ name, head }) => {
    const once = results.filter(({ sides }) => sides.get(name)?.slow).map(({ scenario }) => `"${scenario.name}"`);
    return once.length === 0 ? [] : [`- ${head}: ${once.join("; ")}`];
  });
  return [
    ...(failed.length === 0
      ? []
      : [`What failed (no measurement may take longer than ${LIMIT_SECONDS} s):`, failed.join("\n")]),
    ...(slow.length === 0 ? [] : ["Measured once only, because it takes long:", slow.join("\n")]),
  ];
}
