/** Tests reading the files of durable runs, as `sessionSteps` of `pi-agent/durable/session` writes them. */
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { type DurableSteps, durable } from "pi-agent/durable";
import { answerApproval, sessionSteps } from "pi-agent/durable/session";
import { afterEach, beforeEach, expect, it } from "vitest";
import { call, MODEL, response, scripted, text } from "../../../agent/test/scripted-stream.js";
import { result, tool } from "../../../agent/test/scripted-tool.js";
import type { Run } from "../record/run.js";
import { RunStore } from "../record/run-store.js";
import { openSource } from "./open-source.js";
import type { Source } from "./source.js";

let folder: string;
let file: string;
let store: RunStore;
let source: Source;
let now: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "inspect-steps-"));
  file = join(folder, "run.jsonl");
  store = new RunStore();
  now = Date.now();
});
afterEach(async () => {
  await source?.close();
  await rm(folder, { recursive: true });
});

async function open(): Promise<Run | undefined> {
  ({ source } = await openSource(file, { store, now: () => now }));
  return store.runs[0];
}

const rowsOf = (run: Run | undefined): unknown[] =>
  run?.entries.map(({ kind, name, title, outcome, turn }) => [kind, name, title, outcome, turn]) ?? [];

const RESPONSES = [response([call("1", "look", { at: "a" }), call("2", "pay")]), text("Paid")];

/** Runs the agent until a step that never returns, as in a process that is killed. */
async function work(dieAt?: string): Promise<void> {
  const file_ = await sessionSteps(file, { runId: "order-17" });
  const dead = Promise.withResolvers<never>();
  let begun = 0;
  const steps: DurableSteps = {
    ...file_,
    runId: file_.runId,
    run: (name, perform) => {
      begun++;
      if (name !== dieAt) return file_.run(name, perform);
      dead.reject(new Error("killed"));
      return new Promise(() => {});
    },
  };
  const tools = [
    { ...tool("look", async () => result("a bird")), replay: "safe" as const },
    tool("pay", async () => result("paid")),
  ];
  const { streamFn } = scripted(...RESPONSES.slice(await responsesIn()));
  let time = 1_000_000 * (dieAt ? 1 : 2);
  const agent = new Agent({
    steps: durable(steps, { now: () => (time += 100) }),
    initialState: { model: MODEL, tools },
    streamFn,
    middleware: [approvals({ when: ({ tool: { name } }) => name === "pay" })],
  });
  agent.subscribe((event) => {
    if (event.type === "approval_requested") void answerApproval(file, event.request.name, { approved: true });
  });
  await Promise.race([agent.prompt("Look and pay"), dead.promise]).catch(() => {});
  expect(begun).toBeGreaterThan(0);
  await file_.close();
}

async function responsesIn(): Promise<number> {
  return (await readFile(file, "utf8")).split('"step":"response"').length - 1;
}

it("shows a run with its approvals and tools, and which process did each step", async () => {
  await work("step 8");
  const run = await open();
  expect(run?.summary).toMatchObject({ title: "Look and pay", outcome: "running", requests: 1, tools: 2 });
  await work();
  await source.check();
  expect(store.runs).toEqual([run]);
  expect(rowsOf(run)).toEqual([
    ["message", "user", "Look and pay", "done", 0],
    ["request", "scripted-1", "[toolCall look] [toolCall pay]", "done", 1],
    ["wait", "approval", "The call 2 needs an approval. Approved", "done", 1],
    ["tool", "pay", "{}", "done", 1],
    ["tool", "look", '{"at":"a"}', "done", 1],
    ["note", "note", expect.stringMatching(/^Process 2 went on here. It took steps 1 to 7 from the file/), "done", 1],
    ["request", "scripted-1", "Paid", "done", 2],
  ]);
  expect(run?.summary).toMatchObject({ outcome: "done", requests: 2, tools: 2, durationMs: 1_000_300 });
  expect(run?.entries[2]).toMatchObject({ startedAt: 1_000_400, durationMs: 100 });
  expect(run?.describe(1)).toContainEqual({
    kind: "table",
    title: "Step",
    rows: [
      ["Run", "order-17"],
      ["Step", "3: response"],
      ["Done by", "process 1"],
      ["Done at", "1970-01-01T00:16:40.300Z"],
      ["Repeated from the file by", "process 2"],
    ],
  });
  const steps = (index: number): unknown[] =>
    (run?.describe(index) ?? []).flatMap((one) => (one.kind === "table" && one.title === "Step" ? [one.rows[1]] : []));
  expect(steps(3)).toEqual([
    ["Step", "5: begin 1:2"],
    ["Step", "7: tool pay 1:2"],
  ]);
  expect(run?.describe(3)).toContainEqual({ kind: "text", title: "Text", text: "paid" });
  // The prompt of the second request holds the results.
  expect(JSON.stringify(run?.describe(6))).toContain("3 messages were added");
  expect(run?.copyTest?.().files["run.json"]).toContain("a bird");
});

