import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { figureLines } from "./figures.ts";
import { buildParserTables, buildSummary, buildTables, type Column } from "./page.ts";
import type { ClientName } from "./peers.ts";
import { describeSummary, drawPicture } from "./picture.ts";
import type { ScenarioResult, SideResult } from "./run-scenario.ts";
import type { Scenario } from "./scenario.ts";
import { writePage } from "./write-page.ts";

const COLUMNS: Column[] = [
  { name: "floor", head: "floor" },
  { name: "ours", head: "ours" },
  { name: "pi", head: "pi 1.5.2" },
  { name: "langchain", head: "LangChain" },
];

function side(values: number[], more: Partial<SideResult> = {}): SideResult {
  return {
    runs: values.map((value) => ({ value, second: value * 2, cold: value * 3, peakMegabytes: 80 })),
    otherRuns: [],
    ...more,
  };
}

function result(scenario: Partial<Scenario>, sides: Partial<Record<ClientName, SideResult>>): ScenarioResult {
  const whole: Scenario = { name: "some work", work: "stream", input: { size: 1000 }, goal: 1.3, ...scenario };
  // The keys are the names of clients.
  return { scenario: whole, sides: new Map(Object.entries(sides) as [ClientName, SideResult][]) };
}

const row = (text: string, start: string): string[] =>
  (text.split("\n").find((line) => line.startsWith(`| ${start}`)) ?? "").split("|").map((cell) => cell.trim());

it("shows our figure with its range, peers in floors of their size, and whether the goal is met", () => {
  const sides = {
    floor: side([10, 10, 20]),
    ours: side([12, 11, 24]),
    pi: side([300], { size: 100, floorRuns: side([1]).runs }),
    langchain: side([], { reason: "Error: not offered" }),
  };
  const table = buildTables([result({}, sides)], COLUMNS);
  expect(row(table, "some work").slice(1, -1)).toEqual([
    "some work",
    "1.00",
    "1.20 (1.10 to 1.20)",
    "300 at 100",
    "-",
    "<= 1.3",
    "yes",
  ]);
});

it("is written between the markers of the page, and leaves the rest of it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "page-"));
  try {
    const path = join(folder, "page.md");
    const tables = join(folder, "page-tables.md");
    const mark = (names: readonly string[]): string =>
      names.map((name) => `<!-- measured: ${name} -->\n\nearlier figures\n\n<!-- end -->`).join("\n\n");
    await mkdir(join(folder, "images"));
    await writeFile(path, `# Page\n\n${mark(["lines", "summary", "parsers"])}\n\nThe end\n`);
    await writeFile(tables, mark(["conditions", "tables"]));
    await writePage([result({ summary: "a response" }, { floor: side([10]), ours: side([12]) })], [], 1, path);
    const pages = [await readFile(path, "utf8"), await readFile(tables, "utf8")];
    expect(pages.join("")).not.toContain("earlier figures");
    expect(row(pages[1] ?? "", "some work")[3]).toBe("1.20 (1.20 to 1.20)");
    expect(pages[0]?.split("\n")).toEqual(expect.arrayContaining(["# Page", "- **a response**: 12.0 ms.", "The end"]));
    expect(await readFile(join(folder, "images/performance.svg"), "utf8")).toContain(">12.0</text>");
  } finally {
    await rm(folder, { recursive: true });
  }
});

it("begins with the milliseconds of work with a summary, at its full size", () => {
  const sides = {
    floor: side([10]),
    ours: side([12, 11, 24]),
    pi: side([300], { size: 100 }),
    langchain: side([], { reason: "Error: not offered" }),
  };
  const table = buildSummary([result({ summary: "a long response" }, sides), result({}, sides)], COLUMNS);
  expect(row(table, "a long").slice(1, -1)).toEqual(["a long response", "10.0", "12.0", "-", "-"]);
  expect(row(table, "some work")).toEqual([""]);
});

it("shows the cost of the others as a multiple of ours, at any size", () => {
  const sides = { floor: side([10]), ours: side([20]), pi: side([12], { size: 100, floorRuns: side([1]).runs }) };
  const table = buildTables([result({}, sides)], COLUMNS);
  const others = table.slice(table.indexOf("### How many times"));
  expect(row(others, "some work").slice(1, -1)).toEqual(["some work", "6.00", "-"]);
});

it("lists clients that failed, and clients that were too slow for a second measurement", () => {
  const sides = {
    floor: side([1]),
    ours: side([2]),
    pi: side([], { reason: "Error: odd" }),
    langchain: side([9], { slow: true }),
  };
  const table = buildTables([result({}, sides)], COLUMNS);
  expect(row(table, "some work").slice(3, -1)).toEqual(["2.00 (2.00 to 2.00)", "failed", "9.00", "<= 1.3", "no"]);
  expect(table).toContain('- pi 1.5.2, "some work": Error: odd');
  expect(table).toContain('- LangChain: "some work"');
});

it("shows the exponent of growth and its goal", () => {
  const larger = side([48]).runs;
  const sides = { floor: side([10]), ours: side([12], { otherSize: 4000, otherRuns: larger }) };
  const table = buildTables([result({ grows: { size: 4000, exponent: 1.05 } }, sides)], COLUMNS);
  const growth = table.slice(table.indexOf("### Growth"));
  expect(row(growth, "some work").slice(1, -1)).toEqual(["some work", "-", "1.00", "-", "-", "<= 1.05", "yes"]);
});

it("shows the memory of each of many streams above the floor", () => {
  const withEach = (value: number, kilobytesEach: number): SideResult => ({
    runs: [{ value, kilobytesEach, peakMegabytes: 1 }],
    otherRuns: [],
  });
  const sides = { floor: withEach(10, 140), ours: withEach(11, 148) };
  const [, memory] = figureLines(result({ work: "concurrent", kilobytesEach: 10 }, sides));
  expect(memory).toMatchObject({ unit: "KB", goal: 10 });
  expect(memory?.cells.get("ours")).toMatchObject({ median: 8 });
});

it("subtracts the floor's time to the first delta from ours", () => {
  const [line] = figureLines(
    result({ work: "first-delta", figure: "milliseconds" }, { floor: side([0.5]), ours: side([0.58]) }),
  );
  expect(line?.cells.get("ours")).toMatchObject({ median: expect.closeTo(0.08) });
});

it("lists the guarantees of each parser", () => {
  const parsers = result({ only: "parsers" }, { floor: side([1]), ours: side([2]) });
  const checks = new Map<ClientName, Record<string, boolean>>([["ours", { exact: true, whole: false }]]);
  const tables = buildParserTables([parsers], checks, COLUMNS);
  expect(row(tables, "exact").slice(1, -1)).toEqual(["exact", "yes"]);
  expect(row(tables, "whole").slice(1, -1)).toEqual(["whole", "no"]);
});

it("has a picture and lines with the figures of its table", async () => {
  const docs = join(import.meta.dirname, "../../docs");
  const page = await readFile(join(docs, "performance.md"), "utf8");
  const part = (name: string): string =>
    new RegExp(`<!-- measured: ${name} -->\n\n(.*?)\n\n<!-- end -->`, "s").exec(page)?.[1] ?? "";
  expect(part("lines").split("\n")).toHaveLength(5);
  expect(part("lines")).toBe(describeSummary(part("summary")));
  expect(await readFile(join(docs, "images/performance.svg"), "utf8")).toBe(drawPicture(part("summary")));
});
