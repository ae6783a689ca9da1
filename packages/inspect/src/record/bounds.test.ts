import { expect, it } from "vitest";
import { budget } from "../../../../test/support/suite.js";
import { Run } from "./run.js";
import { BodyBudget, RunStore } from "./run-store.js";
import { Wire } from "./wire.js";

const createRun = (id: number): Run => new Run({ id: `${id}`, title: "", source: "live", model: "m" });
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, cost: 1 };

const TURNS = budget({ quick: 1000, all: 10_000 });

it(`keeps a bounded number of entries of 100 runs at once with ${TURNS} turns each`, () => {
  const limit = 20_000;
  const store = new RunStore({ entries: limit });
  const runs = Array.from({ length: 100 }, (_, id) => createRun(id));
  for (const run of runs) store.add(run);
  let most = 0;
  for (let turn = 1; turn <= TURNS; turn++) {
    for (const run of runs) {
      const index = run.add({ kind: "request", name: "m", title: `${turn}`, outcome: "running", turn }, () => []);
      run.update(index, { outcome: "done", usage });
    }
    if (turn % 100 === 0)
      most = Math.max(
        most,
        runs.reduce((sum, run) => sum + run.kept, 0),
      );
  }
  expect(most).toBeLessThanOrEqual(limit);
  expect(most).toBeGreaterThan(limit / 2);
  for (const run of runs) {
    // The totals still count the dropped entries, and the newest entries keep their indexes.
    expect(run.summary).toMatchObject({ requests: TURNS, entries: TURNS, usage: { cost: TURNS } });
    expect(run.entries.at(-1)?.title).toBe(`${TURNS}`);
    expect(run.entries[0]?.title).toBe("No longer kept");
  }
});

it("keeps a running entry, however old it is", () => {
  const store = new RunStore({ entries: 10 });
  const run = createRun(1);
  store.add(run);
  run.add({ kind: "tool", name: "a", title: "slow", outcome: "running", turn: 1 }, () => []);
  for (let turn = 1; turn < 100; turn++)
    run.add({ kind: "note", name: "note", title: `${turn}`, outcome: "done", turn }, () => []);
  expect(run.kept).toBeLessThanOrEqual(10);
  expect(run.entries[0]?.title).toBe("slow");
  expect(run.summary.dropped).toBe(run.entries.filter(({ title }) => title === "No longer kept").length);
  expect(run.describe(5)?.[0]).toMatchObject({ text: expect.stringContaining("A session log has all of them") });
});

it("keeps the newest bodies, and shows which are gone", () => {
  const budget = new BodyBudget(1000);
  const body = (length: number) => ({ length, read: () => "x".repeat(length) });
  const wires = Array.from(
    { length: 10 },
    () => new Wire({ attempts: [{ requestBody: body(100), responseBody: body(300) }] }),
  );
  for (const wire of wires) budget.keep(wire);
  // Counting a request again does not count it twice.
  for (const wire of wires.slice(-2)) budget.keep(wire);
  expect(budget.total).toBe(800);
  expect(wires.map(({ size }) => size)).toEqual([...Array(8).fill(0), 400, 400]);
  expect(wires[0]?.describe().at(-1)).toMatchObject({ text: expect.stringContaining("no longer kept") });
  expect(JSON.stringify(wires[0]?.describe())).not.toContain("xxx");
  expect(wires[9]?.describe().map(({ title }) => title)).toEqual([
    "Attempt 1",
    "Response as received",
    "Request body",
    "Headers",
  ]);
});
