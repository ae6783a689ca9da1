/** What the docstrings of middleware say, where no test of a feature says it. */
import {
  Agent,
  type AgentEvent,
  type AgentMiddleware,
  type AgentOptions,
  type MiddlewareRun,
  type RunHooks,
} from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { describe, expect, test } from "vitest";
import { call, calls, MODEL, response, type Step, scripted, text, user } from "./scripted-stream.js";
import { never, result, tool } from "./scripted-tool.js";

const named = (name: string, hooks: RunHooks): AgentMiddleware => ({ name, begin: () => hooks });

function createAgent(steps: Step[], middleware: AgentMiddleware[], { initialState, ...options }: AgentOptions = {}) {
  const stream = scripted(...steps);
  const state = { model: MODEL, tools: [tool("a"), tool("b")], ...initialState };
  return { agent: new Agent({ initialState: state, streamFn: stream.streamFn, middleware, ...options }), stream };
}

const fail = (): never => {
  throw new Error("hook");
};
const failed = response([], { stopReason: "error", errorMessage: "too long" });

describe("an error of a hook", () => {
  test.each<{ title: string; hooks: RunHooks; first?: Step }>([
    { title: "beforeRequest", hooks: { beforeRequest: fail } },
    { title: "transformContext", hooks: { transformContext: fail } },
    { title: "prepareRequest", hooks: { prepareRequest: fail } },
    { title: "wrapModelCall", hooks: { wrapModelCall: fail } },
    { title: "wrapSend", hooks: { wrapSend: fail } },
    { title: "recover", hooks: { recover: fail }, first: failed },
    { title: "tools", hooks: { tools: fail } },
    { title: "afterTurn", hooks: { afterTurn: fail } },
    { title: "beforeMessages", hooks: { beforeMessages: fail } },
    { title: "onEvent", hooks: { onEvent: ({ type }) => (type === "turn_end" ? fail() : undefined) } },
  ])("in $title ends the run with an error message", async ({ hooks, first = calls("a") }) => {
    const { agent } = createAgent([first], [named("m", hooks)]);
    agent.steer("first");
    agent.steer("second");
    await agent.prompt("hi");
    expect(agent.state.messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "error", errorMessage: "hook" });
  });

  test.each<{ title: string; hooks: RunHooks }>([
    { title: "beforeTools", hooks: { beforeTools: fail } },
    { title: "beforeToolCall", hooks: { beforeToolCall: fail } },
    { title: "wrapToolCall", hooks: { wrapToolCall: fail } },
    { title: "afterToolCall", hooks: { afterToolCall: fail } },
  ])("in $title is the result of each call, and the run goes on", async ({ hooks }) => {
    const { agent } = createAgent([calls("a", "b")], [named("m", hooks)]);
    await agent.prompt("hi");
    const results = agent.state.messages.filter(({ role }) => role === "toolResult");
    const error = { isError: true, content: [{ text: "hook" }] };
    expect(results).toMatchObject([error, error]);
    expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "stop" });
  });

  test("in end does not change the run, and is thrown when all were called", async () => {
    const ended: string[] = [];
    const errors: unknown[] = [];
    const list = [named("a", { end: () => void ended.push("a") }), named("b", { end: fail })];
    const { agent } = createAgent([], list, { onListenerError: (error) => void errors.push(error) });
    expect(await agent.prompt("hi")).toMatchObject({ stopReason: "stop" });
    expect({ ended, errors }).toEqual({ ended: ["a"], errors: [new Error("hook")] });
  });
});

test("the first hook that blocks a call decides, and recovery is asked for until one says so", async () => {
  const asked: string[] = [];
  const deciding = (name: string, says: boolean): AgentMiddleware => {
    let isAsked = false;
    return named(name, {
      beforeToolCall: async () => {
        asked.push(`${name} block`);
        return { block: says, reason: name };
      },
      recover: () => {
        if (isAsked) return false;
        isAsked = true;
        asked.push(`${name} recover`);
        return says;
      },
    });
  };
  const list = [deciding("x", false), deciding("y", true), deciding("z", true)];
  const { agent } = createAgent([failed, calls("a")], list);
  await agent.prompt("hi");
  expect(asked).toEqual(["x recover", "y recover", "x block", "y block"]);
  expect(agent.state.messages[2]).toMatchObject({ isError: true, content: [{ text: "y" }] });
});

