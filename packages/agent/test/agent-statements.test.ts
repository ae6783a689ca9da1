/** What docs/agent.md and the docstrings say about settings, hooks and queues, where a user could expect something else. */
import { Agent, type AgentEvent, type AgentMiddleware, type AgentOptions, type RunHooks } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { durable } from "pi-agent/durable";
import { Type } from "pi-ai";
import { describe, expect, test, vi } from "vitest";
import { MemoryEngine } from "./durable/memory-engine.js";
import { call, calls, MODEL, response, type Step, scripted, text, user } from "./scripted-stream.js";
import { result, tool } from "./scripted-tool.js";

function createAgent(steps: Step[], options: AgentOptions = {}) {
  const stream = scripted(...steps);
  const { initialState, ...rest } = options;
  const agent = new Agent({ initialState: { model: MODEL, ...initialState }, streamFn: stream.streamFn, ...rest });
  const events: AgentEvent["type"][] = [];
  agent.subscribe(({ type }) => void events.push(type));
  return { agent, stream, events };
}

describe("a setting that is refused", () => {
  test.each([
    ["maxTurns", -1],
    ["toolTimeoutMs", "soon"],
    ["beforeToolCall", true],
  ] as const)("%s = %j rejects prompt() before any event, and the agent can go on", async (name, value) => {
    const { agent, events, stream } = createAgent([text("hello")]);
    Object.assign(agent, { [name]: value });
    await expect(agent.prompt("hi")).rejects.toThrow(name);
    expect(events).toEqual([]);
    expect(agent.state).toMatchObject({ isStreaming: false, messages: [] });
    Object.assign(agent, { [name]: undefined });
    await agent.prompt("hi");
    expect(stream.calls).toHaveLength(1);
  });
});

describe("beforeToolCall", () => {
  async function runWith(verdict: unknown): Promise<boolean> {
    let hasRun = false;
    const a = tool("a", async () => {
      hasRun = true;
      return result("done");
    });
    // Plain JavaScript may return anything.
    const beforeToolCall = (async () => verdict) as NonNullable<AgentOptions["beforeToolCall"]>;
    await createAgent([calls("a"), text("end")], { initialState: { tools: [a] }, beforeToolCall }).agent.prompt("hi");
    return hasRun;
  }

  test.each([{ block: true }, { block: 1 }, { block: "yes" }])("%j blocks", async (verdict) => {
    expect(await runWith(verdict)).toBe(false);
  });

  test.each([undefined, true, {}, { block: false }, { block: 0 }])("%j lets the tool run", async (verdict) => {
    expect(await runWith(verdict)).toBe(true);
  });
});

describe("an option that is set during a run", () => {
  test("applies from the next run on", async () => {
    const { agent } = createAgent([calls("a"), text("one"), calls("a"), text("two")], {
      initialState: { tools: [tool("a")] },
    });
    const seen: string[] = [];
    agent.afterToolCall = async () => {
      seen.push("first");
      agent.afterToolCall = async () => void seen.push("second");
      return undefined;
    };
    await agent.prompt("hi");
    expect(seen).toEqual(["first"]);
    await agent.prompt("again");
    expect(seen).toEqual(["first", "second"]);
  });

  test("a prepareNextTurn is removed at once, but not added", async () => {
    const { agent } = createAgent([calls("a"), text("one"), calls("a"), text("two")], {
      initialState: { tools: [tool("a")] },
    });
    const seen: string[] = [];
    agent.prepareNextTurn = () => {
      seen.push("removed");
      agent.prepareNextTurn = undefined;
    };
    await agent.prompt("hi");
    expect(seen).toEqual(["removed"]);
    const remove = agent.subscribe((event) => {
      if (event.type === "agent_start") agent.prepareNextTurn = () => void seen.push("added");
    });
    await agent.prompt("again");
    remove();
    expect(seen).toEqual(["removed"]);
  });
});

