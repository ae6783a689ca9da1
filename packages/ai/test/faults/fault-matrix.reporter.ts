/** A vitest reporter that prints, for each group of faults, how many rows and cells passed. */
import type { Reporter, TestCase, TestModule } from "vitest/node";

/** The groups, with the number of their last row. */
const GROUPS: readonly (readonly [name: string, last: number])[] = [
  ["Transport", 56],
  ["Protocol", 90],
  ["Hostile data", 107],
  ["Abort", 120],
  ["Agent", 173],
  ["Leaks", 179],
  ["Wire and agent", 193],
  ["Session log", 198],
  ["Relay", 200],
  ["Texts for people", 206],
  ["Session files", 211],
];

interface Row {
  passed: number;
  cells: number;
}

const MAX_FAILURES = 40;

export default class FaultMatrix implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = new Map<number, Row>();
    const failures: string[] = [];
    for (const test of modules.flatMap((module) => [...module.children.allTests()])) {
      const number = Number(/^#(\d+) /.exec(test.name)?.[1]);
      const passed = test.result().state === "passed";
      if (Number.isInteger(number)) count(rows, number, passed);
      if (!passed && test.result().state !== "skipped") failures.push(describe(test));
    }
    print(rows);
    for (const failure of failures.slice(0, MAX_FAILURES)) process.stdout.write(`FAILED ${failure}\n`);
  }
}

function count(rows: Map<number, Row>, number: number, passed: boolean): void {
  const row = rows.get(number) ?? { passed: 0, cells: 0 };
  row.cells++;
  if (passed) row.passed++;
  rows.set(number, row);
}

function describe(test: TestCase): string {
  return `${test.fullName}\n  ${test.result().errors?.[0]?.message.split("\n")[0] ?? ""}`;
}

function print(rows: ReadonlyMap<number, Row>): void {
  const lines = [["group", "rows", "cells"]];
  let first = 1;
  for (const [name, last] of GROUPS) {
    lines.push(lineOf(name, rows, first, last));
    first = last + 1;
  }
  lines.push(lineOf("all", rows, 1, first - 1));
  for (const [group = "", rowCount = "", cells = ""] of lines) {
    process.stdout.write(`${group.padEnd(18)}${rowCount.padStart(9)}${cells.padStart(12)}\n`);
  }
}

/** A row passed if it passed in every cell and has at least one. */
function lineOf(name: string, rows: ReadonlyMap<number, Row>, first: number, last: number): string[] {
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const known = numbers.map((number) => rows.get(number) ?? { passed: 0, cells: 0 });
  const passed = known.filter((row) => row.cells > 0 && row.passed === row.cells).length;
  const cells = sum(known.map((row) => row.cells));
  return [name, `${passed}/${numbers.length}`, `${sum(known.map((row) => row.passed))}/${cells}`];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
