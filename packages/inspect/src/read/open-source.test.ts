import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { RunStore } from "../record/run-store.js";
import { openSource } from "./open-source.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "inspect-read-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(...lines: (object | string)[]) {
  const file = join(folder, "file.jsonl");
  await writeFile(file, lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));
  const store = new RunStore();
  // Long after it was written.
  await openSource(file, { store, now: () => Date.now() + 1e9 });
  return store.runs;
}

const usage = { input: 10, output: 5, cacheRead: 30, cacheWrite: 0, cost: { total: 0.25 } };
const user = { type: "message", message: { role: "user", content: "Add 1 and 2", timestamp: 1000 } };
const call = { type: "toolCall", id: "t1", name: "add", arguments: { a: 1, b: 2 } };
const response = (content: unknown[], timestamp: number, stopReason = "stop"): object => {
  const message = { role: "assistant", model: "m-1", content, usage, stopReason, timestamp };
  return { type: "message", message };
};
const result = {
  type: "message",
  message: {
    role: "toolResult",
    toolCallId: "t1",
    toolName: "add",
    content: [{ type: "text", text: "3" }],
    isError: false,
    durationMs: 40,
    timestamp: 1540,
  },
};
const RUN = [
  { type: "session", version: 1, at: 900 },
  { type: "run_start", at: 950 },
  user,
  response([call], 1000, "toolUse"),
  result,
  response([{ type: "text", text: "It is 3" }], 1600),
  { type: "run_end", at: 2000 },
];

describe("a session log", () => {
  it("becomes a run with its requests, tools, times and totals", async () => {
    const [run, ...others] = await read(...RUN);
    expect(others).toEqual([]);
    expect(run?.summary).toEqual({
      id: "1",
      title: "Add 1 and 2",
      source: "file.jsonl",
      model: "m-1",
      outcome: "done",
      startedAt: 950,
      durationMs: 1050,
      requests: 2,
      tools: 1,
      usage: { input: 20, output: 10, cacheRead: 60, cacheWrite: 0, cost: 0.5 },
      entries: 4,
      waiting: 0,
      canFork: false,
    });
    expect(run?.entries).toMatchObject([
      { kind: "message", turn: 0, title: "Add 1 and 2" },
      { kind: "request", turn: 1, startedAt: 1000, durationMs: 500, title: "[toolCall add]" },
      { kind: "tool", turn: 1, name: "add", startedAt: 1500, durationMs: 40, outcome: "done", title: '{"a":1,"b":2}' },
      { kind: "request", turn: 2, startedAt: 1600, durationMs: 400, title: "It is 3" },
    ]);
    expect(run?.describe(2)).toEqual([
      { kind: "text", title: "Arguments", text: JSON.stringify({ a: 1, b: 2 }, undefined, 2) },
      { kind: "text", title: "Text", text: "3" },
    ]);
    expect(run?.describe(3)).toContainEqual({
      kind: "difference",
      title: "Since the previous request",
      summary: "The previous prompt is unchanged at the beginning of this one; 2 messages were added.",
      before: "",
      after: expect.stringContaining("toolResult"),
    });
  });

  it("shows a damaged line as a note, and the rest of the run", async () => {
    const [run] = await read(...RUN.slice(0, 3), '{"type":"mess', { type: "newer" }, ...RUN.slice(3));
    expect(run?.entries.filter(({ kind }) => kind === "note").map(({ title }) => title)).toEqual([
      'Line 4 cannot be read: {"type":"mess',
      "Unknown line: newer",
    ]);
    expect(run?.summary).toMatchObject({ requests: 2, tools: 1, outcome: "done" });
  });

  it("becomes an aborted run if the process died", async () => {
    const [run] = await read(...RUN.slice(0, 3));
    expect(run?.summary).toMatchObject({ outcome: "aborted", entries: 1 });
  });

  it("may contain messages of any shape", async () => {
    const shapes = [
      null,
      1,
      "text",
      [],
      { role: "assistant" },
      { role: "toolResult" },
      { role: "x", content: [null, 1] },
    ];
    const [run] = await read(...RUN.slice(0, 2), ...shapes.map((message) => ({ type: "message", message })));
    expect(run?.entries).toHaveLength(shapes.length);
    for (const index of shapes.keys()) expect(run?.describe(index)).toBeInstanceOf(Array);
  });

  it("begins a new prompt after a reset", async () => {
    const [, second] = await read(
      ...RUN,
      { type: "reset", at: 3000 },
      { type: "run_start", at: 3001 },
      user,
      response([], 3002),
    );
    const difference = second?.describe(1)?.find(({ kind }) => kind === "difference");
    expect(difference).toMatchObject({
      summary: expect.stringMatching(/^The prompt cache breaks at byte \d+, in message 2\./),
    });
  });
});

test("a session may begin with very many short lines", async () => {
  const [run] = await read(...RUN.slice(0, 1), "{}\n".repeat(300_000), ...RUN.slice(1));
  expect(run?.entries.length).toBeGreaterThan(2);
});

test("what is shown of a deep value grows as its text does", async () => {
  const nested = (levels: number): object => JSON.parse(`{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`);
  const shownOf = async (levels: number): Promise<number> => {
    const deep = { ...call, arguments: nested(levels) };
    const [run] = await read(...RUN.slice(0, 3), response([deep], 1000, "toolUse"), ...RUN.slice(4));
    const shown = run?.entries.map((_, index) => JSON.stringify(run.describe(index)).length) ?? [];
    return Math.max(...shown) + JSON.stringify(run?.copyTest?.().files).length;
  };
  expect(await shownOf(2000)).toBeLessThan(5 * (await shownOf(500)));
});

describe("a cassette", () => {
  const body = (system: string) => ({ model: "m-2", system, messages: [{ role: "user", content: "Hi" }] });
  const exchange = (number: number, system: string, status = 200) => [
    { type: "request", exchange: number, method: "POST", url: "https://api.test/v1", headers: {}, body: body(system) },
    { type: "response", exchange: number, at: 20, status, headers: { "content-type": "text/event-stream" } },
    { type: "chunk", exchange: number, at: 30, text: "data: 1\n\n" },
    { type: "end", exchange: number, at: 50 },
  ];

  it("becomes a run with an entry for each exchange, the raw response, and the byte where the cache broke", async () => {
    const [run] = await read(...exchange(0, "Be brief"), ...exchange(1, "Be brave", 500));
    expect(run?.summary).toMatchObject({ model: "m-2", outcome: "error", requests: 2 });
    expect(run?.entries).toMatchObject([
      { outcome: "done", firstMs: 30, durationMs: 50, title: "POST https://api.test/v1 200" },
      { outcome: "error", title: "POST https://api.test/v1 500" },
    ]);
    expect(run?.describe(1)).toContainEqual({ kind: "text", title: "Response as received", text: "data: 1\n\n" });
    // `"Be br` is equal.
    expect(run?.describe(1)).toContainEqual({
      kind: "difference",
      title: "Since the previous request",
      summary: "The prompt cache breaks at byte 6, in the system prompt. What follows is processed again.",
      before: '"Be brief"',
      after: '"Be brave"',
    });
  });
});

it("refuses a file of another kind", async () => {
  await expect(read({ name: "package" })).rejects.toThrow("file.jsonl is neither a session log nor a cassette");
});