describe("the follow-up queue", () => {
  const ending = tool("ending", async () => result("done", { terminate: true }));

  test("is read when all results of a batch ask for the end of the run", async () => {
    const { agent, stream } = createAgent([calls("ending"), text("about F")], { initialState: { tools: [ending] } });
    agent.followUp(user("F"));
    await agent.prompt("hi");
    expect(stream.calls).toHaveLength(2);
    expect(agent.state.messages.map(({ role }) => role).join(" ")).toBe("user assistant toolResult user assistant");
  });

  test("is not read while a result waits for the model", async () => {
    const { agent } = createAgent([calls("ending", "a"), text("one"), text("about F")], {
      initialState: { tools: [ending, tool("a")] },
    });
    agent.followUp(user("F"));
    await agent.prompt("hi");
    const roles = agent.state.messages.map(({ role }) => role).join(" ");
    expect(roles).toBe("user assistant toolResult toolResult assistant user assistant");
  });
});

describe("an option that is set after construction", () => {
  test("is what the next run uses", async () => {
    const { agent } = createAgent([], { initialState: { tools: [tool("a")] } });
    const seen = new Set<string>();
    const note = <TValue>(name: string, value: TValue): TValue => {
      seen.add(name);
      return value;
    };
    const stream = scripted(calls("a"), text("end"));
    const requestOptions = {
      sessionId: "s",
      thinkingBudgets: { low: 1 },
      transport: "sse",
      maxRetryDelayMs: 5,
      onPayload: () => undefined,
      onResponse: () => {},
    } as const;
    Object.assign(agent, {
      ...requestOptions,
      streamFn: stream.streamFn,
      streamOptions: { temperature: 0.5 },
      getApiKey: () => note("getApiKey", "key"),
      convertToLlm: () => note("convertToLlm", [user("converted")]),
      transformContext: async (messages) => note("transformContext", messages),
      beforeToolCall: async () => note("beforeToolCall", undefined),
      afterToolCall: async () => note("afterToolCall", undefined),
      wrapToolCall: (_call, execute) => note("wrapToolCall", execute)(),
      wrapModelCall: (request, send) => note("wrapModelCall", send)(request),
      shouldStopAfterTurn: () => note("shouldStopAfterTurn", false),
      prepareNextTurn: () => note("prepareNextTurn", undefined),
      now: () => note("now", 7),
      middleware: [{ name: "m", begin: () => note("middleware", {}) }],
    } satisfies Partial<Agent>);
    await agent.prompt("hi");
    expect([...seen].toSorted().join(" ")).toBe(
      "afterToolCall beforeToolCall convertToLlm getApiKey middleware now prepareNextTurn shouldStopAfterTurn " +
        "transformContext wrapModelCall wrapToolCall",
    );
    expect(stream.calls[1]?.options).toMatchObject({ ...requestOptions, temperature: 0.5, apiKey: "key" });
    const once = scripted(calls("a"));
    Object.assign(agent, { streamFn: once.streamFn, maxTurns: 1 });
    await agent.prompt("hi");
    expect(agent.state.errorMessage).toContain("after 1 turn,");
  });
});

test("only maxRepeats limits a new agent", () => {
  const { maxTurns, maxParallelTools, toolTimeoutMs, steps, middleware } = new Agent();
  expect([maxTurns, maxParallelTools, toolTimeoutMs, steps, middleware]).toEqual(Array(5).fill(undefined));
});

describe("the hooks after a turn", () => {
  test("do not run after one that failed, or that ends in a pause", async () => {
    const seen: string[] = [];
    const options: AgentOptions = {
      initialState: { tools: [tool("a")] },
      prepareNextTurn: () => void seen.push("prepareNextTurn"),
      shouldStopAfterTurn: () => Boolean(seen.push("shouldStopAfterTurn")) && false,
    };
    await createAgent([text("", { stopReason: "error" })], options).agent.prompt("hi");
    const waiting = createAgent([calls("a")], { ...options, middleware: [approvals({ pause: true })] });
    await waiting.agent.prompt("hi");
    expect(waiting.agent.state.pause?.requests).toHaveLength(1);
    expect(seen).toEqual([]);
  });
});

