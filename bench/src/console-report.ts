/** The lines that a run prints as it progresses. */
import { type Cell, earlyRunLine, figureLines, growthOf, hasSecondRun, type Line } from "./figures.ts";
import { type Column, formatCell, isMet, isNotOffered } from "./page.ts";
import type { ScenarioResult } from "./run-scenario.ts";
import { median } from "./statistics.ts";
import { formatNumber } from "./table.ts";

export const HEAD: string = formatRow(["work", "floor", "ours", "warm", "second run", "goal", "growth"]);

/** One line for each figure, and one for each peer under it. */
export function describeResult(result: ScenarioResult, peers: readonly Column[]): string {
  return figureLines(result)
    .flatMap((line, index) => [
      formatLine(line, result, index === 0),
      ...peers.flatMap(({ name, head }) => describePeer(head, line.cells.get(name))),
    ])
    .join("\n");
}

function formatLine(line: Line, result: ScenarioResult, isFirst: boolean): string {
  const cost = (name: "floor" | "ours"): string =>
    formatNumber(median(result.sides.get(name)?.runs.map(({ value }) => value) ?? []));
  return formatRow([
    line.name,
    cost("floor"),
    cost("ours"),
    judge(line),
    isFirst && hasSecondRun(result) ? judge(earlyRunLine(result, "second")) : "",
    line.goal === undefined ? "" : `<= ${line.goal}`,
    isFirst ? describeGrowth(result) : "",
  ]);
}

/** Our figure, and whether it meets the goal. */
function judge({ cells, unit, goal }: Line): string {
  const cell = cells.get("ours");
  if (!cell || "reason" in cell) return `failed: ${cell?.reason}`;
  const figure = `${formatNumber(cell.median)} ${unit}`;
  return goal === undefined ? figure : `${figure} ${verdict(isMet(cell, goal))}`;
}

function describeGrowth({ scenario, sides }: ScenarioResult): string {
  const ours = sides.get("ours");
  const floor = sides.get("floor");
  const exponent = ours && growthOf(ours, scenario);
  if (exponent === undefined || !scenario.grows) return "";
  const control = (floor && growthOf(floor, scenario)) ?? Number.NaN;
  const goal = scenario.grows.exponent;
  return `${exponent.toFixed(2)} ${verdict(exponent <= goal)} <= ${goal}, floor ${control.toFixed(2)}`;
}

const verdict = (met: boolean): string => (met ? "ok" : "MISSED");

function describePeer(head: string, cell: Cell | undefined): string[] {
  if (!cell || ("reason" in cell && isNotOffered(cell.reason))) return [];
  return [`    ${head.padEnd(24)} ${formatCell(cell, false)}${"reason" in cell ? `: ${cell.reason}` : ""}`];
}

function formatRow(cells: string[]): string {
  const widths = [56, 8, 8, 16, 14, 9, 28];
  return cells
    .map((cell, index) => cell.padEnd(widths[index] ?? 0))
    .join(" ")
    .trimEnd();
}