test("wrapSend is called with the first of the list outermost", async () => {
  const order: string[] = [];
  const around = (name: string) =>
    named(name, {
      wrapSend: async (request, send) => {
        order.push(`${name} begin`);
        const message = await send(request);
        order.push(`${name} end`);
        return message;
      },
    });
  await createAgent([], [around("a"), around("b")]).agent.prompt("hi");
  expect(order).toEqual(["a begin", "b begin", "b end", "a end"]);
});

test("beforePause may change a request, in the order of the list, and gets the call and its tool", async () => {
  const seen: unknown[] = [];
  const marking = (mark: string) =>
    named(mark, {
      beforePause: async (requests, toolCall, { tool: called }) => {
        seen.push([toolCall.id, called?.name]);
        return requests.map((request) => ({ ...request, signature: `${request.signature ?? ""}${mark}` }));
      },
    });
  const { agent } = createAgent([calls("a")], [approvals({ pause: true }), marking("1"), marking("2")]);
  await agent.prompt("hi");
  expect(agent.state.pause?.requests).toMatchObject([{ id: "1", signature: "12" }]);
  expect(seen).toEqual(Array(2).fill(["1", "a"]));
});

test("afterTurn is not asked about a turn that failed or waits for answers, and sees what a later one resumed", async () => {
  const turns: unknown[] = [];
  const noting = named("noting", {
    afterTurn: ({ message, toolResults, resumedResults, needsResponse, rejectedCalls }) =>
      void turns.push([
        message.stopReason,
        toolResults.length,
        resumedResults?.map(({ toolCallId }) => toolCallId),
        needsResponse,
        rejectedCalls,
      ]),
  });
  const steps = [calls("a"), calls("b", "unknown"), text("", { stopReason: "error" })];
  const { agent } = createAgent(steps, [
    noting,
    approvals({ pause: true, when: ({ toolCall }) => toolCall.name === "a" }),
  ]);
  await agent.prompt("hi");
  expect(turns).toEqual([]);
  await agent.answer([{ id: "1", approved: true }]);
  await agent.continue();
  expect(turns).toEqual([["toolUse", 2, ["1"], true, ["2"]]]);
});

test("beforeMessages receives the queued messages of the next turn", async () => {
  const seen: unknown[] = [];
  const { agent } = createAgent([], [named("m", { beforeMessages: (messages) => void seen.push(messages) })]);
  agent.followUp(user("F"));
  await agent.prompt("hi");
  expect(seen).toEqual([[user("F")]]);
});

test("onEvent is called when the state has changed, and the run waits for it", async () => {
  const order: string[] = [];
  const list = [
    named("slow", {
      onEvent: async (event) => {
        if (event.type !== "message_end") return;
        expect(agent.state.messages.at(-1)).toBe(event.message);
        for (let tick = 0; tick < 50; tick++) await null;
        order.push(`stored ${event.message.role}`);
      },
    }),
  ];
  const noting = tool("a", async () => {
    order.push("tool");
    return result("a");
  });
  const { agent } = createAgent([calls("a")], list, { initialState: { tools: [noting] } });
  await agent.prompt("hi");
  expect(order).toEqual(["stored user", "stored assistant", "tool", "stored toolResult", "stored assistant"]);
});