test("a call is prepared in steps, each call before the next one, and all before the first tool", async () => {
  const order: string[] = [];
  const checked = tool(
    "a",
    async (id, args) => {
      order.push(`run ${id} ${JSON.stringify(args)}`);
      return result("a");
    },
    {
      parameters: Type.Object({ n: Type.Number(), unit: Type.String({ default: "km" }) }),
      prepareArguments: (args) => {
        order.push(`prepare ${JSON.stringify(args)}`);
        return { n: Object(args).count };
      },
    },
  );
  const { agent } = createAgent([response([call("1", "a", { count: "5" }), call("2", "a", { count: 6 })])], {
    initialState: { tools: [checked] },
    beforeToolCall: async ({ toolCall, args }) => void order.push(`before ${toolCall.id} ${JSON.stringify(args)}`),
  });
  await agent.prompt("hi");
  expect(order).toEqual([
    'prepare {"count":"5"}',
    'before 1 {"n":5,"unit":"km"}',
    'prepare {"count":6}',
    'before 2 {"n":6,"unit":"km"}',
    'run 1 {"n":5,"unit":"km"}',
    'run 2 {"n":6,"unit":"km"}',
  ]);
});

test("a call of a response that reached its output limit is asked for again", async () => {
  const { agent } = createAgent([{ ...calls("a"), stopReason: "length" }], { initialState: { tools: [tool("a")] } });
  await agent.prompt("hi");
  expect(agent.state.messages[2]).toMatchObject({
    isError: true,
    content: [
      {
        text: expect.stringMatching(
          /^Tool a was not run: the response reached its output limit.*Send the call again\.$/,
        ),
      },
    ],
  });
});

test("the events of a call have the arguments as the model sent them", async () => {
  const updating = tool(
    "a",
    async (_id, _args, _signal, onUpdate) => {
      onUpdate?.(result("half"));
      return result("a");
    },
    { parameters: Type.Object({ n: Type.Number() }) },
  );
  const { agent } = createAgent([response([call("1", "a", { n: "5" })])], { initialState: { tools: [updating] } });
  const seen: unknown[] = [];
  agent.subscribe((event) => {
    if ("toolCallId" in event && "args" in event) seen.push([event.type, event.toolName, event.args]);
  });
  await agent.prompt("hi");
  expect(seen).toEqual([
    ["tool_execution_start", "a", { n: "5" }],
    ["tool_execution_update", "a", { n: "5" }],
  ]);
});

test("every progress of a response is an update of its message, and no other message has one", async () => {
  const { agent } = createAgent([calls("a")], { initialState: { tools: [tool("a")] } });
  let open: string | undefined;
  const updates: unknown[] = [];
  agent.subscribe((event) => {
    if (event.type === "message_start") open = event.message.role;
    if (event.type === "message_update") updates.push([open, event.assistantMessageEvent.type, event.message.role]);
  });
  await agent.prompt("hi");
  const ofA = ["toolcall_start", "toolcall_delta", "toolcall_end", "text_start", "text_delta", "text_end"];
  expect(updates).toEqual(ofA.map((type) => ["assistant", type, "assistant"]));
});

test("the transcript grows in place, and what was assigned is copied", async () => {
  const { agent } = createAgent([]);
  const { messages } = agent.state;
  await agent.prompt("hi");
  expect(agent.state.messages).toBe(messages);
  const assigned = [user("new")];
  agent.state.messages = assigned;
  await agent.continue();
  expect(assigned).toHaveLength(1);
  expect(agent.state.messages).toHaveLength(2);
});

describe("a message that comes with the end of a run", () => {
  async function endWith(steps: Step[], options: AgentOptions): Promise<{ queued: number; runs: number }> {
    const { agent, events } = createAgent(steps, { initialState: { tools: [tool("a")] }, ...options });
    // Once, so that an agent that goes on is seen, and does not go on for ever.
    agent.subscribe(({ type }) => {
      if (type === "agent_end" && !agent.hasQueuedMessages() && events.filter((one) => one === type).length === 1)
        agent.followUp("late");
    });
    await agent.prompt("hi");
    const runs = events.filter((type) => type === "agent_end").length;
    return { queued: agent.peekQueuedMessages().length, runs };
  }

  test.each<{ title: string; steps: Step[]; options: () => AgentOptions }>([
    { title: "a failure", steps: [text("", { stopReason: "error" })], options: () => ({}) },
    {
      title: "a failure that comes after the last look at the queues",
      steps: [],
      options: () => {
        const onEvent: NonNullable<RunHooks["onEvent"]> = ({ type }) => {
          if (type === "turn_end") throw new Error("disk full");
        };
        return { middleware: [{ name: "store", begin: () => ({ onEvent }) }] };
      },
    },
    { title: "a pause", steps: [calls("a")], options: () => ({ middleware: [approvals({ pause: true })] }) },
    { title: "shouldStopAfterTurn", steps: [], options: () => ({ shouldStopAfterTurn: () => true }) },
    { title: "a limit", steps: [], options: () => ({ maxTurns: 1 }) },
    {
      title: "the end of a durable run",
      steps: [],
      options: () => ({ steps: durable(new MemoryEngine().start()) }),
    },
  ])("stays queued after $title", async ({ steps, options }) => {
    expect(await endWith(steps, options())).toEqual({ queued: 1, runs: 1 });
  });
});

