import {
  Agent,
  AgentBusyError,
  type AgentEvent,
  type AgentMessage,
  type AgentOptions,
  AgentStateError,
} from "pi-agent";
import { describe, expect, test, vi } from "vitest";
import { describeEvents } from "../test/event-list.js";
import { calls, MODEL, type Step, scripted, stuckAfter, text, user } from "../test/scripted-stream.js";
import { result, tool } from "../test/scripted-tool.js";

function createAgent(steps: Step[], options: AgentOptions = {}) {
  const stream = scripted(...steps);
  const { initialState, ...rest } = options;
  const agent = new Agent({ initialState: { model: MODEL, ...initialState }, streamFn: stream.streamFn, ...rest });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => {
    events.push(event);
  });
  return { agent, stream, events };
}

const roles = (messages: readonly AgentMessage[]): string => messages.map((message) => message.role).join(" ");

describe("a new agent", () => {
  test("has the documented defaults", () => {
    const agent = new Agent();
    expect(agent.state).toMatchObject({
      systemPrompt: "",
      thinkingLevel: "off",
      tools: [],
      messages: [],
      isStreaming: false,
      streamingMessage: undefined,
      errorMessage: undefined,
    });
    expect(agent.state.model).toMatchObject({ id: "unknown", name: "unknown", api: "unknown", provider: "unknown" });
    expect(agent.state.pendingToolCalls.size).toBe(0);
    expect(agent).toMatchObject({
      steeringMode: "one-at-a-time",
      followUpMode: "one-at-a-time",
      transport: "auto",
      toolExecution: "parallel",
      signal: undefined,
    });
  });

  test("uses pi-ai by default", async () => {
    const agent = new Agent({ initialState: { model: { ...MODEL, api: "no-such-api" } } });
    await agent.prompt("hi");
    expect(agent.state.errorMessage).toBe("No API provider registered for api: no-such-api");
  });

  test("copies the arrays that it is given, and those that are assigned", () => {
    const messages = [user("a")];
    const tools = [tool("a")];
    const agent = new Agent({ initialState: { messages, tools } });
    expect(agent.state.messages).not.toBe(messages);
    expect(agent.state.tools).not.toBe(tools);
    agent.state.messages = messages;
    expect(agent.state.messages).not.toBe(messages);
    agent.state.messages.push(user("b"));
    expect(messages).toHaveLength(1);
    expect(agent.state.messages).toHaveLength(2);
  });

  test("does not notify listeners of a change", () => {
    const { agent, events } = createAgent([]);
    agent.state.systemPrompt = "x";
    agent.state.messages = [user("a")];
    agent.steer(user("b"));
    expect(events).toEqual([]);
  });
});

