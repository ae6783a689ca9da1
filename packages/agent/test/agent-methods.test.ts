/** What the docstrings of `Agent` and of the functions of the loop say, where no test of a feature says it. */
import {
  Agent,
  AgentBusyError,
  type AgentEvent,
  type AgentLoopConfig,
  type AgentOptions,
  AgentStateError,
  agentLoop,
  agentLoopContinue,
} from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { durable } from "pi-agent/durable";
import { afterEach, describe, expect, test, vi } from "vitest";
import { MemoryEngine } from "./durable/memory-engine.js";
import { calls, MODEL, type Step, scripted, text, user } from "./scripted-stream.js";
import { never, tool } from "./scripted-tool.js";

function createAgent(steps: Step[], { initialState, ...options }: AgentOptions = {}) {
  const stream = scripted(...steps);
  const state = { model: MODEL, tools: [tool("a")], ...initialState };
  return { agent: new Agent({ initialState: state, streamFn: stream.streamFn, ...options }), stream };
}

afterEach(() => {
  vi.useRealTimers();
});

test("what needs an idle agent is refused during a run, which goes on", async () => {
  const { agent } = createAgent([]);
  const prompted = agent.prompt("hi");
  for (const use of [() => agent.prompt("no"), () => agent.continue(), () => agent.resume(), () => agent.answer([])])
    await expect(use()).rejects.toThrow(AgentBusyError);
  for (const use of [() => agent.declineAll(), () => agent.reset(), () => agent.send("no", { whileRunning: "refuse" })])
    expect(use).toThrow(AgentBusyError);
  expect(await prompted).toMatchObject({ stopReason: "stop" });
  expect(agent.state.messages).toHaveLength(2);
});

describe("answer", () => {
  const waiting = async () => {
    const { agent } = createAgent([calls("a")], { middleware: [approvals({ pause: true })] });
    await agent.prompt("hi");
    return agent;
  };

  test("says whether an answer is new", async () => {
    const agent = await waiting();
    expect(await agent.answer([])).toBe(false);
    expect(await agent.answer([{ id: "1", approved: true }])).toBe(true);
    expect(await agent.answer([{ id: "1", approved: true }])).toBe(false);
  });

  test("is needed before the conversation can go on", async () => {
    const agent = await waiting();
    await expect(agent.continue()).rejects.toThrow(AgentStateError);
    await expect(agent.prompt("hello?")).rejects.toThrow(AgentStateError);
    const { messages } = agent.state;
    const config: AgentLoopConfig = { model: MODEL, convertToLlm: () => [] };
    expect(() => agentLoopContinue({ systemPrompt: "", messages }, config)).toThrow(AgentStateError);
  });
});

describe("resume", () => {
  test("requests an answer that is missing, delivers what is queued, or has nothing to do", async () => {
    const { agent, stream } = createAgent([]);
    expect(await agent.resume()).toBe("idle");
    agent.state.messages = [user("hi")];
    expect(await agent.resume()).toBe("continued");
    expect(await agent.resume()).toBe("idle");
    agent.followUp("and?");
    expect(await agent.resume()).toBe("continued");
    expect(stream.calls).toHaveLength(2);
    agent.state.messages = [user("hi"), text("", { stopReason: "pause" })];
    expect(await agent.resume()).toBe("continued");
  });

  test("reports a pause, before and after a run", async () => {
    const { agent } = createAgent([calls("a"), calls("a")], { middleware: [approvals({ pause: true })] });
    await agent.prompt("hi");
    expect(await agent.resume()).toBe("paused");
    await agent.answer([{ id: "1", approved: true }]);
    expect(await agent.resume()).toBe("paused");
    expect(agent.state.messages.filter(({ role }) => role === "assistant")).toHaveLength(2);
  });
});

test("send resolves when the run is over, or as soon as the message is queued", async () => {
  const { agent } = createAgent([]);
  const order: string[] = [];
  const started = agent.send("hi");
  const queued = agent.send("more");
  expect([started.did, queued.did]).toEqual(["start", "followUp"]);
  await Promise.all([
    queued.done.then(() => order.push(`queued, ${agent.state.isStreaming}`)),
    started.done.then(() => order.push(`over, ${agent.state.isStreaming}`)),
  ]);
  expect(order).toEqual(["queued, true", "over, false"]);
  expect(agent.state.messages.map(({ role }) => role).join(" ")).toBe("user assistant user assistant");
});

test("each queue can be dropped alone", () => {
  const { agent } = createAgent([]);
  const fill = (): void => {
    agent.steer(user("S"));
    agent.followUp(user("F"));
  };
  fill();
  agent.clearSteeringQueue();
  expect(agent.peekQueuedMessages()).toEqual([user("F")]);
  agent.clearFollowUpQueue();
  expect(agent.hasQueuedMessages()).toBe(false);
  fill();
  agent.clearFollowUpQueue();
  expect(agent.peekQueuedMessages()).toEqual([user("S")]);
  agent.clearAllQueues();
  expect(agent.hasQueuedMessages()).toBe(false);
});

test("a listener that is subscribed twice hears each event once, and is removed once", async () => {
  const { agent } = createAgent([]);
  const listener = vi.fn();
  const remove = [agent.subscribe(listener), agent.subscribe(listener)];
  await agent.prompt("hi");
  expect(listener.mock.calls.filter(([{ type }]) => type === "agent_start")).toHaveLength(1);
  expect(remove.map((one) => one())).toEqual([true, false]);
});

describe("the stream of agentLoop", () => {
  const config: AgentLoopConfig = { model: MODEL, convertToLlm: () => [] };

  async function collect(stream: AsyncIterable<AgentEvent>): Promise<string[]> {
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    return types;
  }

  test("settles within 20 ms of an abort, even if a tool hangs", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const controller = new AbortController();
    const tools = [tool("stuck", () => never())];
    const { streamFn } = scripted(calls("stuck"));
    const stream = agentLoop(
      [user("hi")],
      { systemPrompt: "", messages: [], tools },
      config,
      controller.signal,
      streamFn,
    );
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    await vi.advanceTimersByTimeAsync(20);
    expect((await stream.result()).at(-1)).toMatchObject({ stopReason: "aborted" });
    expect((await collect(stream)).at(-1)).toBe("agent_end");
  });

  test("ends without agent_end if the engine of a durable run fails", async () => {
    const process = new MemoryEngine().start();
    const lost = { ...process, runId: "r", run: () => Promise.reject(new Error("lost")) };
    const stream = agentLoop(
      [user("hi")],
      { systemPrompt: "", messages: [] },
      { ...config, steps: durable(lost) },
      undefined,
      scripted().streamFn,
    );
    const result = stream.result().catch((error: unknown) => error);
    expect(await collect(stream)).not.toContain("agent_end");
    expect(await result).toBeInstanceOf(Error);
  });
});
