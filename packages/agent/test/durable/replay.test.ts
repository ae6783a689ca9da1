/** What a run delivers and stores is delivered and stored once, wherever its process dies. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Agent, AgentEvent, AgentMessage, AnyAgentTool } from "pi-agent";
import { subscribeEmbedded } from "pi-agent/embed";
import { createMemoryEventStore, publish, type RunEvent } from "pi-agent/event-store";
import { createSessionLog, loadSession } from "pi-agent/session";
import { applyRunEvent, type RunView } from "pi-agent/sse/client";
import { Type } from "pi-ai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { call, eventsOf, MODEL, response, streamOf, text, user } from "../scripted-stream.js";
import { logged } from "../session/logged.js";
import { type DurableAgentOptions, durableAgent } from "./durable-agent.js";
import { type Death, MemoryEngine, type MemoryProcess, MOMENTS } from "./memory-engine.js";

const SCRIPT = [
  response([{ type: "text", text: "I look and pay." }, call("1", "look"), call("2", "pay")]),
  response([{ type: "text", text: "I look again." }, call("3", "look")]),
  text("Booked."),
];

let folder: string;
let file: string;
let store: ReturnType<typeof createMemoryEventStore<RunEvent>>;
let shown: string[];
let failures: unknown[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "replay-"));
  reset();
});

afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

function reset(): void {
  file = join(folder, `${crypto.randomUUID()}.jsonl`);
  store = createMemoryEventStore<RunEvent>();
  shown = [];
  failures = [];
}

/** Runs a process that loads the session, passes its messages and prompts, until it ends or dies. */
async function live(
  process: MemoryProcess,
  before: AgentMessage[],
  more: Partial<DurableAgentOptions> = {},
): Promise<Agent | undefined> {
  const messages = await loadSession(file).then(
    (session) => session.messages,
    () => before,
  );
  const tool = (name: string): AnyAgentTool => ({
    name,
    description: name,
    parameters: Type.Object({}),
    execute: async () => ({ content: [{ type: "text", text: `${name} done` }] }),
  });
  const agent = durableAgent({
    engine: process,
    streamFn: async (_model, context) => {
      await process.pause();
      const index = context.messages.filter(({ role }) => role === "assistant").length - before.length / 2;
      return streamOf(eventsOf(SCRIPT[index] ?? text("too many")));
    },
    tools: [tool("look"), tool("pay")],
    approve: ({ tool: { name } }) => name === "pay",
    initialState: { model: MODEL, messages },
    onListenerError: (error) => failures.push(error),
    ...more,
  });
  const log = await logged(agent, createSessionLog(file));
  const embedded = subscribeEmbedded(agent, { onBlockReply: (reply) => void shown.push(reply.text ?? "") });
  agent.middleware = [...(agent.middleware ?? []), publish(store, "run", { onError: (error) => failures.push(error) })];
  const end = await Promise.race([agent.prompt(user("Book a hotel.")), process.died]);
  embedded.unsubscribe();
  // The run waits for each line, so nothing is written that a real process would not have written.
  await log.close();
  if (end === "died") return undefined;
  return agent;
}

async function readStore(): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const [, event] of store.read("run")) events.push(event);
  return events;
}

function createEngine(): MemoryEngine {
  const engine = new MemoryEngine();
  for (let position = 1; position < 20; position++) engine.signals.set(`approval:${position}.2`, { approved: true });
  return engine;
}

const BEFORE = [user("Hello"), text("Hi.")];

