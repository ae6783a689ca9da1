/** The hooks around one tool call and around one request. */

import {
  Agent,
  type AgentEvent,
  type AgentOptions,
  type AnyAgentTool,
  runAgentLoop,
  runToolCall,
  type WrapToolCallHook,
} from "pi-agent";
import { AbortedError, type AssistantMessage } from "pi-ai";
import { describe, expect, test, vi } from "vitest";
import { drivers } from "./loop-drivers.js";
import {
  abortable,
  call,
  calls,
  eventsOf,
  MODEL,
  response,
  type Step,
  scripted,
  streamOf,
  stuckAfter,
  text,
  user,
} from "./scripted-stream.js";
import { never, result, tool } from "./scripted-tool.js";

interface Setup extends AgentOptions {
  tools?: AnyAgentTool[];
}

function createAgent(steps: Step[], { tools = [tool("a"), tool("b")], ...options }: Setup = {}) {
  const stream = scripted(...steps);
  const agent = new Agent({ initialState: { model: MODEL, tools }, streamFn: stream.streamFn, ...options });
  const log: string[] = [];
  agent.subscribe((event) => {
    if (event.type !== "message_start" && event.type !== "message_update") log.push(event.type);
  });
  return { agent, stream, log };
}

const resultsOf = (agent: Agent) => agent.state.messages.filter((message) => message.role === "toolResult");
const textsOf = (agent: Agent) =>
  resultsOf(agent).map(({ content }) => (content[0]?.type === "text" ? content[0].text : ""));
const lastOf = (agent: Agent) => agent.state.messages.at(-1) as AssistantMessage; // each run here ends with a response

async function settle<TValue>(promise: Promise<TValue>): Promise<TValue | string> {
  try {
    return await promise;
  } catch (error) {
    return String(error);
  }
}