describe("prompt", () => {
  test("starts before it returns", async () => {
    const { agent, events } = createAgent([]);
    const prompted = agent.prompt("hi");
    expect(describeEvents(events)).toBe("AS");
    expect(agent.state.isStreaming).toBe(true);
    expect(agent.signal).toBeInstanceOf(AbortSignal);
    await prompted;
    expect(agent.state.isStreaming).toBe(false);
    expect(agent.signal).toBeUndefined();
  });

  test("makes one user message of text and images, also of an empty text", async () => {
    const { agent } = createAgent([]);
    const image = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
    await agent.prompt("", [image]);
    expect(agent.state.messages[0]).toMatchObject({ role: "user", content: [{ type: "text", text: "" }, image] });
  });

  test("keeps the objects that it is given through events, state and result", async () => {
    const { agent, events } = createAgent([calls("a")], { initialState: { tools: [tool("a")] } });
    const prompt = user("hi");
    await agent.prompt([prompt]);
    const ends = events.filter((event) => event.type === "message_end").map((event) => event.message);
    const last = events.at(-1);
    expect(ends[0]).toBe(prompt);
    for (const [index, message] of agent.state.messages.entries()) {
      expect(message).toBe(ends[index]);
      expect(last?.type === "agent_end" && last.messages[index]).toBe(message);
    }
    const toolEnd = events.find((event) => event.type === "tool_execution_end");
    expect(ends[2]?.role === "toolResult" && ends[2].content).toBe(toolEnd?.result.content);
  });

  test("is refused while a run is under way, also in a listener of agent_end", async () => {
    const { agent } = createAgent([]);
    const refused: unknown[] = [];
    agent.subscribe(async (event) => {
      if (event.type === "agent_end") await agent.prompt("again").catch((error: unknown) => refused.push(error));
    });
    const prompted = agent.prompt("hi");
    await expect(agent.prompt("again")).rejects.toThrow(
      "Agent is already processing a prompt. Use steer() or followUp() to queue messages, or wait for completion.",
    );
    await expect(agent.continue()).rejects.toThrow(
      "Agent is already processing. Wait for completion before continuing.",
    );
    await prompted;
    expect(refused[0]).toBeInstanceOf(AgentBusyError);
    await agent.prompt("now");
    expect(roles(agent.state.messages)).toBe("user assistant user assistant");
  });

  test("resolves if the run failed, and keeps the error in the state until the next run", async () => {
    const { agent } = createAgent([text("", { stopReason: "error", errorMessage: "overloaded" })]);
    await agent.prompt("hi");
    expect(agent.state.errorMessage).toBe("overloaded");
    const prompted = agent.prompt("hi");
    expect(agent.state.errorMessage).toBeUndefined();
    await prompted;
  });

  test("uses what was set when it began", async () => {
    const { agent, stream } = createAgent([calls("a")], { initialState: { tools: [tool("a")], systemPrompt: "old" } });
    const prompted = agent.prompt("hi");
    agent.state.systemPrompt = "new";
    agent.state.tools = [];
    agent.sessionId = "new";
    agent.state.messages.push(user("unseen"));
    await prompted;
    expect(stream.calls[1]?.context).toMatchObject({ systemPrompt: "old" });
    expect(roles(stream.calls[1]?.context.messages ?? [])).toBe("user assistant toolResult");
    expect(stream.calls[1]?.options.sessionId).toBeUndefined();
  });

  test("passes only documented options to the stream function", async () => {
    const { agent, stream } = createAgent([], {
      initialState: { thinkingLevel: "high" },
      sessionId: "s",
      streamOptions: { temperature: 0.5, idleTimeoutMs: 1000, apiKey: "fallback" },
      getApiKey: () => "",
      beforeToolCall: async () => undefined,
      maxTurns: 5,
    });
    await agent.prompt("hi");
    expect(stream.calls[0]?.options).toEqual({
      sessionId: "s",
      temperature: 0.5,
      idleTimeoutMs: 1000,
      apiKey: "fallback",
      apiKeyFor: agent.getApiKey,
      reasoning: "high",
      transport: "auto",
      signal: expect.any(AbortSignal),
    });
  });

  test("does not mix the prompts of two agents that share their arrays", async () => {
    const shared = { tools: [tool("a")], messages: [user("shared")] };
    const one = createAgent([calls("a")], { initialState: shared });
    const two = createAgent([calls("a")], { initialState: shared });
    await Promise.all([one.agent.prompt("first"), two.agent.prompt("second")]);
    expect(JSON.stringify(one.agent.state.messages)).not.toContain("second");
    expect(JSON.stringify(two.agent.state.messages)).not.toContain("first");
    expect(shared.messages).toHaveLength(1);
  });

  test("sends each request a snapshot of the conversation", async () => {
    const { agent, stream } = createAgent([calls("a")], { initialState: { tools: [tool("a")] } });
    await agent.prompt("hi");
    expect(stream.calls.map((made) => made.context.messages.length)).toEqual([1, 3]);
  });
});

