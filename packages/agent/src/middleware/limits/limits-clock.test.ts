/** The time of the system is set back by an hour in the middle of runs. */
import { Agent, type AnyAgentTool } from "pi-agent";
import { durable } from "pi-agent/durable";
import { Budget, limits } from "pi-agent/limits";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MemoryEngine } from "../../../test/durable/memory-engine.js";
import { call, MODEL, response, scripted } from "../../../test/scripted-stream.js";
import { result, tool } from "../../../test/scripted-tool.js";

const START = 1_800_000_000_000;
const HOUR = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "performance"], now: START });
  // `performance` of the fake timers begins at 0.
  vi.spyOn(performance, "timeOrigin", "get").mockReturnValue(START);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Takes 40 ms. During the second call the time of the system is set. */
function slowTool(setBy: number): AnyAgentTool {
  let calls = 0;
  return tool("look", async () => {
    vi.advanceTimersByTime(40);
    if (++calls === 2) vi.setSystemTime(Date.now() + setBy);
    return result(`view ${calls}`);
  });
}

const script = () => scripted(...Array.from({ length: 9 }, (_, turn) => response([call(`c${turn}`, "look")])));

test.each([-HOUR, HOUR])("a budget of time does not follow when the system's time is set by %i ms", async (setBy) => {
  const { streamFn, calls } = script();
  const initialState = { model: MODEL, tools: [slowTool(setBy)] };
  const agent = new Agent({
    streamFn,
    initialState,
    middleware: [limits({ budget: { ms: 100 }, lastResponse: false })],
  });
  await agent.prompt("Hi");
  expect(calls).toHaveLength(3);
  expect(agent.state.stopped).toMatchObject({ by: "budget", limit: "ms", used: 120 });
});

test.each([-HOUR, HOUR])("nor in a durable run: %i ms", async (setBy) => {
  const { streamFn, calls } = script();
  const steps = durable(new MemoryEngine().start());
  const initialState = { model: MODEL, tools: [slowTool(setBy)] };
  const agent = new Agent({
    steps,
    streamFn,
    initialState,
    middleware: [limits({ budget: { ms: 100 }, lastResponse: false })],
  });
  await agent.prompt("Hi");
  expect(calls.length).toBeLessThanOrEqual(4);
  expect(agent.state.stopped).toMatchObject({ by: "budget", limit: "ms" });
});

test("a process that continues a run counts the time since the run began, and one that repeats it comes to the same", async () => {
  const engine = new MemoryEngine();
  const { streamFn, calls } = script();
  const used: number[] = [];
  const run = async (death?: { step: number; moment: "after" }) => {
    const process = engine.start(death);
    const budget = new Budget({ ms: HOUR });
    const initialState = { model: MODEL, tools: [slowTool(0)] };
    const agent = new Agent({ steps: durable(process), streamFn, initialState, middleware: [limits({ budget })] });
    await Promise.race([agent.prompt("Hi"), process.died]);
    used.push(budget.used.ms);
    return agent;
  };
  await run({ step: 5, moment: "after" });
  vi.advanceTimersByTime(2 * HOUR);
  const continued = await run();
  vi.advanceTimersByTime(2 * HOUR);
  await run();
  expect(continued.state.stopped).toMatchObject({ by: "budget", limit: "ms" });
  expect(calls).toHaveLength(1);
  expect(used.slice(1)).toEqual([2 * HOUR + 40, 2 * HOUR + 40]);
});

test("a process whose clock is behind goes on from the time of the last step", async () => {
  const engine = new MemoryEngine();
  const { streamFn } = scripted(response([call("c1", "look")]), response([call("c2", "look")]), response([]));
  const run = async (now: () => number, death?: { step: number; moment: "after" }) => {
    const process = engine.start(death);
    const initialState = { model: MODEL, tools: [slowTool(0)] };
    const agent = new Agent({ steps: durable(process, { now }), streamFn, initialState });
    await Promise.race([agent.prompt("Hi"), process.died]);
  };
  let time = START;
  await run(() => (time += 10), { step: 4, moment: "after" });
  let later = START - HOUR;
  await run(() => (later += 10));
  const times = engine.remembered.map(({ json }) => Number(/"at":(\d+)/.exec(json ?? "")?.[1]));
  expect(times.length).toBeGreaterThan(6);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(new Set(times).size).toBeGreaterThan(times.length - 2);
});
