import { Agent, type AgentContext, type AgentEvent, type AgentOptions } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { describe, expect, test } from "vitest";
import { calls, MODEL, type Step, scripted, text, user } from "./scripted-stream.js";
import { result, tool } from "./scripted-tool.js";

function createAgent(steps: Step[], options: AgentOptions = {}) {
  const stream = scripted(...steps);
  const { initialState, ...rest } = options;
  const agent = new Agent({
    initialState: { model: MODEL, tools: [tool("a"), tool("b")], ...initialState },
    streamFn: stream.streamFn,
    ...rest,
  });
  return { agent, stream };
}

describe("prepareNextTurn", () => {
  test("is called after every successful turn, the last one too, with the turn and the signal, before shouldStopAfterTurn", async () => {
    const order: string[] = [];
    const { agent } = createAgent([calls("a")], {
      prepareNextTurn: (context, signal) => {
        expect(signal).toBe(agent.signal);
        expect(context.newMessages.at(-1)).toBe(context.toolResults.at(-1) ?? context.message);
        order.push(`prepare ${context.message.stopReason} ${context.toolResults.length}`);
      },
      shouldStopAfterTurn: (context) => {
        order.push(`stop? ${context.message.stopReason}`);
        return false;
      },
    });
    agent.subscribe((event) => {
      if (event.type === "turn_end" || event.type === "turn_start") order.push(event.type);
    });
    await agent.prompt("hi");
    expect(order).toEqual([
      "turn_start",
      "turn_end",
      "prepare toolUse 1",
      "stop? toolUse",
      "turn_start",
      "turn_end",
      "prepare stop 0",
      "stop? stop",
    ]);
  });

  test("changes model and thinking for the rest of the run only", async () => {
    const other = { ...MODEL, id: "other" };
    const { agent, stream } = createAgent([calls("a"), calls("a")], {
      initialState: { thinkingLevel: "low" },
      prepareNextTurn: ({ newMessages }) =>
        newMessages.length < 4 ? { model: other, thinkingLevel: "high" } : { thinkingLevel: "off" },
    });
    await agent.prompt("hi");
    expect(stream.calls.map(({ model, options }) => [model.id, options.reasoning])).toEqual([
      ["scripted-1", "low"],
      ["other", "high"],
      ["other", undefined],
    ]);
    expect(agent.state.model).toBe(MODEL);
    expect(agent.state.thinkingLevel).toBe("low");
  });

  test("is looked up for each request", async () => {
    const seen: string[] = [];
    const { agent } = createAgent([calls("a")], {
      prepareNextTurn: () => {
        seen.push("first");
        agent.prepareNextTurn = () => {
          seen.push("second");
        };
      },
    });
    await agent.prompt("hi");
    expect(seen).toEqual(["first", "second"]);
  });

  test("is not called after a failed turn", async () => {
    let called = false;
    const { agent } = createAgent([text("", { stopReason: "error" })], {
      prepareNextTurn: () => {
        called = true;
      },
    });
    await agent.prompt("hi");
    expect(called).toBe(false);
  });
});

describe("shouldStopAfterTurn", () => {
  test("does not touch the queues", async () => {
    const { agent, stream } = createAgent([calls("a")], { shouldStopAfterTurn: () => true });
    agent.followUp(user("F1"));
    agent.subscribe((event) => {
      if (event.type === "tool_execution_end") agent.steer(user("S1"));
    });
    await agent.prompt("hi");
    expect(stream.calls).toHaveLength(1);
    expect(agent.peekQueuedMessages()).toEqual([user("S1")]);
  });
});

describe("transformContext", () => {
  test("runs before convertToLlm and changes one request only", async () => {
    const { agent, stream } = createAgent([calls("a")], {
      transformContext: async (messages, signal) => {
        expect(signal).toBe(agent.signal);
        return messages.slice(-1);
      },
    });
    await agent.prompt("hi");
    expect(stream.calls.map(({ context }) => context.messages.map((message) => message.role))).toEqual([
      ["user"],
      ["toolResult"],
    ]);
    expect(agent.state.messages).toHaveLength(4);
  });
});

