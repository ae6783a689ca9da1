/** A vitest reporter that prints one line per api: passed recordings by way of sending, and conformance cases. */
import type { Reporter, TestCase, TestModule } from "vitest/node";

interface Count {
  passed: number;
  total: number;
}

type Line = Map<string, Count>;

const CONFORMANCE = "conformance";
/** An api has a folder in `protocols`; the faux provider has one beside it. */
const FOLDER = /([^/]+)\/[^/]+$/;
const MAX_FAILURES = 20;

export default class ProtocolTable implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = new Map<string, Line>();
    const failures: string[] = [];
    for (const module of modules) {
      const api = FOLDER.exec(module.moduleId)?.[1] ?? "";
      for (const test of module.children.allTests()) {
        count(lines, api, test);
        if (test.result().state === "failed") failures.push(`${api}: ${test.name}`);
      }
    }
    print(lines);
    for (const failure of failures.slice(0, MAX_FAILURES)) process.stdout.write(`FAILED ${failure}\n`);
  }
}

function count(lines: Map<string, Line>, api: string, test: TestCase): void {
  const replayed = test.meta().replayed;
  if (replayed) for (const { way, passed } of replayed.ways) add(lines, replayed.api, way, passed);
  else if (test.module.moduleId.includes("conformance.test") && test.result().state !== "skipped") {
    add(lines, api, CONFORMANCE, test.result().state === "passed");
  }
}

function add(lines: Map<string, Line>, api: string, column: string, passed: boolean): void {
  const line = lines.get(api) ?? new Map<string, Count>();
  const cell = line.get(column) ?? { passed: 0, total: 0 };
  cell.total++;
  if (passed) cell.passed++;
  lines.set(api, line.set(column, cell));
}

function print(lines: ReadonlyMap<string, Line>): void {
  const columns = [...new Set([...lines.values()].flatMap((line) => [...line.keys()]))].filter(
    (name) => name !== CONFORMANCE,
  );
  columns.push(CONFORMANCE);
  const rows = [["protocol", ...columns]];
  for (const [api, line] of [...lines].sort(([a], [b]) => a.localeCompare(b))) {
    rows.push([api, ...columns.map((column) => show(line.get(column)))]);
  }
  const widths = rows[0]?.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0))) ?? [];
  for (const row of rows)
    process.stdout.write(
      `${row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join("  ")
        .trimEnd()}\n`,
    );
}

function show(cell: Count | undefined): string {
  return cell ? `${cell.passed}/${cell.total}` : "-";
}