describe("wrapToolCall", () => {
  test("runs between beforeToolCall and afterToolCall, and knows the call", async () => {
    const order: string[] = [];
    const { agent } = createAgent([response([call("7", "a", {})])], {
      beforeToolCall: async () => void order.push("before"),
      wrapToolCall: async ({ toolCall, tool: wrapped, args, assistantMessage }, execute, signal) => {
        expect(signal).toBe(agent.signal);
        expect(assistantMessage.content).toContain(toolCall);
        order.push(`begin ${toolCall.id} ${wrapped.name} ${JSON.stringify(args)}`);
        const value = await execute();
        order.push(`end ${JSON.stringify(value.content)}`);
        return value;
      },
      afterToolCall: async () => void order.push("after"),
    });
    await agent.prompt("hi");
    expect(order).toEqual(["before", "begin 7 a {}", 'end [{"type":"text","text":"a"}]', "after"]);
    expect(textsOf(agent)).toEqual(["a"]);
  });

  test.each(drivers)("changes the result in $name", async (driver) => {
    const wrapToolCall: WrapToolCallHook = async (_call, execute) => ({
      ...(await execute()),
      details: { wrapped: 1 },
    });
    const { newMessages } = await driver.run({
      stream: scripted(calls("a")),
      tools: [tool("a")],
      hooks: { wrapToolCall },
    });
    expect(newMessages).toContainEqual(expect.objectContaining({ role: "toolResult", details: { wrapped: 1 } }));
  });

  test("changes the result of runToolCall", async () => {
    const assistantMessage = calls("a");
    const outcome = await runToolCall(call("1", "a"), {
      tools: [tool("a")],
      assistantMessage,
      context: { systemPrompt: "", messages: [] },
      wrapToolCall: async (_call, execute) => ({ ...(await execute()), terminate: true }),
    });
    expect(outcome.result).toMatchObject({ content: [{ text: "a" }], terminate: true });
  });

  test("may return a result without running the tool", async () => {
    const execute = vi.fn();
    const { agent } = createAgent([calls("a")], {
      tools: [tool("a", execute)],
      wrapToolCall: async () => result("remembered"),
    });
    await agent.prompt("hi");
    expect(execute).not.toHaveBeenCalled();
    expect(textsOf(agent)).toEqual(["remembered"]);
  });

  test("may run the tool again after an error", async () => {
    let runs = 0;
    const flaky = tool("a", async () => {
      if (++runs === 1) throw new Error("busy");
      return result("second try");
    });
    const { agent } = createAgent([calls("a")], {
      tools: [flaky],
      wrapToolCall: async (_call, execute) => {
        try {
          return await execute();
        } catch {
          return execute();
        }
      },
    });
    await agent.prompt("hi");
    expect(textsOf(agent)).toEqual(["second try"]);
  });

  test.each<{ title: string; tools: AnyAgentTool[]; more?: Setup; seen: string; text: string }>([
    {
      title: "a tool throws",
      tools: [tool("a", () => Promise.reject(new Error("no luck")))],
      seen: "Error: no luck",
      text: "no luck",
    },
    {
      title: "a tool returns something else",
      // Plain JavaScript may return anything.
      tools: [tool("a", async () => 7n as never)],
      seen: "Error: Tool a did not return a result: it returned a value with a bigint. Return String(value)",
      text: "Tool a did not return a result: it returned a value with a bigint. Return String(value)",
    },
    {
      title: "a tool takes too long",
      tools: [tool("a", never, { toolTimeoutMs: 1 })],
      seen: "TimeoutError: Tool a timed out after 1 ms",
      text: "Tool a timed out after 1 ms",
    },
  ])("sees the error when $title", async ({ tools, seen, text: expected }) => {
    const errors: string[] = [];
    const { agent } = createAgent([calls("a")], {
      tools,
      wrapToolCall: (_call, execute) => {
        const running = execute();
        running.catch((error) => errors.push(String(error)));
        return running;
      },
    });
    await agent.prompt("hi");
    expect(errors).toEqual([seen]);
    expect(textsOf(agent)).toEqual([expected]);
  });

  test.each<{ title: string; hook: WrapToolCallHook; text: string }>([
    {
      title: "throws",
      hook: () => {
        throw new Error("quota");
      },
      text: "quota",
    },
    { title: "rejects", hook: () => Promise.reject(new Error("quota")), text: "quota" },
    // Plain JavaScript may return anything.
    {
      title: "returns nothing",
      hook: (async () => undefined) as never,
      text: "Tool a did not return a result: it returned undefined",
    },
  ])("a hook that $title makes an error result, and the run goes on", async ({ hook, text: expected }) => {
    const { agent } = createAgent([calls("a")], { wrapToolCall: hook });
    await agent.prompt("hi");
    expect(textsOf(agent)).toEqual([expected]);
    expect(resultsOf(agent)[0]).toMatchObject({ isError: true });
    expect(lastOf(agent).stopReason).toBe("stop");
  });

  test("runs no tool again after an error of the event sink", async () => {
    const { streamFn } = scripted(calls("a"), text("Done"));
    let executions = 0;
    const reports = tool("a", async (_id, _args, _signal, onUpdate) => {
      executions++;
      onUpdate?.(result("half"));
      return result("a");
    });
    const wrapToolCall: WrapToolCallHook = async (_call, execute) => {
      await execute();
      return execute();
    };
    const emit = (event: AgentEvent): void => {
      if (event.type === "tool_execution_update") throw new Error("disk full");
    };
    const config = { model: MODEL, convertToLlm: () => [], wrapToolCall };
    const context = { systemPrompt: "", messages: [], tools: [reports] };
    await expect(runAgentLoop([user("Go")], context, config, emit, undefined, streamFn)).rejects.toThrow("disk full");
    expect(executions).toBe(1);
  });

  test("does not run for a call that was refused", async () => {
    const wrapToolCall = vi.fn<WrapToolCallHook>((_call, execute) => execute());
    const { agent } = createAgent([calls("missing", "a")], {
      wrapToolCall,
      beforeToolCall: async () => ({ block: true }),
    });
    await agent.prompt("hi");
    expect(wrapToolCall).not.toHaveBeenCalled();
  });

  test("an abort rejects the execution of a stuck tool, and the hook ends before the call does", async () => {
    const { agent, log } = createAgent([calls("a")], {
      tools: [tool("a", never)],
      wrapToolCall: async (_call, execute) => {
        agent.abort();
        const seen = await settle(execute());
        await null;
        log.push(`hook: ${seen}`);
        return result("too late");
      },
    });
    await agent.prompt("hi");
    expect(log.slice(log.indexOf("tool_execution_start"), log.indexOf("tool_execution_end"))).toEqual([
      "tool_execution_start",
      "hook: AbortedError: Operation aborted",
    ]);
    expect(textsOf(agent)).toEqual(["Operation aborted"]);
  });

  test("an abort does not wait for a stuck hook", async () => {
    const { agent } = createAgent([calls("a")], {
      wrapToolCall: () => {
        agent.abort();
        return new Promise(() => {});
      },
    });
    await agent.prompt("hi");
    expect(textsOf(agent)).toEqual(["Operation aborted"]);
  });

  test("an execution that the hook dropped leaves no unhandled rejection", async () => {
    const { agent } = createAgent([calls("a")], {
      tools: [tool("a", () => Promise.reject(new Error("dropped")))],
      wrapToolCall: async (_call, execute) => {
        void execute();
        return result("own");
      },
    });
    await agent.prompt("hi");
    expect(textsOf(agent)).toEqual(["own"]);
  });
});