describe("continue", () => {
  const answered = [user("hi"), text("hello")];

  test.each<{ title: string; messages: AgentMessage[]; steering?: string[]; followUps?: string[]; events: string }>([
    {
      title: "lets the model answer a user message",
      messages: [user("hi")],
      events: "AS TS MS(a) ME(a:stop) TE(stop;[]) AE[a]",
    },
    {
      title: "puts in what was queued before",
      messages: [user("hi")],
      steering: ["S1"],
      events: "AS TS MS(u) ME(u) MS(a) ME(a:stop) TE(stop;[]) AE[ua]",
    },
    {
      title: "delivers steering one at a time, then follow-ups",
      messages: answered,
      steering: ["S1", "S2"],
      followUps: ["F1"],
      events:
        "AS TS MS(u) ME(u) MS(a) ME(a:stop) TE(stop;[]) TS MS(u) ME(u) MS(a) ME(a:stop) TE(stop;[]) " +
        "TS MS(u) ME(u) MS(a) ME(a:stop) TE(stop;[]) AE[uauaua]",
    },
    {
      title: "delivers follow-ups when nothing else is queued",
      messages: answered,
      followUps: ["F1"],
      events: "AS TS MS(u) ME(u) MS(a) ME(a:stop) TE(stop;[]) AE[ua]",
    },
  ])("$title", async ({ messages, steering = [], followUps = [], events }) => {
    const { agent, events: seen } = createAgent([], { initialState: { messages } });
    for (const content of steering) agent.steer(user(content));
    for (const content of followUps) agent.followUp(user(content));
    await agent.continue();
    expect(describeEvents(seen)).toBe(events);
    const queued = [...steering, ...followUps];
    const delivered = agent.state.messages.slice(messages.length).filter((message) => message.role === "user");
    expect(delivered.map((message) => message.content)).toEqual(queued);
  });

  test("rejects without messages, and after a response with empty queues", async () => {
    const { agent } = createAgent([]);
    await expect(agent.continue()).rejects.toThrow(
      new AgentStateError("No messages to continue from. Begin with agent.prompt(message)."),
    );
    agent.state.messages = answered;
    await expect(agent.continue()).rejects.toThrow("Cannot continue from message role: assistant");
  });
});

describe("queues", () => {
  test("are shown without being emptied, steering first", () => {
    const { agent } = createAgent([]);
    agent.followUp(user("F1"));
    expect(agent.peekQueuedMessages()).toEqual([user("F1")]);
    agent.steer(user("S1"));
    agent.steer(user("S2"));
    expect(agent.peekQueuedMessages()).toEqual([user("S1")]);
    agent.steeringMode = "all";
    expect(agent.peekQueuedMessages()).toEqual([user("S1"), user("S2")]);
    expect(agent.hasQueuedMessages()).toBe(true);
    agent.clearSteeringQueue();
    expect(agent.peekQueuedMessages()).toEqual([user("F1")]);
    agent.clearAllQueues();
    expect(agent.hasQueuedMessages()).toBe(false);
  });

  test("a follow-up from a listener of agent_end is answered in a run of its own", async () => {
    const { agent } = createAgent([]);
    let ends = 0;
    agent.subscribe((event) => {
      if (event.type === "agent_end" && ++ends === 1) agent.followUp(user("later"));
    });
    await agent.prompt("hi");
    expect(ends).toBe(2);
    expect(agent.hasQueuedMessages()).toBe(false);
    expect(roles(agent.state.messages)).toBe("user assistant user assistant");
  });

  test("get back, at their head, what an abort kept from being delivered", async () => {
    const { agent } = createAgent([], { steeringMode: "all" });
    agent.steer(user("S1"));
    agent.steer(user("S2"));
    agent.subscribe((event) => {
      if (event.type !== "message_start" || event.message.role !== "user" || event.message.content !== "S1") return;
      agent.steer(user("S3"));
      agent.abort();
    });
    await agent.prompt(user("hi"));
    expect(agent.state.messages.slice(0, 2)).toEqual([user("hi"), user("S1")]);
    expect(agent.peekQueuedMessages()).toEqual([user("S2"), user("S3")]);
  });

  test("do not get back what was cleared meanwhile", async () => {
    const { agent } = createAgent([], { steeringMode: "all" });
    agent.steer(user("S1"));
    agent.steer(user("S2"));
    agent.subscribe((event) => {
      if (event.type !== "message_start" || event.message.role !== "user" || event.message.content !== "S1") return;
      agent.clearAllQueues();
      agent.abort();
    });
    await agent.prompt(user("hi"));
    expect(agent.hasQueuedMessages()).toBe(false);
  });

  test("a change of mode counts from the next turn", async () => {
    const { agent, events } = createAgent([]);
    for (const content of ["F1", "F2", "F3"]) agent.followUp(user(content));
    agent.subscribe((event) => {
      if (event.type === "message_end" && event.message.role === "user" && event.message.content === "F1") {
        agent.followUpMode = "all";
      }
    });
    await agent.prompt("hi");
    expect(events.filter((event) => event.type === "turn_start")).toHaveLength(3);
  });
});