describe("a decision after a turn", () => {
  const stop = { by: "loop", loop: "cycle", repeats: 2 } as const;

  async function play(steps: Step[], afterTurn: NonNullable<RunHooks["afterTurn"]>) {
    const { agent, stream } = createAgent(steps, [named("m", { afterTurn })]);
    const types: AgentEvent["type"][] = [];
    agent.subscribe(({ type }) => void types.push(type));
    agent.followUp("later");
    await agent.prompt("hi");
    return { agent, requests: stream.calls.length, types };
  }

  test("to end leaves the queues alone", async () => {
    const { agent, requests } = await play([calls("a")], () => ({ end: true }));
    expect(requests).toBe(1);
    expect(agent.peekQueuedMessages()).toHaveLength(1);
    expect(agent.state.errorMessage).toBeUndefined();
  });

  test.each([
    { title: "a run that would go on", first: calls("a"), error: "The run was ended because it repeated itself" },
    { title: "a run that is over", first: text("done"), error: "" },
  ])("to stop $title is its reason, and an error only if it would go on", async ({ first, error }) => {
    const { agent, types, requests } = await play([first], () => ({ stop }));
    expect(requests).toBe(1);
    expect(agent.state.stopped).toEqual(stop);
    expect(agent.state.errorMessage ?? "").toContain(error);
    expect(agent.state.errorMessage === undefined).toBe(error === "");
    expect(types.slice(-2)).toEqual(["run_stopped", "agent_end"]);
  });

  test("that the model need not see the results lets the run go on for queued messages only", async () => {
    const { agent, requests } = await play([calls("a"), text("end")], () => ({ done: true }));
    expect(requests).toBe(2);
    const roles = agent.state.messages.map(({ role }) => role).join(" ");
    expect(roles).toBe("user assistant toolResult user assistant");
  });
});

