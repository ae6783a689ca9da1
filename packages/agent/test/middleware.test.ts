/** What holds for every list of middleware, whatever its members do. */
import {
  Agent,
  type AgentEvent,
  type AgentMiddleware,
  type AgentOptions,
  agentLoop,
  type RunHooks,
  runAgentLoop,
  type StreamFn,
} from "pi-agent";
import { agentTool, limits } from "pi-agent/limits";
import { Type } from "pi-ai";
import { describe, expect, test } from "vitest";
import { call, MODEL, response, scripted, text } from "./scripted-stream.js";
import { tool } from "./scripted-tool.js";

/** A middleware that notes the calls of its hooks. */
function noting(name: string, notes: string[], hooks: RunHooks = {}): AgentMiddleware {
  const note = (hook: string): void => void notes.push(`${name}.${hook}`);
  return {
    name,
    begin: () => ({
      transformContext: async (messages) => {
        note("transformContext");
        return messages;
      },
      prepareRequest: (request) => {
        note("prepareRequest");
        return request;
      },
      wrapModelCall: async (request, send) => {
        note("before model");
        const message = await send(request);
        note("after model");
        return message;
      },
      beforeToolCall: async () => note("beforeToolCall"),
      wrapToolCall: async (_call, execute) => {
        note("before tool");
        const result = await execute();
        note("after tool");
        return result;
      },
      afterToolCall: async () => note("afterToolCall"),
      afterTurn: () => note("afterTurn"),
      end: () => note("end"),
      ...hooks,
    }),
  };
}

function create(middleware: readonly AgentMiddleware[], streamFn: StreamFn, more: AgentOptions = {}) {
  const agent = new Agent({ initialState: { model: MODEL, tools: [tool("look")] }, streamFn, middleware, ...more });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => void events.push(event));
  return { agent, events };
}

const lookOnce = () => scripted(response([call("1", "look")]), text("done"));

test("the first in the list is the outermost, and the application frames the list", async () => {
  const notes: string[] = [];
  const own = noting("own", notes).begin({} as never);
  const { agent } = create([noting("a", notes), noting("b", notes)], lookOnce().streamFn, {
    transformContext: own.transformContext!,
    wrapModelCall: own.wrapModelCall!,
    beforeToolCall: own.beforeToolCall!,
    wrapToolCall: own.wrapToolCall!,
    afterToolCall: own.afterToolCall!,
  });
  await agent.prompt("Hi");
  const first = notes.slice(0, notes.indexOf("a.afterTurn"));
  expect(first).toEqual([
    ...["a.transformContext", "b.transformContext", "own.transformContext", "a.prepareRequest", "b.prepareRequest"],
    ...["own.before model", "a.before model", "b.before model", "b.after model", "a.after model", "own.after model"],
    ...["own.beforeToolCall", "a.beforeToolCall", "b.beforeToolCall"],
    ...["own.before tool", "a.before tool", "b.before tool", "b.after tool", "a.after tool", "own.after tool"],
    ...["b.afterToolCall", "a.afterToolCall", "own.afterToolCall"],
  ]);
  expect(notes.slice(-4)).toEqual(["a.afterTurn", "b.afterTurn", "b.end", "a.end"]);
});

test("a middleware may serve two agents at once, and the functions of the loop", async () => {
  const counts: number[] = [];
  const counting: AgentMiddleware = {
    name: "count",
    begin: () => {
      let turns = 0;
      return { afterTurn: () => void turns++, end: () => void counts.push(turns) };
    },
  };
  const one = create([counting], lookOnce().streamFn);
  const other = create([counting], scripted(text("done")).streamFn);
  await Promise.all([one.agent.prompt("Hi"), other.agent.prompt("Hi")]);
  const context = { systemPrompt: "", messages: [], tools: [tool("look")] };
  const prompt = { role: "user" as const, content: "Hi", timestamp: 1 };
  const config = { model: MODEL, convertToLlm: () => [prompt], middleware: [counting] };
  await runAgentLoop([prompt], context, config, () => {}, undefined, lookOnce().streamFn);
  expect(counts.toSorted()).toEqual([1, 2, 2]);
});

