/** The lines that a run prints as it goes. */
import { type Cell, figureLines, growthOf, type Line } from "./figures.ts";
import { type Column, formatCell, isMet, isNotOffered } from "./page.ts";
import type { ScenarioResult } from "./run-scenario.ts";
import { median } from "./statistics.ts";
import { formatNumber } from "./table.ts";

export const HEAD: string = formatRow(["work", "floor", "ours", "figure", "goal", "growth"]);

/** One line for each figure, and one for each peer under it. */
export function describeResult(result: ScenarioResult, peers: readonly Column[]): string {
  return figureLines(result)
    .flatMap((line, index) => [
      formatLine(line, result, index === 0 ? describeGrowth(result) : ""),
      ...peers.flatMap(({ name, head }) => describePeer(head, line.cells.get(name))),
    ])
    .join("\n");
}

function formatLine(line: Line, { sides }: ScenarioResult, growth: string): string {
  const cell = line.cells.get("ours");
  const figure = cell && "median" in cell ? `${formatNumber(cell.median)} ${line.unit}` : formatCell(cell, false);
  const cost = (name: "floor" | "ours"): string =>
    formatNumber(median(sides.get(name)?.runs.map(({ value }) => value) ?? []));
  const goal = line.goal === undefined ? "" : `${verdict(isMet(cell, line.goal))} ${line.goal}`;
  const failed = cell && "reason" in cell ? [cell.reason] : [];
  return formatRow([line.name, cost("floor"), cost("ours"), figure, goal, growth, ...failed]);
}

function describeGrowth({ scenario, sides }: ScenarioResult): string {
  const ours = sides.get("ours");
  const exponent = ours && growthOf(ours, scenario);
  if (exponent === undefined || !scenario.grows) return "";
  return `${exponent.toFixed(2)} ${verdict(exponent <= scenario.grows.exponent)} ${scenario.grows.exponent}`;
}

const verdict = (met: boolean): string => (met ? "ok <=" : "MISSED <=");

function describePeer(head: string, cell: Cell | undefined): string[] {
  if (!cell || ("reason" in cell && isNotOffered(cell.reason))) return [];
  return [`    ${head.padEnd(24)} ${formatCell(cell, false)}${"reason" in cell ? `: ${cell.reason}` : ""}`];
}

function formatRow(cells: string[]): string {
  const widths = [56, 8, 8, 10, 15, 16];
  return cells
    .map((cell, index) => cell.padEnd(widths[index] ?? 0))
    .join(" ")
    .trimEnd();
}