describe("wrapModelCall", () => {
  test("surrounds each request and returns its response", async () => {
    const seen: string[] = [];
    const { agent, log } = createAgent([calls("a")], {
      getApiKey: () => "key",
      wrapModelCall: async (request, send, signal) => {
        expect(signal).toBe(agent.signal);
        expect(request.options).toMatchObject({ apiKey: "key", signal });
        log.push("begin");
        seen.push(`${request.model.id} ${request.context.messages.map(({ role }) => role).join(" ")}`);
        const message = await send(request);
        seen.push(message.stopReason);
        return message;
      },
    });
    await agent.prompt("hi");
    expect(seen).toEqual(["scripted-1 user", "toolUse", "scripted-1 user assistant toolResult", "stop"]);
    expect(log.filter((entry) => entry === "begin" || entry === "turn_start")).toEqual([
      "turn_start",
      "begin",
      "turn_start",
      "begin",
    ]);
  });

  test.each(drivers)("changes the response in $name, after its events", async (driver) => {
    const { events, newMessages } = await driver.run({
      stream: scripted(text("old")),
      hooks: { wrapModelCall: async (request, send) => ({ ...(await send(request)), responseId: "wrapped" }) },
    });
    expect(newMessages.at(-1)).toMatchObject({ content: [{ text: "old" }], responseId: "wrapped" });
    expect(events.map(({ type }) => type).filter((type) => type === "message_update")).toHaveLength(3);
  });

  test("may return a response without a request", async () => {
    const { agent, stream } = createAgent([], { wrapModelCall: async () => text("remembered") });
    await agent.prompt("hi");
    expect(stream.calls).toHaveLength(0);
    expect(lastOf(agent).content).toEqual([{ type: "text", text: "remembered" }]);
  });

  test("may send again, with another model, after a failure without content", async () => {
    const overloaded = response([], { stopReason: "error", errorMessage: "overloaded" });
    const failed: Step = () => streamOf(eventsOf(overloaded).slice(-1));
    const { agent, stream } = createAgent([failed, text("from the other")], {
      wrapModelCall: async (request, send) => {
        const first = await send(request);
        return first.stopReason === "error" ? send({ ...request, model: { ...MODEL, id: "other" } }) : first;
      },
    });
    await agent.prompt("hi");
    expect(stream.calls.map(({ model }) => model.id)).toEqual(["scripted-1", "other"]);
    expect(lastOf(agent).content).toEqual([{ type: "text", text: "from the other" }]);
    expect(agent.state.messages).toHaveLength(2);
  });

  test.each(drivers)("may send again after a response that began but has no content in $name", async (driver) => {
    const failed = response([], { stopReason: "error", errorMessage: "overloaded" });
    const { events, newMessages } = await driver.run({
      stream: scripted(failed, text("again")),
      hooks: {
        wrapModelCall: async (request, send) => {
          await send(request);
          return send(request);
        },
      },
    });
    expect(newMessages.at(-1)).toMatchObject({ content: [{ text: "again" }], stopReason: "stop" });
    const ofResponse = events.flatMap((event) =>
      "message" in event && event.message.role === "assistant" ? [event.type] : [],
    );
    const update = "message_update";
    expect(ofResponse).toEqual(["message_start", update, update, update, "message_end", "turn_end"]);
  });

  test.each<{ title: string; again: "after content" | "at once" }>([
    { title: "after a part of the response was emitted", again: "after content" },
    { title: "while a request is under way", again: "at once" },
  ])("send rejects $title", async ({ again }) => {
    const seen: unknown[] = [];
    const cut = response([{ type: "text", text: "half" }], { stopReason: "error", errorMessage: "cut" });
    const { agent, stream } = createAgent([cut], {
      wrapModelCall: async (request, send) => {
        const first = send(request);
        if (again === "after content") await first;
        seen.push(await settle(send(request)));
        return first;
      },
    });
    await agent.prompt("hi");
    expect(stream.calls).toHaveLength(1);
    expect(seen).toEqual([
      "Error: send can be called again only after the last request has ended without emitting any part of a response",
    ]);
    expect(lastOf(agent)).toMatchObject({ stopReason: "error", errorMessage: "cut" });
  });

  test.each<{ title: string; hook: NonNullable<AgentOptions["wrapModelCall"]>; message: string }>([
    {
      title: "throws",
      hook: () => {
        throw new Error("down");
      },
      message: "down",
    },
    { title: "rejects", hook: () => Promise.reject(new Error("down")), message: "down" },
    // Plain JavaScript may return anything.
    { title: "returns nothing", hook: (async () => {}) as never, message: "wrapModelCall must return a response" },
  ])("a hook that $title ends the run with an error message", async ({ hook, message }) => {
    const { agent, log } = createAgent([], { wrapModelCall: hook });
    await agent.prompt("hi");
    expect(lastOf(agent)).toMatchObject({ stopReason: "error", errorMessage: message });
    expect(log.at(-1)).toBe("agent_end");
  });

  test.each<{ title: string; step: Step; seen: unknown }>([
    {
      title: "throws",
      step: () => {
        throw new Error("refused");
      },
      seen: "Error: refused",
    },
    {
      title: "breaks its contract",
      step: () => {
        const stream = streamOf([]);
        stream.end();
        return stream;
      },
      seen: expect.stringContaining("ProtocolError"),
    },
    {
      title: "fails",
      step: text("half", { stopReason: "error", errorMessage: "cut" }),
      seen: expect.objectContaining({ errorMessage: "cut" }),
    },
  ])("sees a stream function that $title", async ({ step, seen }) => {
    const outcomes: unknown[] = [];
    const { agent } = createAgent([step], {
      wrapModelCall: async (request, send) => {
        const sent = send(request);
        outcomes.push(await settle(sent));
        return sent;
      },
    });
    await agent.prompt("hi");
    expect(outcomes).toEqual([seen]);
    expect(lastOf(agent).stopReason).toBe("error");
  });

  const partial = eventsOf(text("half")).slice(0, 3);
  test.each<{ title: string; step: Step; seen: unknown }>([
    {
      title: "ends by itself",
      step: abortable(partial, text("half", { stopReason: "aborted" })),
      seen: expect.objectContaining({ stopReason: "aborted" }),
    },
    { title: "is stuck", step: stuckAfter(partial), seen: "AbortedError: Operation aborted" },
  ])("an abort of a stream that $title reaches the hook, and the streamed content is kept", async ({ step, seen }) => {
    const outcomes: unknown[] = [];
    const { agent } = createAgent([step], {
      wrapModelCall: async (request, send) => {
        const sent = send(request);
        outcomes.push(await settle(sent));
        return sent;
      },
    });
    agent.subscribe((event) => {
      if (event.type === "message_update") agent.abort();
    });
    await agent.prompt("hi");
    expect(outcomes).toEqual([seen]);
    expect(lastOf(agent)).toMatchObject({ stopReason: "aborted", content: [{ text: "half" }] });
  });

  test("an abort does not wait for a stuck hook", async () => {
    const { agent } = createAgent([], {
      wrapModelCall: () => {
        agent.abort();
        return new Promise(() => {});
      },
    });
    await agent.prompt("hi");
    expect(lastOf(agent)).toMatchObject({ stopReason: "aborted", errorMessage: "Request was aborted" });
  });

  test("a request that the hook did not wait for stops and never reaches a later turn", async () => {
    const late = streamOf([]);
    const returned = vi.fn();
    const slow: Step = () => late;
    const { agent } = createAgent([slow, text("second")], {
      wrapModelCall: async (request, send) => {
        const sent = send(request);
        if (request.context.messages.length > 1) return sent;
        sent.catch(returned);
        return text("own");
      },
    });
    await agent.prompt("hi");
    for (const event of eventsOf(text("late"))) late.push(event);
    await agent.prompt(user("again"));
    expect(returned).toHaveBeenCalledOnce();
    const shown = agent.state.messages.filter(({ role }) => role === "assistant");
    expect(shown).toMatchObject([{ content: [{ text: "own" }] }, { content: [{ text: "second" }] }]);
  });
});

test("an error of an abort is one of the library's own", async () => {
  let seen: unknown;
  const { agent } = createAgent([calls("a")], {
    tools: [tool("a", never)],
    wrapToolCall: async (_call, execute) => {
      agent.abort();
      return execute().catch((error) => {
        seen = error;
        throw error;
      });
    },
  });
  await agent.prompt("hi");
  expect(seen).toBeInstanceOf(AbortedError);
  expect(seen).toMatchObject({ kind: "aborted" });
});