describe.each([
  ["a new conversation", [] as AgentMessage[]],
  ["a conversation that goes on", BEFORE],
])("%s", (_what, before) => {
  test("is shown, logged and published once, wherever the process dies", async () => {
    const reference = createEngine().start();
    const whole = await live(reference, before);
    expect(shown).toEqual(["I look and pay.", "I look again.", "Booked."]);
    const published = await readStore();
    const lines = (await readFile(file, "utf8")).split("\n").length;
    expect(failures).toEqual([]);
    const lost: Death[] = [];
    for (let step = 0; step < reference.count; step++) {
      for (const moment of MOMENTS) {
        reset();
        const engine = createEngine();
        const death = { step, moment };
        const at = JSON.stringify(death);
        expect(await live(engine.start(death), before), at).toBeUndefined();
        const agent = await live(engine.start(), before);
        if (!agent) throw new Error("The last process does not die");
        const roles = agent.state.messages.map(({ role }) => role);
        expect(roles, at).toEqual(whole?.state.messages.map(({ role }) => role));

        expect(new Set(shown).size, at).toBe(shown.length);
        if (shown.length < 3) lost.push(death);

        const log = await readFile(file, "utf8");
        expect(log, at).not.toContain('"type":"reset"');
        expect((await loadSession(file)).messages, at).toEqual(agent.state.messages);
        expect(log.split("\n").length, at).toBeLessThanOrEqual(lines + 1);

        const events = await readStore();
        // A page has the messages from before the run.
        const own = agent.state.messages.slice(before.length);
        expect(view(events).messages.slice(-own.length), at).toEqual(own);
        expect(countEnds(events), at).toBeLessThanOrEqual(countEnds(published));
        // Beside the deltas of a response that was cut off.
        expect(countOthers(events), at).toBeLessThanOrEqual(countOthers(published) + 4);

        // A process that finds the run finished changes nothing.
        const again = await live(engine.start(), before);
        expect(again?.state.messages, at).toEqual(agent.state.messages);
        expect(await readFile(file, "utf8"), at).toBe(log);
        expect(await readStore(), at).toEqual(events);
        expect(new Set(shown).size, at).toBe(shown.length);
        expect(failures, at).toEqual([]);
      }
    }
    // Only a process that dies right after it has stored a response takes its reply along.
    for (const { moment } of lost) expect(moment).toBe("after");
    expect(lost.length).toBe(3);
  });
});

function view(events: readonly RunEvent[]): RunView {
  return events.reduce(applyRunEvent, { messages: [] });
}

function countEnds(events: readonly RunEvent[]): number {
  return events.filter(({ type }) => type === "message_end").length;
}

function countOthers(events: readonly RunEvent[]): number {
  return events.filter(({ type }) => type !== "message_update").length;
}

test("the events that repeat those of an earlier process are marked", async () => {
  const engine = createEngine();
  // It dies while the last tool runs.
  expect(await live(engine.start({ step: 9, moment: "inside" }), [])).toBeUndefined();
  const process = engine.start();
  const agent = durableAgent({
    engine: process,
    streamFn: async (_model, { messages }) =>
      streamOf(eventsOf(SCRIPT[messages.filter(({ role }) => role === "assistant").length] ?? text("no"))),
    tools: ["look", "pay"].map((name) => ({
      name,
      description: name,
      parameters: Type.Object({}),
      execute: async () => ({ content: [] }),
    })),
    approve: ({ tool: { name } }) => name === "pay",
    // The process that died had a log, which takes no steps.
    detectChanges: false,
    initialState: { model: MODEL },
  });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => {
    events.push(event);
  });
  await agent.prompt(user("Book a hotel."));
  const marked = events.map(({ type, replayed }) => (replayed ? `${type}*` : type)).join(" ");
  // Whether the answer to an approval is new, nobody knows until the next step.
  expect(marked).toBe(
    "agent_start* turn_start* message_start* message_end* message_start* message_end* tool_execution_start* " +
      "tool_execution_start* approval_requested* approval_resolved tool_execution_end* tool_execution_end* message_start* " +
      "message_end* message_start* message_end* turn_end* turn_start* message_start* message_end* tool_execution_start* " +
      "tool_execution_end message_start message_end turn_end turn_start message_start message_update message_update " +
      "message_update message_end turn_end agent_end",
  );
});

describe("a process that passes another conversation than the run began with", () => {
  test.each([
    [
      "a longer one",
      [...BEFORE, user("Something else"), text("Yes?")],
      "of 2 messages, and this process passed one of 4",
    ],
    ["a shorter one", [], "of 2 messages, and this process passed one of 0"],
  ])("is refused with the line to write: %s", async (_what, messages, problem) => {
    const engine = createEngine();
    const begin = (passed: AgentMessage[]) =>
      durableAgent({
        engine: engine.start(),
        streamFn: async () => streamOf(eventsOf(text("Booked."))),
        initialState: { model: MODEL, messages: passed },
      }).prompt("Book.");
    await begin(BEFORE);
    const error = await begin(messages).then(String, String);
    expect(error).toContain(`StepMismatchError: The run began on a conversation ${problem}`);
    expect(error).toContain("pass `messages: messages.slice(0, 2)`");
  });
});
