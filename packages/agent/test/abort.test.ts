import { Agent, type AgentEvent, type AgentOptions } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import type { AssistantMessage } from "pi-ai";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { describeEvents } from "./event-list.js";
import { loadLoop } from "./load-loop.js";
import {
  abortable,
  call,
  calls,
  eventsOf,
  MODEL,
  response,
  type Step,
  scripted,
  stuckAfter,
  text,
} from "./scripted-stream.js";
import { never, result, tool } from "./scripted-tool.js";

function createAgent(steps: Step[], options: AgentOptions = {}) {
  const stream = scripted(...steps);
  const agent = new Agent({
    initialState: { model: MODEL, tools: [tool("a"), tool("stuck", () => never())] },
    streamFn: stream.streamFn,
    onListenerError: () => {},
    ...options,
  });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => {
    events.push(event);
  });
  return { agent, stream, events };
}

const quiet = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

beforeAll(loadLoop);

describe("abort", () => {
  /** Milliseconds from an abort to the end of the run, on a fake clock. */
  const LIMIT_MS = 20;

  afterEach(() => {
    vi.useRealTimers();
  });

  test.each<{ title: string; steps?: Step[]; options?: AgentOptions; listener?: () => Promise<void> }>([
    { title: "a tool", steps: [calls("stuck")] },
    { title: "some of the tools of a parallel batch", steps: [calls("a", "stuck", "a", "stuck")] },
    {
      title: "a tool of a sequential batch",
      steps: [calls("a", "stuck", "a")],
      options: { toolExecution: "sequential" },
    },
    {
      title: "a tool that waits for others",
      steps: [calls("stuck", "stuck", "a")],
      options: { maxParallelTools: 1 },
    },
    { title: "beforeToolCall", steps: [calls("a", "a")], options: { beforeToolCall: () => never() } },
    { title: "afterToolCall", steps: [calls("a", "a")], options: { afterToolCall: () => never() } },
    { title: "transformContext", options: { transformContext: () => never() } },
    { title: "convertToLlm", options: { convertToLlm: () => never() } },
    { title: "getApiKey", options: { getApiKey: () => never() } },
    { title: "prepareNextTurn", steps: [calls("a")], options: { prepareNextTurn: () => never() } },
    { title: "shouldStopAfterTurn", steps: [calls("a")], options: { shouldStopAfterTurn: () => never() } },
    { title: "a stream function that never returns a stream", steps: [() => never()] },
    { title: "a stream without events", steps: [stuckAfter([])] },
    { title: "a stream that stops in the middle", steps: [stuckAfter(eventsOf(text("half")).slice(0, 3))] },
    { title: "a listener", listener: () => never() },
  ])("ends a run in which $title never ends", async ({ steps = [], options, listener }) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { agent, stream } = createAgent(steps, options);
    if (listener) agent.subscribe(listener);
    const prompted = agent.prompt("hi");
    await quiet();
    const callsBefore = stream.calls.length;
    agent.abort();
    await quiet();
    vi.advanceTimersByTime(LIMIT_MS);
    await prompted;
    expect(stream.calls).toHaveLength(callsBefore);
    expect(agent.state.messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "aborted" });
    expect(agent.state).toMatchObject({ isStreaming: false, errorMessage: "Request was aborted" });
  });

  test("does nothing when idle", () => {
    const { agent } = createAgent([]);
    agent.abort();
    expect(agent.state.isStreaming).toBe(false);
  });

  test("lets a stream end with its own message", async () => {
    const aborted = text("half", { stopReason: "aborted", errorMessage: "stopped by the provider", responseId: "r" });
    const { agent, events } = createAgent([abortable(eventsOf(text("half")).slice(0, 3), aborted)]);
    const prompted = agent.prompt("hi");
    await quiet();
    agent.abort();
    await prompted;
    expect(agent.state.messages.at(-1)).toBe(aborted);
    expect(agent.state.errorMessage).toBe("stopped by the provider");
    expect(describeEvents(events)).toBe("AS TS MS(u) ME(u) MS(a) ME(a:aborted) TE(aborted;[]) AE[ua]");
  });

  test("keeps the content and usage of a stream that hangs", async () => {
    const { agent } = createAgent([stuckAfter(eventsOf(text("half")).slice(0, 3))]);
    const prompted = agent.prompt("hi");
    await quiet();
    agent.abort();
    await prompted;
    expect(agent.state.messages.at(-1)).toMatchObject({
      content: [{ type: "text", text: "half" }],
      usage: { totalTokens: 10 },
      error: { kind: "aborted" },
    });
  });

  test("marks a tool call that was still streaming, and ignores later events of the stream", async () => {
    const args: Record<string, unknown> = { path: "a" };
    const message = response([call("1", "a", { done: true }), call("2", "a", args)]);
    const { agent } = createAgent([stuckAfter(eventsOf(message).slice(0, 6))]);
    const prompted = agent.prompt("hi");
    await quiet();
    agent.abort();
    await prompted;
    args["path"] = "changed";
    const last = agent.state.messages.at(-1) as AssistantMessage;
    expect(last.content).toEqual([
      call("1", "a", { done: true }),
      { ...call("2", "a", { path: "a" }), argumentsError: "the response ended before the arguments were complete" },
    ]);
  });

  test("keeps the results of completed tool calls, and drops later results", async () => {
    let release: (() => void) | undefined;
    const late = tool("late", async (_id, _args, _signal, onUpdate) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      onUpdate?.(result("late"));
      return result("late");
    });
    const { agent, events } = createAgent([calls("a", "late", "unknown")], {
      initialState: { model: MODEL, tools: [tool("a"), late] },
    });
    const prompted = agent.prompt("hi");
    await quiet();
    agent.abort();
    await prompted;
    const results = agent.state.messages.filter((message) => message.role === "toolResult");
    expect(results.map((message) => message.content[0])).toMatchObject([
      { text: "a" },
      { text: "Operation aborted" },
      { text: "Tool unknown not found" },
    ]);
    expect(results[1]?.durationMs).toBeGreaterThanOrEqual(0);
    const count = events.length;
    release?.();
    await quiet();
    expect(events).toHaveLength(count);
    expect(JSON.stringify(agent.state.messages)).not.toContain('late"}');
  });

  test("does not use a result that afterToolCall has not finished with", async () => {
    const { agent } = createAgent([calls("secret")], {
      initialState: { model: MODEL, tools: [tool("secret", async () => result("secret"))] },
      afterToolCall: () => never(),
    });
    const prompted = agent.prompt("hi");
    await quiet();
    agent.abort();
    await prompted;
    expect(agent.state.messages[2]).toMatchObject({ content: [{ text: "Operation aborted" }] });
  });

  test("every listener still gets every event, in order, if one of them hangs", async () => {
    const { agent, events } = createAgent([calls("stuck", "a")]);
    const second: AgentEvent[] = [];
    agent.subscribe((event) => (event.type === "tool_execution_start" ? never() : undefined));
    agent.subscribe((event) => {
      second.push(event);
    });
    const prompted = agent.prompt("hi");
    await quiet();
    agent.abort();
    await prompted;
    expect(second).toEqual(events);
  });

  test("prompt works immediately afterwards", async () => {
    const { agent } = createAgent([calls("stuck")]);
    const prompted = agent.prompt("hi");
    await quiet();
    agent.abort();
    await expect(agent.prompt("too early")).rejects.toThrow("Agent is already processing");
    await prompted;
    await agent.prompt("again");
    expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "stop" });
    expect(agent.state.errorMessage).toBeUndefined();
  });

  test("from a listener at any event ends the run, and the next prompt works", async () => {
    const steps = (): Step[] => [calls("a", "a"), calls("a"), text("x")];
    const whole = createAgent(steps());
    await whole.agent.prompt("hi");
    for (let index = 0; index < whole.events.length; index++) {
      const { agent, events, stream } = createAgent(steps());
      const unsubscribe = agent.subscribe(() => {
        if (events.length === index + 1) agent.abort();
      });
      await agent.prompt("hi");
      unsubscribe();
      const last = agent.state.messages.at(-1);
      const complete = stream.calls.length === 3 && last?.role === "assistant" && last.stopReason === "stop";
      expect(complete || (last?.role === "assistant" && last.stopReason === "aborted"), `at ${index}`).toBe(true);
      expect(agent.state.isStreaming).toBe(false);
      await agent.prompt("again");
      expect(agent.state.errorMessage).toBe(undefined);
    }
  });
});

test("a call whose end has said that it waits goes on waiting after an abort", async () => {
  const { agent, events } = createAgent([calls("a", "a")]);
  agent.middleware = [approvals({ when: () => true, pause: true })];
  agent.subscribe((event) => {
    if (event.type === "tool_execution_end" && event.toolCallId === "1") agent.abort();
  });
  await agent.prompt("Go.");
  const ends = events.flatMap((event) => (event.type === "tool_execution_end" ? [event] : []));
  expect(ends.map(({ toolCallId, isWaiting = false }) => [toolCallId, isWaiting])).toEqual([
    ["1", true],
    ["2", false],
  ]);
  // What the events have said is what the conversation has.
  expect(agent.state.pause?.requests.map(({ id }) => id)).toEqual(["1"]);
  expect(agent.state.messages.find((message) => message.role === "toolResult" && message.toolCallId === "2")).toEqual(
    expect.objectContaining({ isError: true, content: [{ type: "text", text: "Operation aborted" }] }),
  );
});