test("events reach a middleware after the listeners, without deltas", async () => {
  const seen: string[] = [];
  const { agent, events } = create(
    [{ name: "see", begin: () => ({ onEvent: async ({ type }) => void seen.push(type) }) }],
    lookOnce().streamFn,
  );
  await agent.prompt("Hi");
  expect(seen).toEqual(events.map(({ type }) => type).filter((type) => type !== "message_update"));
});

describe("decisions after a turn", () => {
  const deciding = (name: string, decision: Awaited<ReturnType<NonNullable<RunHooks["afterTurn"]>>>) => ({
    name,
    begin: () => ({ afterTurn: () => decision }),
  });
  const later = (name: string, decision: object) => ({
    name,
    begin: () => ({ afterTurn: async () => decision }),
  });

  test("are merged: one end is enough", async () => {
    const { agent } = create([later("a", {}), deciding("b", { end: true })], lookOnce().streamFn);
    await agent.prompt("Hi");
    expect(agent.state.messages.at(-1)?.role).toBe("toolResult");
  });

  test("the outermost stop is the reason", async () => {
    const stop = (most: number) => ({ stop: { by: "budget" as const, limit: "turns" as const, used: 1, most } });
    const { agent } = create([later("a", stop(1)), deciding("b", stop(2))], lookOnce().streamFn);
    await agent.prompt("Hi");
    expect(agent.state.stopped).toMatchObject({ most: 1 });
  });

  test("messages are joined in order, and go on only on demand", async () => {
    const say = (content: string) => ({ role: "user" as const, content, timestamp: 1 });
    let asked = 0;
    const once = (decision: object) => () => (asked++ < 2 ? decision : undefined);
    const both = [
      { name: "a", begin: () => ({ afterTurn: once({ messages: [say("one")] }) }) },
      { name: "b", begin: () => ({ afterTurn: once({ messages: [say("two")], demand: true }) }) },
    ];
    const { agent } = create(both, scripted(text("first"), text("second")).streamFn);
    await agent.prompt("Hi");
    expect(agent.state.messages.map((message) => (message.role === "user" ? message.content : "-"))).toEqual([
      [{ type: "text", text: "Hi" }],
      "-",
      "one",
      "two",
      "-",
    ]);
  });

  test("updates are merged, and apply to the next request", async () => {
    const script = lookOnce();
    const other = { ...MODEL, id: "other" };
    const { agent } = create(
      [
        deciding("a", { update: { model: other, thinkingLevel: "high" } }),
        later("b", { update: { thinkingLevel: "low" } }),
      ],
      script.streamFn,
    );
    await agent.prompt("Hi");
    expect(script.calls[1]).toMatchObject({ model: { id: "other" }, options: { reasoning: "low" } });
  });
});

test("a side request passes through the others, counts, and emits nothing", async () => {
  const notes: string[] = [];
  const script = scripted(text("a summary"), text("done"));
  const asking: AgentMiddleware = {
    name: "ask",
    begin: (run) => ({
      transformContext: async (messages) => {
        await run.request({
          model: run.model,
          context: { messages: [{ role: "user", content: "Sum", timestamp: 1 }] },
        });
        return messages;
      },
      wrapModelCall: (request, send) => {
        notes.push("ask itself");
        return send(request);
      },
    }),
  };
  const { agent, events } = create([noting("a", notes), asking, noting("b", notes)], script.streamFn);
  await agent.prompt("Hi");
  expect(notes.filter((note) => /model|itself/.test(note))).toEqual([
    ...["a.before model", "b.before model", "b.after model", "a.after model"],
    ...["a.before model", "ask itself", "b.before model", "b.after model", "a.after model"],
  ]);
  expect(script.calls).toHaveLength(2);
  expect(events.filter(({ type }) => type === "message_end")).toHaveLength(2);
});

