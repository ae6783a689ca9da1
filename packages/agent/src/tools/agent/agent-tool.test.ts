import {
  Agent,
  type AgentEvent,
  type AgentMiddleware,
  type AgentOptions,
  type AnyAgentTool,
  type ChildEvent,
} from "pi-agent";
import { agentTool, Budget, limits, sumUsage } from "pi-agent/limits";
import { type AssistantMessage, Type } from "pi-ai";
import { expect, test } from "vitest";
import { createRandom, type Random } from "../../../../../test/support/random.js";
import { budget as sizeOf } from "../../../../../test/support/suite.js";
import { describeEvents } from "../../../test/event-list.js";
import {
  call,
  eventsOf,
  MODEL,
  response,
  scripted,
  streamOf,
  stuckAfter,
  text,
} from "../../../test/scripted-stream.js";
import { result, tool } from "../../../test/scripted-tool.js";

const PARAMETERS = Type.Object({ question: Type.String() });
const TOOL = { name: "ask", description: "Asks", parameters: PARAMETERS };
const ask = (...ids: string[]): AssistantMessage => response(ids.map((id) => call(id, "ask", { question: `q${id}` })));

function create(tools: AnyAgentTool[], responses: Parameters<typeof scripted>, more: object = {}) {
  const script = scripted(...responses);
  const agent = new Agent({ streamFn: script.streamFn, initialState: { model: MODEL, tools }, ...more });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => void events.push(event));
  return { agent, events, script };
}

function lastResult({ state }: Agent) {
  const found = state.messages.findLast((message) => message.role === "toolResult");
  if (!found) throw new Error("no result");
  return found;
}

test("the last response of the child is the result, and its events are tagged", async () => {
  const child = create([], [text("42")]);
  const parent = create([agentTool({ ...TOOL, agent: () => child.agent })], [ask("1"), text("done")]);
  await parent.agent.prompt("Hi");
  expect(child.agent.state.messages[0]).toMatchObject({ role: "user", content: "q1" });
  expect(lastResult(parent.agent)).toMatchObject({ content: [{ type: "text", text: "42" }], isError: false });
  const tagged = parent.events.filter((event): event is ChildEvent => event.type === "child_event");
  expect(tagged.map(({ event }) => event)).toEqual(child.events);
  expect(new Set(tagged.map(({ parentToolCallId, toolName }) => `${parentToolCallId} ${toolName}`))).toEqual(
    new Set(["1 ask"]),
  );
  expect(describeEvents(parent.events)).toMatch(/XS\(1\) C1\(AS\) .*C1\(AE\[ua\]\) XE\(1\)/);
  expect(parent.agent.state.messages).toHaveLength(4);
  expect(sumUsage(parent.agent.state.messages).totalTokens).toBe(30);
});

test("a failed child becomes an error result with its last text, and its usage is kept", async () => {
  const failed = text("", { stopReason: "error", errorMessage: "the server is down" });
  const child = create(
    [tool("look")],
    [response([{ type: "text", text: "I found page 3" }, call("x", "look")]), failed],
  );
  const parent = create([agentTool({ ...TOOL, agent: () => child.agent })], [ask("1"), text("done")]);
  await parent.agent.prompt("Hi");
  expect(lastResult(parent.agent)).toMatchObject({
    isError: true,
    content: [{ type: "text", text: "The agent failed: the server is down\nIts last text: I found page 3" }],
  });
  expect(sumUsage(parent.agent.state.messages).totalTokens).toBe(40);
});

test("an error of the function that returns the agent becomes an error result", async () => {
  const broken = agentTool({
    ...TOOL,
    agent: () => {
      throw new Error("no such agent");
    },
  });
  const parent = create([broken], [ask("1"), text("done")]);
  await parent.agent.prompt("Hi");
  expect(lastResult(parent.agent)).toMatchObject({ isError: true, content: [{ text: "no such agent" }] });
});