describe("getApiKey", () => {
  test("receives the model's provider for each request", async () => {
    let count = 0;
    const { agent, stream } = createAgent([calls("a")], { getApiKey: (provider) => `${provider}-${++count}` });
    await agent.prompt("hi");
    expect(stream.calls.map(({ options }) => options.apiKey)).toEqual(["test-1", "test-2"]);
  });
});

describe("tool hooks", () => {
  test("run one after the other before any tool of a parallel batch runs", async () => {
    const order: string[] = [];
    const running = (name: string) =>
      tool(name, async () => {
        order.push(`run ${name}`);
        return result(name);
      });
    const { agent } = createAgent([calls("a", "b")], {
      initialState: { tools: [running("a"), running("b")] },
      beforeToolCall: async ({ toolCall }) => {
        order.push(`ask ${toolCall.name}`);
        await null;
        order.push(`decided ${toolCall.name}`);
      },
      afterToolCall: async ({ toolCall }) => {
        order.push(`after ${toolCall.name}`);
      },
    });
    await agent.prompt("hi");
    expect(order).toEqual(["ask a", "decided a", "ask b", "decided b", "run a", "run b", "after a", "after b"]);
  });

  test("see the conversation with the response, and without results of siblings", async () => {
    const seen: string[][] = [];
    const look = (context: AgentContext) => seen.push(context.messages.map((message) => message.role));
    const { agent } = createAgent([calls("a", "b")], {
      toolExecution: "sequential",
      beforeToolCall: async ({ context }) => void look(context),
    });
    await agent.prompt("hi");
    expect(seen).toEqual([
      ["user", "assistant"],
      ["user", "assistant"],
    ]);
  });

  test("may end the run, or let it continue", async () => {
    const ending = createAgent([calls("a", "b")], { afterToolCall: async () => ({ terminate: true }) });
    await ending.agent.prompt("hi");
    expect(ending.stream.calls).toHaveLength(1);
    const going = createAgent([calls("a")], {
      initialState: { tools: [tool("a", async () => result("a", { terminate: true }))] },
      afterToolCall: async () => ({ terminate: false }),
    });
    await going.agent.prompt("hi");
    expect(going.stream.calls).toHaveLength(2);
  });

  test.each([
    ["content", [{ type: "text", text: "changed" }]],
    ["details", { changed: true }],
    ["terminate", false],
    ["isError", true],
    ["output", { changed: true }],
  ])("change %s, and nothing that the tool returned beside it", async (field, value) => {
    const returned = { ...result("a", { terminate: true }), details: { kept: true }, output: { kept: true } };
    const ended: unknown[] = [];
    const { agent } = createAgent([calls("a")], {
      initialState: { tools: [tool("a", async () => returned)] },
      afterToolCall: async () => ({ [field]: value }),
    });
    agent.subscribe((event) => {
      if (event.type === "tool_execution_end") ended.push({ ...event.result, isError: event.isError });
    });
    await agent.prompt("hi");
    expect(ended).toEqual([{ ...returned, isError: false, [field]: value }]);
  });

  describe.each(["parallel", "sequential"] as const)("in a %s batch of three calls", (toolExecution) => {
    const NAMES = ["a", "b", "c"];

    /** How many requests a run sends when some calls ask for its end and one is refused. */
    async function countRequests(ending: readonly string[], refused?: string): Promise<number> {
      const tools = NAMES.map((name) => tool(name, async () => result(name, { terminate: ending.includes(name) })));
      const { agent, stream } = createAgent([calls(...NAMES)], {
        initialState: { tools },
        toolExecution,
        beforeToolCall: async ({ toolCall }) => ({ block: toolCall.name === refused }),
      });
      await agent.prompt("hi");
      return stream.calls.length;
    }

    test.each(NAMES)("a refusal of %s never ends the run, whatever the others ask for", async (refused) => {
      expect(await countRequests([], refused)).toBe(2);
      expect(await countRequests(NAMES, refused)).toBe(2);
    });

    test.each(NAMES)("the run goes on if %s alone asks for its end, or alone does not", async (name) => {
      expect(await countRequests([name])).toBe(2);
      expect(await countRequests(NAMES.filter((other) => other !== name))).toBe(2);
    });

    test("the run ends if all three ask for it", async () => {
      expect(await countRequests(NAMES)).toBe(1);
    });
  });
});

