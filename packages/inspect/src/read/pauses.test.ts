/** A run that has paused, live and from its log: what was asked, who has answered, how, and how long that took. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, type AgentMessage, type AgentOptions, defineTool, type PauseAnswer } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { createSessionLog } from "pi-agent/session";
import { fauxAssistantMessage, fauxToolCall, Type } from "pi-ai";
import { createScriptedStreamFn } from "pi-ai/testing";
import { expect, it } from "vitest";
import { watchAgent } from "../../test/support/watch-agent.internal.js";
import type { Run } from "../record/run.js";
import { RunStore } from "../record/run-store.js";
import { openSource } from "./open-source.js";

const HOUR = 3_600_000;
const START = 1_800_000_000_000;

const pay = defineTool({
  name: "pay",
  description: "Pays",
  parameters: Type.Object({ euros: Type.Number() }),
  execute: async (_id, { euros }) => `Paid ${euros}`,
});
const ask = defineTool({
  name: "ask",
  description: "Asks",
  parameters: Type.Object({}),
  execute: async (_id, _args, _signal, _onUpdate, context) => String(await context?.ask?.({ message: "Which size?" })),
});

/** Asks for four answers, gets two of them an hour later, one two days later, and none to the last. */
async function play(options: Pick<AgentOptions, "middleware">, watch: (agent: Agent) => void): Promise<void> {
  let now = START;
  const calls = [1, 2, 3].map((euros) => fauxToolCall("pay", { euros }, { id: `c${euros}` }));
  const agent = new Agent({
    initialState: { tools: [pay, ask] },
    now: () => now,
    streamFn: createScriptedStreamFn([
      fauxAssistantMessage([...calls, fauxToolCall("ask", {}, { id: "c4" })], { stopReason: "toolUse" }),
      fauxAssistantMessage("Done"),
    ]),
    middleware: [
      ...(options.middleware ?? []),
      approvals({
        when: ({ tool }) => tool.name === "pay",
        pause: true,
        timeoutMs: 72 * HOUR,
        default: { approved: true },
      }),
    ],
  });
  watch(agent);
  const answer = async (at: number, ...answers: PauseAnswer[]): Promise<void> => {
    now = START + at;
    await agent.answer(answers);
    await agent.continue();
  };
  await agent.prompt("Pay and ask");
  await answer(
    HOUR,
    { id: "c1", approved: true, arguments: { euros: 5 }, by: "ada" },
    { id: "c2", approved: false, reason: "Too much", by: "bob" },
  );
  const question = agent.state.pause?.requests.find(({ kind }) => kind === "question");
  await answer(48 * HOUR, { id: question?.id ?? "", approved: true, value: "large" });
  now = START + 72 * HOUR;
  await agent.continue();
  expect(agent.state.messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "stop" });
}

const waitsOf = ({ entries }: Run) =>
  entries
    .filter(({ kind }) => kind === "wait")
    .map(({ name, title, outcome, durationMs }) => [name, title, outcome, durationMs]);

const EXPECTED = [
  [
    ["approval", 'May pay run? {"euros":1}', "done", undefined],
    ["approval", 'May pay run? {"euros":2}', "done", undefined],
    ["approval", 'May pay run? {"euros":3}', "done", undefined],
    ["question", "Which size?", "done", undefined],
  ],
  [
    ["approval", 'Approved with other arguments by ada: May pay run? {"euros":1}', "done", HOUR],
    ["approval", 'Refused by bob: May pay run? {"euros":2}', "error", HOUR],
  ],
  [["question", "Answered: Which size?", "done", 48 * HOUR]],
  [["approval", 'Approved by default, without an answer in time: May pay run? {"euros":3}', "done", 72 * HOUR]],
];

it("shows it live", async () => {
  const store = new RunStore();
  let stop = (): void => {};
  await play({}, (agent) => {
    stop = watchAgent(agent, store);
  });
  stop();
  expect([...store.runs].map(waitsOf)).toEqual(EXPECTED);
});

it("shows it from a session log, with the answers in the run that takes them", async () => {
  const folder = await mkdtemp(join(tmpdir(), "inspect-pauses-"));
  try {
    const log = await createSessionLog(join(folder, "file.jsonl"));
    await play({ middleware: [log] }, () => {});
    await log.close();
    const store = new RunStore();
    await openSource(join(folder, "file.jsonl"), { store, now: () => START + 100 * HOUR });
    const runs = [...store.runs];
    expect(runs.map(waitsOf)).toEqual(EXPECTED);
    expect(runs.map(({ summary }) => summary.outcome)).toEqual(["done", "done", "done", "done"]);
    // A mark is not a result of a tool.
    expect(runs.map(({ entries }) => entries.filter(({ kind }) => kind === "tool").length)).toEqual([0, 2, 1, 1]);
    const index = runs[1]?.entries.findIndex(({ title }) => title.startsWith("Approved")) ?? -1;
    const details = JSON.stringify(runs[1]?.describe(index));
    for (const part of [
      '["By","ada"]',
      '["Waited","1 h 0 min"]',
      `["Asked at","${new Date(START).toISOString()}"]`,
      'euros\\": 5',
    ])
      expect(details).toContain(part);
  } finally {
    await rm(folder, { recursive: true });
  }
});

it.each([
  { state: "answered", answers: [null, 5, { id: {} }, { id: "x", approved: "yes", by: 7, reason: [] }] },
  { state: "waiting", requests: [null, { id: 5, kind: {}, arguments: "x", path: "y" }] },
  { state: "waiting", requests: "many" },
  { state: "gone" },
])("does no harm with a mark of any shape: %j", async (pause) => {
  const folder = await mkdtemp(join(tmpdir(), "inspect-pauses-"));
  try {
    const message = {
      role: "toolResult",
      toolCallId: "c",
      toolName: "t",
      content: [],
      pause,
    } as unknown as AgentMessage;
    await writeFile(
      join(folder, "file.jsonl"),
      `${JSON.stringify({ type: "session", version: 1 })}\n${JSON.stringify({ type: "message", message })}\n`,
    );
    const store = new RunStore();
    await openSource(join(folder, "file.jsonl"), { store, now: () => START });
    for (const run of store.runs) for (const index of run.entries.keys()) expect(run.describe(index)).toBeDefined();
  } finally {
    await rm(folder, { recursive: true });
  }
});
