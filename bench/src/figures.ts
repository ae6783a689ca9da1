/** Turns measurements into the figures that are compared with goals. */
import type { ClientName } from "./peers.ts";
import type { ScenarioResult, SideResult } from "./run-scenario.ts";
import type { Scenario } from "./scenario.ts";
import { compare, growth, median, type Summary, summarize } from "./statistics.ts";
import type { Measured } from "./works/measured.ts";

export interface Figure extends Summary {
  /** Set if it is smaller than the scenario's. */
  size?: number | undefined;
}

/** A figure, or the reason why there is none. */
export type Cell = Figure | { reason: string };

/** One row of the table of goals. */
export interface Line {
  name: string;
  unit: "x" | "ms" | "KB";
  goal?: number | undefined;
  cells: Map<ClientName, Cell>;
}

export function figureLines(result: ScenarioResult): Line[] {
  const { scenario } = result;
  const line: Line = {
    name: scenario.name,
    unit: UNITS[scenario.figure ?? "ratio"],
    goal: scenario.goal,
    cells: cellsOf(result, (side, floor) => mainFigure(scenario, side, floor)),
  };
  if (scenario.kilobytesEach === undefined) return [line];
  const each = ({ kilobytesEach = Number.NaN }: Measured): number => kilobytesEach;
  const memory: Line = {
    name: `${scenario.name}: memory of each above the floor`,
    unit: "KB",
    goal: scenario.kilobytesEach,
    cells: cellsOf(result, ({ runs }, { runs: floors }) => subtract(runs.map(each), median(floors.map(each)))),
  };
  return [line, memory];
}

/** Whether the figure is CPU time, and the work runs more than once in a process. */
export function hasSecondRun({ scenario: { figure = "ratio", work } }: ScenarioResult): boolean {
  return figure === "ratio" && work !== "concurrent";
}

/** The same goal, for an early run of a process. */
export function earlyRunLine(result: ScenarioResult, run: "second" | "fourth"): Line {
  const { name, goal } = result.scenario;
  const costs = ({ runs }: { runs: Measured[] }): number[] => runs.map(({ [run]: cost = Number.NaN }) => cost);
  const cells = cellsOf(result, (side, floor) => ({
    ...compare(costs(side), costs({ runs: side.floorRuns ?? floor.runs })),
    size: side.size,
  }));
  return { name, unit: "x", goal, cells };
}

/** A measured quantity of each side, without a comparison. */
export function plainCells(result: ScenarioResult, of: (measured: Measured) => number): Map<ClientName, Cell> {
  return cellsOf(result, ({ runs, size }) => ({ ...summarize(runs.map(of)), size }));
}

/** The exponent of growth; undefined without a second size. */
export function growthOf({ runs, size, otherRuns, otherSize }: SideResult, scenario: Scenario): number | undefined {
  const own = size ?? scenario.input.size;
  if (own === undefined || otherSize === undefined || runs.length === 0 || otherRuns.length === 0) return undefined;
  const cost = (measured: Measured[]): number => median(measured.map(({ value }) => value));
  return growth({ size: own, cost: cost(runs) }, { size: otherSize, cost: cost(otherRuns) });
}

const UNITS = { ratio: "x", milliseconds: "ms", kilobytes: "KB" } as const;

function cellsOf(
  { sides }: ScenarioResult,
  toFigure: (side: SideResult, floor: SideResult) => Figure,
): Map<ClientName, Cell> {
  const floor = sides.get("floor") ?? { runs: [], otherRuns: [] };
  const cells = [...sides].map(([name, side]): [ClientName, Cell] => [
    name,
    side.reason === undefined ? toFigure(side, floor) : { reason: side.reason },
  ]);
  return new Map(cells);
}

function mainFigure({ figure = "ratio", work, input }: Scenario, side: SideResult, floor: SideResult): Figure {
  const costs = side.runs.map(({ value }) => value);
  const floors = (side.floorRuns ?? floor.runs).map(({ value }) => value);
  if (figure === "ratio") return { ...compare(costs, floors), size: side.size };
  const isAboveFloor = work === "first-delta" || input.variant === "first-delta";
  return isAboveFloor ? subtract(costs, median(floors)) : summarize(costs);
}

function subtract(values: number[], floor: number): Figure {
  return summarize(values.map((value) => value - floor));
}