test("what middleware throws when the run has ended goes to onListenerError", async () => {
  const broken: AgentMiddleware = {
    name: "broken",
    begin: () => ({
      end: () => {
        throw new Error("too late");
      },
    }),
  };
  const errors: unknown[] = [];
  const { agent } = createAgent([], { middleware: [broken], onListenerError: (error) => void errors.push(error) });
  expect(await agent.prompt("hi")).toMatchObject({ stopReason: "stop" });
  expect(errors).toEqual([new Error("too late")]);
  const printed = vi.spyOn(console, "error").mockImplementation(() => {});
  await createAgent([], { middleware: [broken] }).agent.prompt("hi");
  expect(printed.mock.calls).toEqual([["Middleware of the agent failed at agent_end:", new Error("too late")]]);
  printed.mockRestore();
});

test("a listener that stores a message has done so before the first tool of it starts", async () => {
  const stored: string[] = [];
  let atStart: string[] = [];
  const looking = tool("a", async () => {
    atStart = [...stored];
    return result("a");
  });
  const { agent } = createAgent([calls("a")], { initialState: { tools: [looking] } });
  agent.subscribe(async (event) => {
    if (event.type !== "message_end") return;
    expect(agent.state.messages.at(-1)).toBe(event.message);
    for (let tick = 0; tick < 50; tick++) await null;
    stored.push(event.message.role);
  });
  await agent.prompt("hi");
  expect(atStart).toEqual(["user", "assistant"]);
});

test("an agent behind a JavaScript Proxy fails at once, and its state does not", async () => {
  const { agent } = createAgent([]);
  const proxy = new Proxy(agent, {});
  await expect(proxy.prompt("hi")).rejects.toThrow(TypeError);
  for (const use of [() => proxy.abort(), () => proxy.steer("hi"), () => proxy.subscribe(() => {})])
    expect(use).toThrow(TypeError);
  expect(new Proxy(agent.state, {}).messages).toEqual([]);
});

test("declineAll answers every open request, and the model reads the reason", async () => {
  const { agent, stream } = createAgent([calls("a", "a"), text("end")], {
    initialState: { tools: [tool("a", () => expect.unreachable("a declined call ran"))] },
    middleware: [approvals({ pause: true })],
  });
  await agent.prompt("hi");
  expect(agent.state.pause?.requests).toHaveLength(2);
  agent.declineAll("not today");
  expect(agent.state.pause?.requests).toEqual([]);
  await agent.continue();
  expect(agent.state.pause).toBeUndefined();
  expect(JSON.stringify(stream.calls[1]?.context.messages).match(/not today/g)).toHaveLength(2);
});

test("arguments that do not fit are named line by line, and shown", async () => {
  const parameters = Type.Object({ n: Type.Number(), to: Type.String() });
  const { agent } = createAgent([response([call("1", "a", { n: "many" })])], {
    initialState: { tools: [tool("a", () => expect.unreachable("the tool ran"), { parameters })] },
  });
  await agent.prompt("hi");
  const shown = agent.state.messages[2];
  const given = shown?.role === "toolResult" && shown.content[0]?.type === "text" ? shown.content[0].text : "";
  expect(given).toMatch(/^Validation failed for tool "a":\n {2}- to.*\n {2}- n.*\n\n[\s\S]*"n": "many"/);
});