describe("reset", () => {
  test("forgets the conversation, the error and the queues, and keeps what was set", async () => {
    const { agent } = createAgent([text("", { stopReason: "error", errorMessage: "boom" })], {
      initialState: { systemPrompt: "Be brief.", tools: [tool("a")] },
    });
    await agent.prompt("hi");
    agent.followUp(user("F1"));
    agent.reset();
    expect(agent.state).toMatchObject({ messages: [], errorMessage: undefined, systemPrompt: "Be brief." });
    expect(agent.state.tools).toHaveLength(1);
    expect(agent.hasQueuedMessages()).toBe(false);
  });

  test("is refused during a run, which goes on unharmed", async () => {
    const { agent } = createAgent([calls("a")], { initialState: { tools: [tool("a")] } });
    const prompted = agent.prompt("hi");
    expect(() => agent.reset()).toThrow(
      new AgentBusyError("Agent is already processing. Wait for completion before resetting."),
    );
    await prompted;
    expect(roles(agent.state.messages)).toBe("user assistant toolResult assistant");
  });
});

describe("waitForIdle", () => {
  test("resolves at once when idle, and after the listeners of agent_end but before prompt otherwise", async () => {
    const { agent } = createAgent([]);
    const order: string[] = [];
    await agent.waitForIdle();
    agent.subscribe(async (event) => {
      if (event.type !== "agent_end") return;
      await null;
      order.push(`listener, streaming: ${agent.state.isStreaming}`);
    });
    const prompted = agent.prompt("hi").then(() => order.push("prompt"));
    const idle = agent.waitForIdle().then(() => order.push(`idle, streaming: ${agent.state.isStreaming}`));
    await Promise.all([prompted, idle]);
    expect(order).toEqual(["listener, streaming: true", "idle, streaming: false", "prompt"]);
  });

  test("resolves early for the listener that awaits it, and the run waits for all that the listener does", async () => {
    const errors: unknown[] = [];
    const { agent, events } = createAgent([], { onListenerError: (error) => errors.push(error) });
    const done: string[] = [];
    agent.subscribe(async (event) => {
      if (event.type !== "turn_start" && event.type !== "agent_end") return;
      await agent.waitForIdle();
      expect(agent.state.isStreaming).toBe(true);
      for (let tick = 0; tick < 20; tick++) await null;
      done.push(event.type);
    });
    await agent.prompt("hi");
    expect(done).toEqual(["turn_start", "agent_end"]);
    expect(describeEvents(events)).toContain("AE");
    expect(errors).toEqual([]);
  });

  test("called by a listener that returns nothing resolves when the run is over", async () => {
    const { agent } = createAgent([]);
    const streaming: boolean[] = [];
    agent.subscribe((event) => {
      if (event.type === "turn_end") void agent.waitForIdle().then(() => streaming.push(agent.state.isStreaming));
    });
    await agent.prompt("hi");
    expect(streaming).toEqual([false]);
  });

  test("does not release a slow listener that only scheduled something for the end of the run", async () => {
    const { agent } = createAgent([]);
    let saved = false;
    agent.subscribe(async (event) => {
      if (event.type !== "agent_end") return;
      void agent.waitForIdle().then(() => {});
      for (let tick = 0; tick < 20; tick++) await null;
      saved = true;
    });
    await agent.prompt("hi");
    expect(saved).toBe(true);
  });

  test("does not release a slow listener when another part of the program calls it, however long it takes", async () => {
    vi.useFakeTimers();
    const errors: unknown[] = [];
    const { agent } = createAgent([], { onListenerError: (error) => errors.push(error) });
    let saved = false;
    agent.subscribe(async (event) => {
      if (event.type !== "agent_end") return;
      await new Promise((resolve) => setTimeout(resolve, 60_000));
      saved = true;
    });
    const prompted = agent.prompt("hi");
    await vi.advanceTimersByTimeAsync(10);
    const idle = agent.waitForIdle();
    await vi.advanceTimersByTimeAsync(59_000);
    expect(agent.state.isStreaming).toBe(true);
    expect(errors).toEqual([]);
    await vi.advanceTimersByTimeAsync(1000);
    await Promise.all([idle, prompted]);
    expect(saved).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  test("awaited by a listener after something else holds up the run until abort() frees it", async () => {
    vi.useFakeTimers();
    const errors: unknown[] = [];
    const { agent } = createAgent([], { onListenerError: (error) => errors.push(error) });
    agent.subscribe(async (event) => {
      if (event.type !== "turn_end") return;
      await null;
      await agent.waitForIdle();
    });
    const prompted = agent.prompt("hi");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(errors).toEqual([]);
    expect(agent.state.isStreaming).toBe(true);
    agent.abort();
    await vi.advanceTimersByTimeAsync(20);
    await prompted;
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  test("leaves a listener that is only slow its time", async () => {
    vi.useFakeTimers();
    const errors: unknown[] = [];
    const { agent } = createAgent([], { onListenerError: (error) => errors.push(error) });
    let saved = false;
    agent.subscribe(async (event) => {
      if (event.type !== "agent_end") return;
      await new Promise((resolve) => setTimeout(resolve, 500));
      saved = true;
    });
    void agent.prompt("hi");
    await vi.advanceTimersByTimeAsync(10);
    const idle = agent.waitForIdle();
    await vi.advanceTimersByTimeAsync(500);
    await idle;
    expect(saved).toBe(true);
    expect(errors).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });
});

describe("state during a run", () => {
  test("changes before listeners are notified", async () => {
    const { agent } = createAgent([calls("a")], { initialState: { tools: [tool("a")] } });
    const wrong: AgentEvent[] = [];
    agent.subscribe((event) => {
      const { state } = agent;
      const right = {
        agent_start: () => state.isStreaming,
        agent_end: () => state.isStreaming && state.streamingMessage === undefined,
        turn_start: () => true,
        turn_end: () => true,
        message_start: () => "message" in event && state.streamingMessage === event.message,
        message_update: () => "message" in event && state.streamingMessage === event.message,
        message_end: () =>
          "message" in event && state.messages.at(-1) === event.message && state.streamingMessage === undefined,
        tool_execution_start: () => "toolCallId" in event && state.pendingToolCalls.has(event.toolCallId),
        tool_execution_update: () => true,
        tool_execution_end: () => "toolCallId" in event && !state.pendingToolCalls.has(event.toolCallId),
        output: () => "output" in event && state.output === event.output,
        budget_warning: () => true,
        loop_noticed: () => true,
        child_event: () => true,
        run_stopped: () => "stop" in event && state.stopped === event.stop,
        approval_requested: () => "request" in event && state.pendingApprovals.includes(event.request),
        approval_resolved: () => "request" in event && !state.pendingApprovals.includes(event.request),
      };
      if (!right[event.type]()) wrong.push(event);
    });
    await agent.prompt("hi");
    expect(wrong).toEqual([]);
  });

  test("passes the message of a tool call to its hooks", async () => {
    let seen: AgentMessage | undefined;
    const { agent } = createAgent([calls("a")], {
      initialState: { tools: [tool("a")] },
      beforeToolCall: async ({ context, assistantMessage }) => {
        seen = agent.state.messages.at(-1);
        expect(context.messages.at(-1)).toBe(assistantMessage);
      },
    });
    await agent.prompt("hi");
    expect(seen?.role).toBe("assistant");
  });

  test("keeps the error of a run that was aborted", async () => {
    const { agent } = createAgent([stuckAfter([])]);
    const prompted = agent.prompt("hi");
    agent.abort();
    await prompted;
    expect(agent.state.errorMessage).toBe("Request was aborted");
    expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "aborted", error: { kind: "aborted" } });
  });
});

test("a long run costs each turn the same and warns of nothing", async () => {
  const warnings = vi.spyOn(process, "emitWarning");
  const turns = 1000;
  const { agent, stream } = createAgent(
    Array.from({ length: turns }, () => calls("a")),
    { initialState: { tools: [tool("a", async () => result("a"))] }, maxRepeats: 0 },
  );
  await agent.prompt("hi");
  expect(stream.calls).toHaveLength(turns + 1);
  expect(warnings).not.toHaveBeenCalled();
  warnings.mockRestore();
});

test("200,000 steering messages of one turn arrive in order", async () => {
  const { agent } = createAgent([], { steeringMode: "all" });
  const count = 200_000;
  for (let index = 0; index < count; index++) agent.steer({ role: "user", content: String(index), timestamp: 1 });
  await agent.prompt("hi");
  const { messages } = agent.state;
  expect(messages).toHaveLength(count + 2);
  expect([messages[1], messages[count]]).toMatchObject([{ content: "0" }, { content: String(count - 1) }]);
  expect(agent.hasQueuedMessages()).toBe(false);
});