test("what a middleware adds says by whom", async () => {
  const adding: AgentMiddleware = {
    name: "clock",
    begin: (run) => ({
      afterTurn: ({ needsResponse }) =>
        needsResponse
          ? run.add({ role: "user", content: "It is noon", timestamp: 1 }).then(() => undefined)
          : undefined,
    }),
  };
  const script = lookOnce();
  const { agent, events } = create([adding], script.streamFn);
  await agent.prompt("Hi");
  const added = agent.state.messages[3];
  expect(added).toMatchObject({ role: "user", origin: "clock" });
  expect(events).toContainEqual({ type: "message_end", message: added });
  expect(script.calls[1]?.context.messages.at(-1)).toMatchObject({ content: "It is noon" });
});

test("a tool of a middleware is run, and the hooks of others do not see it", async () => {
  const notes: string[] = [];
  const hidden = tool("look");
  const script = lookOnce();
  const own: AgentMiddleware = { name: "own", begin: () => ({ tools: () => [hidden] }) };
  const { agent } = create([noting("a", notes), own], script.streamFn, { initialState: { model: MODEL } });
  await agent.prompt("Hi");
  expect(agent.state.messages[2]).toMatchObject({ role: "toolResult", isError: false });
  expect(notes.filter((note) => /tool/i.test(note))).toEqual([]);
});

test("verdicts of beforeTools that are promises hold, too", async () => {
  // As in plain JavaScript: calls.map(async () => ...) without Promise.all.
  const beforeTools = async (calls: readonly unknown[]) => calls.map(async () => ({ block: true, reason: "No." }));
  const { agent, events } = create([{ name: "a", begin: () => ({ beforeTools }) as never }], lookOnce().streamFn);
  await agent.prompt("Hi");
  const ends = events.flatMap((event) => (event.type === "tool_execution_end" ? [event.result.content] : []));
  expect(ends).toEqual([[{ type: "text", text: "No." }]]);
});

test("the hook `end` is called however the run ends, and gets its outcome", async () => {
  const ends: string[] = [];
  const ending = (name: string): AgentMiddleware => ({
    name,
    begin: () => ({ end: ({ messages, stop }) => void ends.push(`${name} ${messages.length} ${stop?.by}`) }),
  });
  const broken: AgentMiddleware = {
    name: "broken",
    begin: () => ({
      wrapModelCall: async () => {
        throw new Error("no");
      },
    }),
  };
  await create([ending("failed"), broken], lookOnce().streamFn).agent.prompt("Hi");
  const many = scripted(response([call("1", "look")]), response([call("2", "look")]));
  await create([ending("stopped"), limits({ budget: { turns: 1 } })], many.streamFn).agent.prompt("Hi");
  const aborted = create([ending("aborted")], lookOnce().streamFn);
  aborted.agent.subscribe(({ type }) => void (type === "tool_execution_start" && aborted.agent.abort()));
  await aborted.agent.prompt("Hi");
  expect(ends).toEqual(["failed 2 undefined", "stopped 4 budget", "aborted 4 undefined"]);
});

test("agents of tools have what the list says they inherit, at any depth", async () => {
  const seen: string[] = [];
  const roots: [object, object | undefined][] = [];
  const inherited: AgentMiddleware = {
    name: "trace",
    inherit: true,
    begin: (run) => {
      roots.push([run.root, run.parent]);
      return {
        wrapModelCall: (request, send) => {
          seen.push("request");
          return send(request);
        },
      };
    },
  };
  const nested = (name: string, agent: () => Agent) =>
    agentTool({ name, label: name, description: name, parameters: Type.Object({ q: Type.String() }), agent });
  const leaf = () => new Agent({ initialState: { model: MODEL }, streamFn: scripted(text("leaf")).streamFn });
  const ask = (name: string) => scripted(response([call("1", name, { q: "?" })]), text("done")).streamFn;
  const middle = () =>
    new Agent({ initialState: { model: MODEL, tools: [nested("leaf", leaf)] }, streamFn: ask("leaf") });
  const { agent } = create([inherited, noting("own", [])], ask("middle"), {
    initialState: { model: MODEL, tools: [nested("middle", middle)] },
  });
  await agent.prompt("Hi");
  expect(seen).toHaveLength(5);
  expect(roots.map(([, parent]) => roots.findIndex(([root]) => root === parent))).toEqual([-1, 0, 1]);
});