test("an option that holds no agent is named", async () => {
  const { agent } = create([], []);
  expect(() => agentTool({ ...TOOL, agent: agent as never })).toThrow("agent must be a function that returns an agent");
  const parent = create([agentTool({ ...TOOL, agent: () => undefined as never })], [ask("1"), text("done")]);
  await parent.agent.prompt("Hi");
  expect(lastResult(parent.agent)).toMatchObject({ content: [{ text: "The option agent returned no agent" }] });
});

test("an abort reaches children of children", async () => {
  const grandchild = create([], [stuckAfter([])]);
  const child = create([agentTool({ ...TOOL, agent: () => grandchild.agent })], [ask("2")]);
  const parent = create([agentTool({ ...TOOL, agent: () => child.agent })], [ask("1")]);
  const prompted = parent.agent.prompt("Hi");
  await expect.poll(() => grandchild.script.calls.length).toBe(1);
  parent.agent.abort();
  await prompted;
  await Promise.all([child.agent.waitForIdle(), grandchild.agent.waitForIdle()]);
  expect(grandchild.agent.state.messages.at(-1)).toMatchObject({ stopReason: "aborted" });
  expect(lastResult(parent.agent)).toMatchObject({ isError: true, content: [{ text: "Operation aborted" }] });
  expect(parent.events.at(-1)?.type).toBe("agent_end");
});

test("at most maxConcurrent children run at the same time, the others in order", async () => {
  let running = 0;
  let most = 0;
  const order: string[] = [];
  const agent = ({ question }: { question: string }) => {
    const work = tool("work", async () => {
      most = Math.max(most, ++running);
      order.push(question);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return result("ok");
    });
    return create([work], [response([call("w", "work")]), text("ok")]).agent;
  };
  const ids = ["1", "2", "3", "4", "5", "6", "7"];
  const parent = create([agentTool({ ...TOOL, agent, maxConcurrent: 2 })], [ask(...ids), text("done")]);
  await parent.agent.prompt("Hi");
  expect(most).toBe(2);
  expect(order).toEqual(ids.map((id) => `q${id}`));
  expect(() => agentTool({ ...TOOL, agent, maxConcurrent: 0 })).toThrow(
    "maxConcurrent must be a whole number of 1 or more",
  );
});

