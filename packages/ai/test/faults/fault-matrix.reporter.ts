/** A vitest reporter that prints, for each group of faults, how many rows and cells passed. */
import type { Reporter, TestCase, TestModule } from "vitest/node";

/** The groups, with the numbers of their first and last row. */
const GROUPS: readonly (readonly [name: string, first: number, last: number])[] = [
  ["Transport", 1, 56],
  ["Protocol", 57, 90],
  ["Hostile data", 91, 107],
  ["Abort", 108, 120],
  ["Agent", 121, 173],
  ["Leaks", 174, 179],
  ["Wire and agent", 180, 193],
  ["Session log", 194, 198],
  ["Relay", 199, 200],
  ["Texts for people", 201, 206],
  ["Session files", 207, 212],
  ["Hostile work", 214, 218],
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
  for (const [name, first, last] of GROUPS) lines.push(lineOf(name, rows, numbersOf(first, last)));
  const all = GROUPS.flatMap(([, first, last]) => numbersOf(first, last));
  lines.push(lineOf("all", rows, all));
  for (const [group = "", rowCount = "", cells = ""] of lines) {
    process.stdout.write(`${group.padEnd(18)}${rowCount.padStart(9)}${cells.padStart(12)}\n`);
  }
}

function numbersOf(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** A row passed if it passed in every cell and has at least one. */
function lineOf(name: string, rows: ReadonlyMap<number, Row>, numbers: readonly number[]): string[] {
  const known = numbers.map((number) => rows.get(number) ?? { passed: 0, cells: 0 });
  const passed = known.filter((row) => row.cells > 0 && row.passed === row.cells).length;
  const cells = sum(known.map((row) => row.cells));
  return [name, `${passed}/${numbers.length}`, `${sum(known.map((row) => row.passed))}/${cells}`];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