test("an agent that a tool continues with its queued messages has what is inherited, too", async () => {
  const began: number[] = [];
  const inherited: AgentMiddleware = {
    name: "trace",
    inherit: true,
    begin: (run) => {
      began.push(run.context.messages.length);
      return {};
    },
  };
  const child = new Agent({ initialState: { model: MODEL }, streamFn: scripted(text("one"), text("two")).streamFn });
  await child.prompt("Hi");
  child.followUp("And then?");
  const go = tool("go", async (id, _args, _signal, _onUpdate, context) => {
    if (context?.run) await child.continue({ run: context.run, call: { id, name: "go" } });
    return "gone";
  });
  const { agent } = create([inherited], scripted(response([call("1", "go")]), text("done")).streamFn, {
    initialState: { model: MODEL, tools: [go] },
  });
  await agent.prompt("Go");
  expect(child.state.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  expect(began).toHaveLength(2);
});

test("wrapSend is inside of all other hooks around a request, and sees only what is sent", async () => {
  const notes: string[] = [];
  const sees: AgentMiddleware = {
    name: "sees",
    begin: () => ({
      wrapSend: (request, send) => {
        notes.push(request.origin === undefined ? "sent" : "sent beside");
        return send(request);
      },
    }),
  };
  const answers: AgentMiddleware = {
    name: "answers",
    begin: (run) => ({
      wrapModelCall: async (request, send) => {
        if (request.context.messages.length > 1) return text("from a cache");
        await run.request({ model: run.model, context: { messages: [] } });
        return send(request);
      },
    }),
  };
  const { agent } = create([sees, answers], lookOnce().streamFn);
  await agent.prompt("hi");
  expect(notes).toEqual(["sent beside", "sent"]);
});

test("deltas, also those of children, go to those who ask for them, and to no hook", async () => {
  const seen: string[] = [];
  const deltas: string[] = [];
  const nameOf = (event: AgentEvent): string =>
    event.type === "child_event" ? `child ${nameOf(event.event)}` : event.type;
  const watching: AgentMiddleware = {
    name: "watching",
    begin: (run) => {
      run.onDelta((event) => void deltas.push(nameOf(event)));
      run.onDelta((event) => void deltas.push(`${nameOf(event)} again`));
      return { onEvent: (event) => void seen.push(nameOf(event)) };
    },
  };
  const child = () => new Agent({ initialState: { model: MODEL }, streamFn: scripted(text("hello")).streamFn });
  const ask = agentTool({ name: "ask", description: "Asks", parameters: Type.Object({}), agent: child });
  const { agent } = create([watching], scripted(response([call("1", "ask")]), text("done")).streamFn);
  agent.state.tools = [ask];
  await agent.prompt("hi");
  expect(seen.filter((name) => name.includes("update"))).toEqual([]);
  expect(seen).toContain("child message_end");
  expect(new Set(deltas)).toEqual(
    new Set(["message_update", "message_update again", "child message_update", "child message_update again"]),
  );
});

test("a middleware can abort the run, of an agent and of the functions of the loop", async () => {
  const aborting: AgentMiddleware = {
    name: "aborting",
    begin: (run) => ({ onEvent: ({ type }) => (type === "tool_execution_start" ? run.abort() : undefined) }),
  };
  const { agent } = create([aborting], lookOnce().streamFn);
  await agent.prompt("hi");
  expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "aborted" });
  for (const signal of [undefined, new AbortController().signal]) {
    const config = { model: MODEL, convertToLlm: () => [], middleware: [aborting] };
    const context = { systemPrompt: "", messages: [], tools: [tool("look")] };
    const messages = await runAgentLoop([], context, config, () => {}, signal, lookOnce().streamFn);
    expect(messages.at(-1)).toMatchObject({ stopReason: "aborted" });
  }
});