describe("a run, as a middleware sees it", () => {
  test("has one root for all of its middleware, and one owner for all runs of an agent", async () => {
    const seen: MiddlewareRun[] = [];
    const noting = (name: string): AgentMiddleware => ({
      name,
      begin: (run) => {
        seen.push(run);
        return {};
      },
    });
    const { agent } = createAgent([], [noting("a"), noting("b")], { sessionId: "s" });
    await agent.prompt("hi");
    await agent.prompt("hi");
    const [first, second, third] = seen;
    expect(first?.root).toBe(second?.root);
    expect(third?.root).not.toBe(first?.root);
    expect(new Set(seen.map(({ owner }) => owner))).toEqual(new Set([agent]));
    expect(
      seen.map(({ sessionId, middleware, parent, isReplaying, hasOutput }) => ({
        sessionId,
        middleware,
        parent,
        isReplaying,
        hasOutput,
      })),
    ).toEqual(
      Array(4).fill({
        sessionId: "s",
        middleware: ["a", "b"],
        parent: undefined,
        isReplaying: false,
        hasOutput: false,
      }),
    );
  });

  test("knows the model of the next request, and is aborted with the run", async () => {
    const seen: unknown[] = [];
    let signal: AbortSignal | undefined;
    const noting: AgentMiddleware = {
      name: "m",
      begin: (run) => {
        signal = run.signal;
        return {
          afterTurn: () => ({ update: { model: { ...MODEL, id: "other" }, thinkingLevel: "high" } }),
          beforeRequest: () => void seen.push([run.model.id, run.thinkingLevel, run.context.messages.length]),
          onEvent: ({ type }) => (type === "agent_end" ? run.abort() : undefined),
        };
      },
    };
    await createAgent([calls("a")], [noting]).agent.prompt("hi");
    expect(seen).toEqual([
      ["scripted-1", "off", 1],
      ["other", "high", 3],
    ]);
    expect(signal?.aborted).toBe(true);
  });

  test("does not wait for those who hear of deltas", async () => {
    let heard = 0;
    const hanging: AgentMiddleware = {
      name: "m",
      begin: (run) => {
        run.onDelta(() => {
          heard++;
          return never();
        });
        return {};
      },
    };
    const { agent } = createAgent([], [hanging]);
    expect(await agent.prompt("hi")).toMatchObject({ stopReason: "stop" });
    expect(heard).toBe(3);
  });

  test("does work of a step at once where nothing stores it", async () => {
    const ids: string[] = [];
    let value: unknown;
    let waits: unknown;
    const working: AgentMiddleware = {
      name: "m",
      begin: (run) => ({
        beforeRequest: async () => {
          waits = run.waitFor;
          for (const name of ["one", "two"])
            value = await run.step(name, async (id) => {
              ids.push(id);
              return name;
            });
        },
      }),
    };
    await createAgent([], [working]).agent.prompt("hi");
    expect({ value, waits, different: new Set(ids).size }).toEqual({ value: "two", waits: undefined, different: 2 });
  });

  test("can be forked after its end, without those that are not in forks, and sees nothing of it", async () => {
    const begun: string[] = [];
    let kept: MiddlewareRun | undefined;
    const noting = (name: string, more: Partial<AgentMiddleware> = {}): AgentMiddleware => ({
      name,
      begin: (run) => {
        kept ??= run;
        begun.push(name);
        return {};
      },
      ...more,
    });
    const { agent, stream } = createAgent([text("one"), calls("a")], [noting("a"), noting("log", { inForks: false })]);
    await agent.prompt("hi");
    const before = agent.state.messages.slice();
    const events: string[] = [];
    agent.subscribe(({ type }) => void events.push(type));
    const fork = await kept?.fork(new AbortController().signal);
    const context = { systemPrompt: "", messages: [user("again")], tools: [tool("a")] };
    const partials: number[] = [];
    const message = await fork?.respond({
      model: MODEL,
      context,
      thinkingLevel: "off",
      onPartial: ({ content }) => void partials.push(content.length),
    });
    expect(message).toMatchObject({ stopReason: "toolUse" });
    expect(partials.length).toBeGreaterThan(0);
    const [toolCall] = message?.content ?? [];
    if (message && toolCall?.type === "toolCall")
      expect(await fork?.runTool(toolCall, message, context)).toMatchObject({ isError: false });
    expect.assertions(6);
    await fork?.end();
    expect(begun).toEqual(["a", "log", "a"]);
    expect(stream.calls).toHaveLength(2);
    expect({ messages: agent.state.messages, events }).toEqual({ messages: before, events: [] });
  });

  test("can build the request of a turn again, through all hooks", async () => {
    let words = "long";
    const shortening: AgentMiddleware = {
      name: "m",
      begin: (run) => ({
        transformContext: async (messages) => [...messages, user(words)],
        wrapModelCall: async (_request, send) => {
          words = "short";
          return send(await run.prepare());
        },
      }),
    };
    const other = named("other", {
      prepareRequest: (request) => ({ ...request, model: { ...request.model, id: words } }),
    });
    const { agent, stream } = createAgent([], [shortening, other]);
    await agent.prompt("hi");
    expect(stream.calls).toMatchObject([{ model: { id: "short" } }]);
    expect(stream.calls[0]?.context.messages.at(-1)).toEqual(user("short"));
    expect(agent.state.messages).toHaveLength(2);
  });
});

test("a fork rejects with what a hook throws, and shows an error of a tool as its outcome", async () => {
  let kept: MiddlewareRun | undefined;
  let fails = false;
  const breaking: AgentMiddleware = {
    name: "m",
    begin: (run) => {
      kept ??= run;
      return { wrapModelCall: (request, send) => (fails ? fail() : send(request)) };
    },
  };
  const { agent } = createAgent([], [breaking]);
  await agent.prompt("hi");
  fails = true;
  const fork = await kept?.fork(new AbortController().signal);
  const context = { systemPrompt: "", messages: [user("again")], tools: [tool("a", async () => fail())] };
  await expect(fork?.respond({ model: MODEL, context, thinkingLevel: "off" })).rejects.toThrow("hook");
  const message = calls("a");
  expect(await fork?.runTool(call("1", "a"), message, context)).toMatchObject({
    isError: true,
    result: { content: [{ text: "hook" }] },
  });
  await fork?.end();
});