describe("limits", () => {
  test("maxParallelTools limits how many tools run at once, started in order", async () => {
    let running = 0;
    let most = 0;
    const begun: string[] = [];
    const counting = tool("a", async (id) => {
      begun.push(id);
      most = Math.max(most, ++running);
      for (let tick = 0; tick < 10 - Number(id); tick++) await null;
      running--;
      return result(id);
    });
    const { agent } = createAgent([calls("a", "a", "a", "a", "a")], {
      initialState: { tools: [counting] },
      maxParallelTools: 2,
    });
    await agent.prompt("hi");
    expect(most).toBe(2);
    expect(begun).toEqual(["1", "2", "3", "4", "5"]);
    const results = agent.state.messages.filter((message) => message.role === "toolResult");
    expect(results.map((message) => message.toolCallId)).toEqual(["1", "2", "3", "4", "5"]);
  });

  test("infinite counts and a duration of 0 mean no limit", async () => {
    const { agent, stream } = createAgent([calls("a", "b"), calls("a")], {
      maxParallelTools: Number.POSITIVE_INFINITY,
      toolTimeoutMs: 0,
      maxTurns: Number.POSITIVE_INFINITY,
    });
    await agent.prompt("hi");
    expect(stream.calls).toHaveLength(3);
    expect(agent.state.errorMessage).toBeUndefined();
  });

  test("two hundred tool calls in one response get two hundred results", async () => {
    const { agent } = createAgent([calls(...Array.from({ length: 200 }, () => "a"))]);
    await agent.prompt("hi");
    expect(agent.state.messages).toHaveLength(203);
    expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "stop" });
  });

  test("maxTurns is reported in the message and in the state", async () => {
    const endless = () =>
      createAgent(
        Array.from({ length: 50 }, () => calls("a")),
        { maxTurns: 3 },
      );
    const { agent, stream } = endless();
    await agent.prompt("hi");
    expect(stream.calls).toHaveLength(3);
    expect(agent.state.errorMessage).toBe("The run was ended after 3 turns, the limit set by maxTurns");
    expect(agent.state.stopped).toBeUndefined();
    expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "error" });
  });

  test("maxTurns does not touch the queues when it is reached", async () => {
    const { agent } = createAgent([], { maxTurns: 1 });
    agent.followUp(user("F1"));
    await agent.prompt("hi");
    expect(agent.state.errorMessage).toBeUndefined();
    expect(agent.peekQueuedMessages()).toEqual([user("F1")]);
  });

  test("maxTurns counts the responses of a run: a turn that only runs answered calls has none", async () => {
    const last = tool("a", () => Promise.resolve({ ...result("1"), terminate: true }));
    const { agent, stream } = createAgent([calls("a"), text("x")], {
      initialState: { tools: [last] },
      middleware: [approvals({ pause: true, claim: () => true })],
      maxTurns: 1,
    });
    await agent.prompt("hi");
    agent.followUp(user("F1"));
    await agent.answer([{ id: "1", approved: true }]);
    await agent.continue();
    expect(stream.calls).toHaveLength(2);
    expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "stop" });
    expect(agent.hasQueuedMessages()).toBe(false);
  });

  test("another limit that is reached with maxTurns is reported as usual", async () => {
    const { agent, stream } = createAgent([calls("a")], { maxTurns: 1, maxRepeats: 1 });
    await agent.prompt("hi");
    expect(stream.calls).toHaveLength(1);
    expect(agent.state.stopped).toMatchObject({ by: "loop", repeats: 1 });
    expect(agent.state.errorMessage).toContain("because it repeated itself 1 times");
  });

  test("toolTimeoutMs ends a tool call that takes too long, and the run continues", async () => {
    const events: AgentEvent[] = [];
    const { agent } = createAgent([calls("a")], {
      initialState: { tools: [tool("a", () => new Promise(() => {}))] },
      toolTimeoutMs: 1,
    });
    agent.subscribe((event) => {
      events.push(event);
    });
    await agent.prompt("hi");
    expect(agent.state.messages[2]).toMatchObject({
      isError: true,
      content: [{ text: "Tool a timed out after 1 ms" }],
      durationMs: expect.any(Number),
    });
    expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "stop" });
    expect(events.find((event) => event.type === "tool_execution_end")).toMatchObject({
      durationMs: expect.any(Number),
    });
  });
});