test("the stream of a loop ends when its middleware has ended", async () => {
  let hasEnded = false;
  const slow: AgentMiddleware = {
    name: "slow",
    begin: () => ({
      end: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        hasEnded = true;
      },
    }),
  };
  const config = { model: MODEL, convertToLlm: () => [], middleware: [slow] };
  const stream = agentLoop([], { systemPrompt: "", messages: [] }, config, undefined, scripted(text("hi")).streamFn);
  expect(await stream.result()).toHaveLength(1);
  expect(hasEnded).toBe(true);
});

test("those that have begun see the failure and the end of a run in which a later one cannot begin", async () => {
  const notes: string[] = [];
  const first: AgentMiddleware = {
    name: "first",
    begin: () => ({ onEvent: ({ type }) => void notes.push(type), end: () => void notes.push("end") }),
  };
  const second: AgentMiddleware = {
    name: "second",
    begin: () => {
      throw new Error("no database");
    },
  };
  const { agent } = create([first, second], lookOnce().streamFn);
  await agent.prompt("hi");
  expect(agent.state.errorMessage).toContain("no database");
  expect(notes.at(0)).toBe("agent_start");
  expect(notes.slice(-2)).toEqual(["agent_end", "end"]);
});

describe("a list that is wrong", () => {
  const named = (name: string, order?: AgentMiddleware["order"]): AgentMiddleware => ({
    name,
    begin: () => ({}),
    ...(order && { order }),
  });

  test.each<[string, unknown[], string]>([
    ["an order", [named("a", { outside: ["b"] }), named("b")], 'The middleware "b" must come before "a" in the list'],
    ["an order", [named("b"), named("a", { inside: ["b"] })], 'The middleware "a" must come before "b" in the list'],
    ["no hooks", [{ name: "a", begin: () => undefined }], 'begin of the middleware "a" must return an object of hooks'],
  ])("ends the run with an error: %s", async (_, list, message) => {
    const { agent, events } = create(list as AgentMiddleware[], lookOnce().streamFn);
    await agent.prompt("Hi");
    expect(agent.state.errorMessage).toContain(message);
    expect(events.map(({ type }) => type)).toEqual([
      ...["agent_start", "turn_start", "message_start", "message_end"],
      ...["message_start", "message_end", "turn_end", "agent_end"],
    ]);
    // The prompt is not lost.
    expect(agent.state.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  test.each<[string, unknown[], string]>([
    ["no middleware", [{ name: "a" }], "middleware[0] must have a name and a function begin"],
    ["nothing", [named("a"), null], "middleware[1] must have a name and a function begin"],
  ])("is refused by the agent: %s", (_, list, message) => {
    expect(() => create(list as AgentMiddleware[], lookOnce().streamFn)).toThrow(message);
  });

  test("names of middleware that is absent do not matter", async () => {
    const { agent } = create([named("a", { outside: ["x"], inside: ["y"] })], scripted(text("done")).streamFn);
    await agent.prompt("Hi");
    expect(agent.state.errorMessage).toBeUndefined();
  });

  test("anything but a list is refused at once", () => {
    expect(() => new Agent({ middleware: limits({}) as never })).toThrow("middleware must be a list");
  });
});

test("after an abort no further hook is entered, and the outer one learns of it as from a tool", async () => {
  const notes: string[] = [];
  const agent = new Agent({
    streamFn: scripted(response([call("c1", "look")])).streamFn,
    initialState: { model: MODEL, tools: [tool("look")] },
    middleware: [
      {
        name: "outer",
        begin: (run) => ({
          wrapToolCall: async (_call, execute) => {
            run.abort();
            return execute().catch((error: unknown) => {
              notes.push(String(error));
              throw error;
            });
          },
        }),
      },
      {
        name: "inner",
        begin: () => ({
          wrapToolCall: (_call, execute) => {
            notes.push("inner");
            return execute();
          },
        }),
      },
    ],
  });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => void events.push(event));
  await agent.prompt("Hi");
  expect(notes).toEqual(["AbortedError: Operation aborted"]);
  const end = events.find((event) => event.type === "tool_execution_end");
  expect(end).toMatchObject({ isError: true });
  expect(end).not.toHaveProperty("durationMs");
});