it("notes responses that were requested twice, and tools that may not have taken effect", async () => {
  await work("step 7");
  await work("step 9");
  await work();
  const run = await open();
  const notes = run?.entries.flatMap(({ kind, title }) => (kind === "note" ? [title] : []));
  expect(notes).toEqual([
    expect.stringMatching(/^Process 2 went on here. It took steps 1 to 6 from the file/),
    expect.stringMatching(/^Whether pay took effect is not known/),
    expect.stringMatching(/^Process 3 went on here. It took steps 1 to 8 from the file/),
    expect.stringMatching(/^This response was requested again/),
  ]);
  expect(run?.entries.find(({ name }) => name === "pay")).toMatchObject({ outcome: "error" });
  expect(run?.summary.outcome).toBe("done");
});

it("counts an abandoned run as aborted, but not one that waits for an approval", async () => {
  await work("step 6");
  now += 1e9;
  expect((await open())?.summary.outcome).toBe("aborted");
  await source.close();
  const lines = (await readFile(file, "utf8")).split("\n");
  await writeFile(file, `${lines.slice(0, 5).join("\n")}\n`);
  const run = await open();
  expect(run?.summary.outcome).toBe("running");
  await appendFile(
    file,
    '{"name":"approval:4.2","value":{"approved":false,"reason":"too dear"}}\n{"name":"step 5","va\n7\n',
  );
  now = Date.now();
  await source.check();
  expect(run?.entries.map(({ title }) => title).slice(2)).toEqual([
    "The call 2 needs an approval. Declined: too dear",
    'Line 7 cannot be read: {"name":"step 5","va',
    "Line 8 cannot be read: 7",
  ]);
});

it("shows each prompt of a file as a run, and accepts steps of any shape", async () => {
  const lineOf = (value: object): string => `${JSON.stringify(value)}\n`;
  let step = 0;
  const stepOf = (name: string, value: unknown): string =>
    lineOf({ name: `step ${++step}`, value: { step: name, by: "a", at: step * 100, value } });
  const turn = (words: string): string =>
    stepOf("prompts", [{ role: "user", content: words, timestamp: 1 }]) +
    stepOf("response", { message: text(words), isRepeated: false }) +
    stepOf("follow-up", { returned: { taken: [], received: [] } });
  const odd = [
    "tool",
    "tool  ",
    "begin %ZZ",
    "approvals/needed",
    "response",
    "prompts",
    "steering",
    "__proto__",
    "constructor x",
    "",
  ];
  const values = [null, 7, [null, true], { message: { content: [null] } }, { outcome: 1, returned: [] }];
  await writeFile(
    file,
    lineOf({ type: "steps", version: 1, runId: "a" }) +
      turn("One") +
      turn("Two") +
      stepOf("prompts", [{ role: "user", content: "Odd" }]) +
      odd.flatMap((name) => values.map((value) => stepOf(name, value))).join("") +
      lineOf({ name: "step 1", value: 3 }) +
      lineOf({ name: "approval:9.9", value: null }),
  );
  now += 1e9;
  await open();
  expect(store.runs.slice(0, 2).map(({ summary: { title, outcome } }) => [title, outcome])).toEqual([
    ["One", "done"],
    ["Two", "done"],
  ]);
  for (const run of store.runs)
    for (const index of run.entries.keys()) expect(run.describe(index)).toBeInstanceOf(Array);
});