test("an agent that calls the tool that runs it does not wait for its own slot", async () => {
  let depth = 0;
  const nested: AnyAgentTool = agentTool({
    ...TOOL,
    maxConcurrent: 1,
    agent: () => create(++depth < 5 ? [nested] : [], [...(depth < 5 ? [ask("n")] : []), text(`depth ${depth}`)]).agent,
  });
  const parent = create([nested], [ask("1"), text("done")]);
  await parent.agent.prompt("Hi");
  expect(depth).toBe(5);
  const deepest = parent.events.filter((event) => /^(Cn?1?\w*\(){5}AS/.test(describeEvents([event])));
  expect(deepest).toHaveLength(1);
});

test("a child with its own limits also has those of its parent", async () => {
  const own = new Budget({ turns: 100 });
  const shared = new Budget({ turns: 3 });
  const endless = Array.from({ length: 9 }, (_, index) => response([call(`l${index}`, "look")]));
  const script = scripted(...endless);
  const child = new Agent({
    streamFn: script.streamFn,
    initialState: { model: MODEL, tools: [tool("look")] },
    middleware: [limits({ budget: own, loops: false })],
  });
  const parent = create([agentTool({ ...TOOL, agent: () => child })], [ask("1"), text("done")], {
    middleware: [limits({ budget: shared })],
  });
  await parent.agent.prompt("Hi");
  expect(script.calls).toHaveLength(2);
  expect(own.used.turns).toBe(2);
  expect(child.state.stopped).toEqual({ by: "budget", limit: "turns", used: 3, most: 3 });
  expect(parent.agent.state.stopped).toEqual({ by: "budget", limit: "turns", used: 3, most: 3 });
});

test("an agent that runs in several calls counts for the budget of the current one only", async () => {
  const child = create([], [text("one"), text("two"), text("alone")]).agent;
  const tools = [agentTool({ ...TOOL, agent: () => child })];
  const parent = create(tools, [ask("1"), text("done"), ask("2"), text("done")], {
    middleware: [limits({ budget: { turns: 3 } })],
  });
  await parent.agent.prompt("Hi");
  await parent.agent.prompt("Again");
  expect(lastResult(parent.agent)).toMatchObject({ isError: false, content: [{ text: "two" }] });
  expect(parent.agent.state.stopped).toBeUndefined();
  await child.prompt("Without a parent");
  expect(child.state.stopped).toBeUndefined();
});

test.each([
  ["a child without one, whose parent has one", true, false],
  ["a child with one, whose parent has none", false, true],
])("whether a child gets a last response depends on its own output: %s", async (_name, parentHasOutput, hasOutput) => {
  const output = { schema: Type.Object({ count: Type.Number() }) };
  const script = scripted(text('{"count":1}'));
  const child = new Agent({ streamFn: script.streamFn, initialState: { model: MODEL, ...(hasOutput && { output }) } });
  const tools = [agentTool({ ...TOOL, agent: () => child })];
  const { agent } = create([], [ask("1")], {
    middleware: [limits({ budget: { turns: 2 }, lastResponse: true })],
    initialState: { model: MODEL, tools, ...(parentHasOutput && { output }) },
  });
  await agent.prompt("Hi");
  expect(script.calls.map(({ options }) => options.toolChoice === "none")).toEqual([!hasOutput]);
});

/** An agent whose responses call up to three agents each, which do the same, down to `depth`. */
function createTree(random: Random, depth: number, ended: Agent[]): Agent {
  const responses = Array.from({ length: random.below(3) }, () =>
    ask(...["1", "2", "3"].slice(0, 1 + random.below(3))),
  );
  const failed = text("no", { stopReason: "error", errorMessage: "no" });
  const script = scripted(...(depth > 0 ? responses : []), random.chance(0.2) ? failed : text(`depth ${depth}`));
  const child = agentTool({
    ...TOOL,
    maxConcurrent: 1 + random.below(3),
    agent: () => createTree(random, depth - 1, ended),
  });
  const streamFn: typeof script.streamFn = async (...request) => {
    for (let turns = random.below(3); turns > 0; turns--) await undefined;
    return script.streamFn(...request);
  };
  const agent = new Agent({ streamFn, initialState: { model: MODEL, tools: [child] } });
  ended.push(agent);
  return agent;
}

/** Checks that the events are those of a whole run, and that the events of a child lie within the call that ran it. */
function checkEvents(events: readonly AgentEvent[]): void {
  expect(events[0]?.type).toBe("agent_start");
  expect(events.at(-1)?.type).toBe("agent_end");
  const open = new Map<string, AgentEvent[]>();
  for (const event of events) {
    if (event.type === "tool_execution_start") open.set(event.toolCallId, []);
    else if (event.type === "child_event") {
      expect(open.has(event.parentToolCallId)).toBe(true);
      open.get(event.parentToolCallId)?.push(event.event);
    } else if (event.type === "tool_execution_end") {
      const inner = open.get(event.toolCallId) ?? [];
      open.delete(event.toolCallId);
      if (inner.length > 0) checkEvents(inner);
    }
  }
  expect(open.size).toBe(0);
}

test("events nest, and usage adds up to what every response used", async () => {
  for (let seed = 1; seed <= sizeOf({ quick: 30, all: 500 }); seed++) {
    const agents: Agent[] = [];
    const root = createTree(createRandom(seed), 3, agents);
    const shared = new Budget({ tokens: 1e9 });
    root.middleware = [limits({ budget: shared, loops: false })];
    const events: AgentEvent[] = [];
    root.subscribe((event) => void events.push(event));
    await root.prompt("Hi");
    checkEvents(events);
    const responses = agents.flatMap(({ state }) => state.messages).filter((message) => message.role === "assistant");
    const tokens = responses.reduce((sum, { usage }) => sum + usage.totalTokens, 0);
    expect(sumUsage(root.state.messages).totalTokens, `seed ${seed}`).toBe(tokens);
    expect(shared.used.tokens, `seed ${seed}`).toBe(tokens);
  }
});

test.each<[string, AgentOptions]>([
  [
    "throws after a call",
    {
      afterToolCall: async () => {
        throw new Error("Not allowed");
      },
    },
  ],
  ["replaces the details of a result", { afterToolCall: async () => ({ details: { checked: true } }) }],
  [
    "adds to the details of a result",
    { afterToolCall: async ({ result: { details } }) => ({ details: { ...details } }) },
  ],
  [
    "throws around a call",
    {
      wrapToolCall: async (_call, execute) => {
        await execute();
        throw new Error("Not allowed");
      },
    },
  ],
  [
    "repeats a call",
    {
      wrapToolCall: async (_call, execute) => {
        await execute();
        return execute();
      },
    },
  ],
])("usage adds up if a hook %s", async (_what, hooks) => {
  const children: Agent[] = [];
  const createChild = (): Agent => {
    const { agent } = create([], [text("42")]);
    children.push(agent);
    return agent;
  };
  const parent = create([agentTool({ ...TOOL, agent: createChild })], [ask("1", "2"), text("done")], hooks);
  await parent.agent.prompt("Hi");
  const responses = [parent.agent, ...children]
    .flatMap(({ state }) => state.messages)
    .filter((message) => message.role === "assistant");
  const tokens = responses.reduce((sum, { usage }) => sum + usage.totalTokens, 0);
  expect(sumUsage(parent.agent.state.messages).totalTokens).toBe(tokens);
});

test("requests after the last response count: in the next run, or in the result of the call", async () => {
  const judge: AgentMiddleware = {
    name: "judge",
    begin: (run) => ({
      afterTurn: async ({ needsResponse }) => {
        if (!needsResponse) await run.request({ model: MODEL, context: { messages: [] } });
        return undefined;
      },
    }),
  };
  const child = create([], [text("42"), text("good")], { middleware: [judge] });
  const { agent, events } = create(
    [agentTool({ ...TOOL, agent: () => child.agent })],
    [ask("1"), text("done"), text("good"), text("more"), text("good")],
    { middleware: [judge] },
  );
  await agent.prompt("Hi");
  expect(events.at(-1)).toMatchObject({ type: "agent_end", sideUsages: [{ totalTokens: 10 }] });
  expect(lastResult(agent).details).toMatchObject({ childUsage: { totalTokens: 20 }, childRequests: 2 });
  expect(sumUsage(agent.state.messages).totalTokens).toBe(40);
  await agent.prompt("More");
  expect(sumUsage(agent.state.messages).totalTokens).toBe(60);
});

test("sumUsage ignores invalid details of a stored conversation", () => {
  const role = "toolResult" as const;
  const message = { role, toolCallId: "1", toolName: "a", content: [], isError: false, timestamp: 1 };
  const details = { childUsage: { input: "9", totalTokens: 4, cost: "no" } };
  expect(
    sumUsage([
      { ...message, details },
      { ...message, details: null },
    ]).totalTokens,
  ).toBe(4);
});

test("the events of a child reach a slow listener in order", async () => {
  const child = create([], [() => streamOf(eventsOf(text("slow")))]);
  const parent = create(
    [agentTool({ ...TOOL, agent: async () => child.agent, prompt: () => "Go" })],
    [ask("1"), text("done")],
  );
  const seen: string[] = [];
  parent.agent.subscribe(async (event) => {
    await undefined;
    seen.push(describeEvents([event]));
  });
  await parent.agent.prompt("Hi");
  expect(seen).toEqual(parent.events.map((event) => describeEvents([event])));
});
