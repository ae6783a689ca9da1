import { Agent } from "pi-agent";
import { complete, Type } from "pi-ai";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { playRun, watchAgent } from "../../test/support/watch-agent.internal.js";
import { MODEL } from "../../test/support/wire-agent.js";
import { RunStore } from "../record/run-store.js";
import { Wire } from "../record/wire.js";
import { recordRuns } from "./recorder.js";

beforeEach(() => {
  // Two programs are compared, and must have equal times.
  vi.useFakeTimers({ toFake: ["Date"], now: 1000 });
  // Not a fake timer: a test before this one in the same process may have loaded the agent with the real object.
  vi.spyOn(performance, "now").mockReturnValue(1000);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const event = (delta: object, finish?: string): string =>
  `data: ${JSON.stringify({ id: "1", choices: [{ index: 0, delta, ...(finish && { finish_reason: finish }) }] })}\n\n`;
const usage = `data: ${JSON.stringify({ id: "1", choices: [], usage: { prompt_tokens: 10, completion_tokens: 2 } })}\n\n`;
const say = (text: string): Response =>
  new Response(`${event({ content: text })}${event({}, "stop")}${usage}data: [DONE]\n\n`);
const look = { tool_calls: [{ index: 0, id: "t1", function: { name: "look", arguments: "{}" } }] };

interface Program {
  store: RunStore;
  agent: Agent;
}

interface ProgramOptions {
  /** The most runs that the store keeps. */
  runs?: number;
  /** Whether the provider refuses some requests once, so that they are sent again. */
  refuses?: boolean;
  onTool?: () => void;
}

/** Creates a store and an agent that it shows. The agent's tool sends a request of its own. */
function createProgram({ runs = 500, refuses = false, onTool = () => {} }: ProgramOptions = {}): Program {
  let sent = 0;
  const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
    const isInner = String(init?.body).includes("Summarize");
    if (isInner) return say("inner");
    sent++;
    if (refuses && sent % 4 === 1) return new Response("busy", { status: 429, headers: { "retry-after-ms": "1" } });
    return sent % 4 === (refuses ? 2 : 1)
      ? new Response(`${event(look)}${event({}, "tool_calls")}data: [DONE]\n\n`)
      : say(`${sent}`);
  };
  const tool = {
    name: "look",
    label: "look",
    description: "look",
    parameters: Type.Object({}),
    execute: async (_id: string, _args: object, signal?: AbortSignal) => {
      onTool();
      await complete(MODEL, "Summarize", { fetch, apiKey: "key-of-a-test", ...(signal && { signal }) });
      return { content: [{ type: "text" as const, text: "seen" }], details: {} };
    },
  };
  const agent = new Agent({
    initialState: { model: MODEL, systemPrompt: "Be brief", tools: [tool] },
    getApiKey: () => "key-of-a-test",
    streamOptions: { fetch },
  });
  const store = new RunStore({ runs });
  onTestFinished(watchAgent(agent, store));
  return { store, agent };
}

async function runAll({ agent }: Program): Promise<void> {
  await agent.prompt("First");
  await agent.prompt("Second");
  agent.state.messages = [];
  agent.state.systemPrompt = "Be brave";
  await agent.prompt("Third");
  await agent.prompt("Fourth");
}

/** Returns everything that the page shows, without the ids, which are numbered over the whole process. */
function shown({ store }: Program): unknown {
  return store.runs.map((run) => ({
    ...run.summary,
    id: "",
    entries: run.entries,
    sections: run.entries.map((_, index) => run.describe(index)),
    origin: { ...run.origin, forget: undefined },
    test: run.copyTest?.(),
  }));
}

async function runObserved(options: ProgramOptions, prompts?: number): Promise<unknown> {
  const program = createProgram(options);
  onTestFinished(program.store.subscribe(() => {}));
  await (prompts === undefined ? runAll(program) : runMany(program, prompts));
  return shown(program);
}

async function runMany({ agent }: Program, prompts: number): Promise<void> {
  for (let prompt = 0; prompt < prompts; prompt++) await agent.prompt(`Prompt ${prompt}`);
}

it("writes no run before a page needs it, and then the same as for a page that was open", async () => {
  const program = createProgram();
  const add = vi.spyOn(program.store, "add");
  await runAll(program);
  expect(add).not.toHaveBeenCalled();
  const all = shown(program);
  expect(add).toHaveBeenCalledTimes(4);
  expect(all).toEqual(await runObserved({}));
});

it("shows waits between attempts in the order in which they came", async () => {
  const program = createProgram({ refuses: true });
  await runAll(program);
  expect(shown(program)).toEqual(await runObserved({ refuses: true }));
});

it("shows the same if the page is opened while a tool runs", async () => {
  let tools = 0;
  const onTool = (): void => {
    if (++tools === 2) expect(program.store.runs.at(-1)?.summary.outcome).toBe("running");
  };
  const program = createProgram({ onTool });
  await runAll(program);
  expect(tools).toBe(2);
  expect(shown(program)).toEqual(await runObserved({}));
});

it("shows the part of a response that has arrived", async () => {
  const store = new RunStore();
  const recorder = recordRuns(store, { now: () => 1000 });
  onTestFinished(recorder.stop);
  const play = playRun(recorder);
  const emit = (type: string, text: string): void =>
    play(type, { message: { role: "assistant", model: "m", content: [{ type: "text", text }] } });
  emit("agent_start", "");
  emit("message_start", "");
  emit("message_update", "One");
  emit("message_update", "One two");
  const run = store.runs[0];
  expect(run?.describe(0)).toContainEqual({ kind: "text", title: "Text", text: "One two" });
  expect(run?.entries[0]).toMatchObject({ outcome: "running" });
  emit("message_update", "One two three");
  expect(run?.describe(0)).toContainEqual({ kind: "text", title: "Text", text: "One two three" });
});

it("drops old runs without writing them, and shows the same newer runs as for a page that was open", async () => {
  const program = createProgram({ runs: 3 });
  const add = vi.spyOn(program.store, "add");
  const prompts = 70;
  await runMany(program, prompts);
  const all = shown(program);
  expect(add.mock.calls.length).toBeLessThan(prompts);
  expect(all).toEqual(await runObserved({ runs: 3 }, prompts));
  expect(program.store.runs).toHaveLength(3);
  // The bodies of dropped runs do not count.
  const kept = program.store.runs
    .flatMap(({ described }) => described.filter((part) => part instanceof Wire))
    .reduce((sum, { size }) => sum + size, 0);
  expect(program.store.bodies.total).toBe(kept);
});
