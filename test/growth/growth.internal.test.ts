/** The work of each reader grows as its input does. Every row reads n and 4n of one thing, and counts what it does; see `count-work.ts`. */
import { expect, test } from "vitest";
import { isFullSuite } from "../support/suite.js";
import { apiRows, relayClientRows, relayRows, shownRows } from "./api-rows.js";
import { argumentRows } from "./argument-rows.js";
import { changeRows } from "./change-rows.js";
import { countWork, type Work } from "./count-work.js";
import { FILE_READERS, fileRows, mcpRows, pageRows } from "./page-rows.internal.js";
import { requestRows } from "./request-rows.js";
import type { GrowthRow } from "./row.js";

const COUNT = 64;
/** The full suite has a thousand rows of one group. */
const MOST_MS = 1_800_000;
/** What is twice as long in each of two nested loops takes four times the work for each of four times as many elements. */
const MOST = 4.5;

/** The quick suite takes every so-many-th row, and the full one more of them: so many rows say the same of other events. */
const QUICK = 41;
const FULL: Readonly<Record<string, number>> = { apis: 3, "clients of relays": 7, "what pages are shown": 2 };
const everyOf = (name: string): number => (isFullSuite ? (FULL[name] ?? 1) : QUICK);

async function workOf({ prepare }: GrowthRow, count: number): Promise<Work> {
  return countWork(await prepare(count));
}

/** What has grown faster than the input; undefined if nothing has. */
async function findGrowth(row: GrowthRow): Promise<string | undefined> {
  // What is loaded or computed once is not counted.
  await (await row.prepare(2))();
  let found: string | undefined;
  // The engine loses counts now and then, as it collects garbage. What grows does so each time.
  for (let time = 0; time < 3; time++) {
    found = await measureGrowth(row);
    if (found === undefined) break;
  }
  return found;
}

async function measureGrowth(row: GrowthRow): Promise<string | undefined> {
  const small = await workOf(row, COUNT);
  const large = await workOf(row, 4 * COUNT);
  const names = ["steps", "copied"] as const;
  const grown = names.filter((name) => large[name] > MOST * small[name]);
  const words = grown.map((name) => `${name} ${small[name]} to ${large[name]}`);
  return words.length > 0 ? `${row.reader}, ${row.what}: ${words.join(", ")}` : undefined;
}

const GROUPS: Readonly<Record<string, () => GrowthRow[] | Promise<GrowthRow[]>>> = {
  apis: apiRows,
  relays: relayRows,
  "clients of relays": relayClientRows,
  "what pages are shown": shownRows,
  "arguments of a model": argumentRows,
  "what pages send": pageRows,
  "conversations that change": changeRows,
  "requests to relays": requestRows,
  MCP: mcpRows,
  files: () => fileRows(FILE_READERS),
};

test.each(Object.keys(GROUPS))(
  "the work grows as the input does: %s",
  async (name) => {
    const rows = (await GROUPS[name]?.()) ?? [];
    const found: string[] = [];
    for (const row of rows.filter((_, index) => index % everyOf(name) === 0)) found.push((await findGrowth(row)) ?? "");
    expect(found.filter((text) => text !== "")).toEqual([]);
    expect(rows.length).toBeGreaterThan(10);
  },
  MOST_MS,
);

/** One event of 2 MB holds 25,000 calls of a response, the most, in one turn of the event loop. */
const MOST_STEPS_PER_CALL = 200;

test("a call in the list of one event costs a bounded number of steps", async () => {
  const rows = apiRows().filter(({ what }) =>
    /^(?:call|interleavedCalls): event 1, its list choices\.0\.delta\.tool_calls$/.test(what),
  );
  const costs: number[] = [];
  for (const row of rows) {
    await (await row.prepare(2))();
    const [small, large] = [await workOf(row, COUNT), await workOf(row, 4 * COUNT)];
    costs.push((large.steps - small.steps) / (3 * COUNT));
  }
  expect(rows.length).toBeGreaterThan(3);
  expect(Math.max(...costs)).toBeLessThan(MOST_STEPS_PER_CALL);
});

/** Keys of one element, and the characters of each. */
const [KEYS, KEY_CHARACTERS] = [8, 12];

test("the keys of what a page sends are not written, and JSON is read for its depth and its values", async () => {
  const rows = pageRows().filter(({ what }) => /^keys of (?:an input|arguments)$/.test(what));
  for (const row of rows) {
    const [small, large] = [await workOf(row, COUNT), await workOf(row, 4 * COUNT)];
    const parsed = row.reader.endsWith("AG-UI") ? 2 * KEY_CHARACTERS : 0;
    expect(large.copied - small.copied).toBeLessThan(3 * COUNT * KEYS * (parsed + 3));
  }
  expect(rows.length).toBe(2);
});

test("a quadratic reader is found, by its steps and by what it copies", async () => {
  const copying = (count: number) => () => {
    let list: number[] = [];
    for (let index = 0; index < count; index++) list = list.concat(index);
  };
  const joining = (count: number) => () => {
    let text = "";
    for (let index = 0; index < count; index++) {
      text += "word ";
      if (text.endsWith("x")) return;
    }
  };
  for (const prepare of [copying, joining])
    expect(await findGrowth({ reader: "test", what: "list", prepare })).toMatch(/copied \d+ to \d+/);
});
