import {
  type AgentContext,
  type AgentEvent,
  type AgentLoopConfig,
  type AgentMessage,
  agentLoop,
  agentLoopContinue,
  runAgentLoop,
  runAgentLoopContinue,
} from "pi-agent";
import { describe, expect, test } from "vitest";
import { describeEvents } from "../test/event-list.js";
import { calls, MODEL, scripted, stuckAfter, text, user } from "../test/scripted-stream.js";
import { result, tool } from "../test/scripted-tool.js";

const CONFIG: AgentLoopConfig = { model: MODEL, convertToLlm: (messages) => messages as never };
const contextOf = (...messages: AgentMessage[]): AgentContext => ({ systemPrompt: "s", messages, tools: [tool("a")] });

async function collect(stream: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe("the conversation that is given", () => {
  test("is not touched, whatever the run does", async () => {
    const context = Object.freeze({
      ...contextOf(user("hi")),
      messages: Object.freeze([user("hi")]) as AgentMessage[],
    });
    const added = await runAgentLoop(
      [user("more")],
      context,
      CONFIG,
      () => {},
      undefined,
      scripted(calls("a")).streamFn,
    );
    expect(added.map((message) => message.role)).toEqual(["user", "assistant", "toolResult", "assistant"]);
    const continued = await runAgentLoopContinue(context, CONFIG, () => {}, undefined, scripted().streamFn);
    expect(continued.map((message) => message.role)).toEqual(["assistant"]);
    expect(context.messages).toHaveLength(1);
  });

  test("is not touched by a conversation that prepareNextTurn puts in its place", async () => {
    const replacement = Object.freeze([user("summary")]) as AgentMessage[];
    const stream = scripted(calls("a"));
    const config = {
      ...CONFIG,
      prepareNextTurn: () => ({ context: { systemPrompt: "new", messages: replacement } }),
    };
    await runAgentLoop([user("hi")], contextOf(), config, () => {}, undefined, stream.streamFn);
    expect(replacement).toHaveLength(1);
    expect(stream.calls[1]?.context).toMatchObject({ systemPrompt: "new", messages: [user("summary")] });
  });

  test("reaches the model as it was at each request, even if the conversion copies nothing", async () => {
    const stream = scripted(calls("a"));
    await runAgentLoop([user("hi")], contextOf(), CONFIG, () => {}, undefined, stream.streamFn);
    expect(stream.calls.map(({ context }) => context.messages.length)).toEqual([1, 3]);
  });
});

describe("continuing", () => {
  test.each([
    { messages: [], text: "Cannot continue: no messages in context" },
    { messages: [user("hi"), text("hello")], text: "Cannot continue from message role: assistant" },
  ])("is refused: $text", async ({ messages, text }) => {
    expect(() => agentLoopContinue(contextOf(...messages), CONFIG)).toThrow(text);
    await expect(runAgentLoopContinue(contextOf(...messages), CONFIG, () => {})).rejects.toThrow(text);
  });

  test("emits no event for what was there, and returns what is new", async () => {
    const stream = agentLoopContinue(contextOf(user("hi")), CONFIG, undefined, scripted().streamFn);
    expect(describeEvents(await collect(stream))).toBe("AS TS MS(a) ME(a:stop) TE(stop;[]) AE[a]");
    expect((await stream.result()).map((message) => message.role)).toEqual(["assistant"]);
  });

  test("is possible after a message of the application's own", async () => {
    const own = { role: "other" } as unknown as AgentMessage;
    const config: AgentLoopConfig = { ...CONFIG, convertToLlm: () => [user("converted")] };
    const stream = agentLoopContinue(contextOf(own), config, undefined, scripted().streamFn);
    expect(await stream.result()).toHaveLength(1);
  });
});

describe("agentLoop", () => {
  test("settles its result even if the events are not read", async () => {
    const stream = agentLoop([user("hi")], contextOf(), CONFIG, undefined, scripted(calls("a")).streamFn);
    expect(await stream.result()).toHaveLength(4);
  });

  test("ends a run that fails, with what was streamed so far", async () => {
    const { streamFn } = scripted(async () => {
      async function* broken() {
        const partial = text("half of it");
        yield { type: "start", partial };
        yield { type: "text_delta", contentIndex: 0, delta: "half of it", partial };
        throw new Error("broken");
      }
      return broken() as never;
    });
    const stream = agentLoop([user("hi")], contextOf(), CONFIG, undefined, streamFn);
    const messages = await stream.result();
    expect(messages[1]).toMatchObject({
      content: [{ type: "text", text: "half of it" }],
      stopReason: "error",
      errorMessage: "broken",
      error: { kind: "unknown" },
      usage: { totalTokens: 10 },
    });
  });

  const PROMPTS = 'The argument prompts must be a list of messages, such as [{ role: "user", content: "Hi" }], not ';
  const LEVELS =
    'config.reasoning must be one of "off", "minimal", "low", "medium", "high", "xhigh", "max", not "hihg"';
  test.each<[text: string, wrong: Partial<Record<"prompts" | "context" | "config" | "signal" | "streamFn", unknown>>]>([
    [`${PROMPTS}"Hi"`, { prompts: "Hi", context: {}, config: {} }],
    [`${PROMPTS}"Hi"`, { prompts: ["Hi"] }],
    [`${PROMPTS}an object`, { prompts: user("Hi") }],
    [
      "The argument context must be an object such as { systemPrompt, messages: [], tools }, not undefined",
      { context: undefined },
    ],
    ["context.messages must be a list of messages, such as [], not undefined", { context: {} }],
    ["The argument config must be an object such as { model, convertToLlm }, not undefined", { config: undefined }],
    ['The argument "model" must be a model object, such as getModel(', { config: { ...CONFIG, model: undefined } }],
    [
      "config.convertToLlm must be a function, such as (messages) => messages, not undefined",
      { config: { model: CONFIG.model } },
    ],
    [LEVELS, { config: { ...CONFIG, reasoning: "hihg" } }],
    [
      "The argument signal must be an AbortSignal, such as the signal of an AbortController, not an object",
      { signal: new AbortController() },
    ],
    ["The argument streamFn must be a function, not an object", { streamFn: {} }],
  ])("an argument of the wrong form throws: %s", async (text, wrong) => {
    const given = {
      prompts: [],
      context: contextOf(user("Hi")),
      config: CONFIG,
      streamFn: scripted().streamFn,
      ...wrong,
    };
    // Each as plain JavaScript passes it.
    const { prompts, context, config, signal, streamFn } = given as unknown as Record<string, never>;
    expect(() => agentLoop(prompts as never, context as never, config as never, signal, streamFn)).toThrow(text);
    const emit = (): void => {};
    await expect(
      runAgentLoop(prompts as never, context as never, config as never, emit, signal, streamFn),
    ).rejects.toThrow(text);
    if ("prompts" in wrong) return;
    expect(() => agentLoopContinue(context as never, config as never, signal, streamFn)).toThrow(text);
    await expect(runAgentLoopContinue(context as never, config as never, emit, signal, streamFn)).rejects.toThrow(text);
    await expect(runAgentLoop([], contextOf(), CONFIG, "no function" as never)).rejects.toThrow(
      'The argument emit must be a function, not "no function"',
    );
  });
});

describe("runAgentLoop", () => {
  test.each([
    {
      title: "throws",
      fail: (): void => {
        throw new Error("sink");
      },
    },
    { title: "rejects", fail: () => Promise.reject(new Error("sink")) },
  ])("a sink that $title ends the run, at whatever event, and is told nothing more", async ({ fail }) => {
    const { streamFn } = scripted();
    const whole = await collect(agentLoop([user("hi")], contextOf(), CONFIG, undefined, scripted().streamFn));
    for (let failAt = 0; failAt < whole.length; failAt++) {
      const events: AgentEvent[] = [];
      const emit = (event: AgentEvent): void | Promise<void> => {
        events.push(event);
        if (events.length === failAt + 1) return fail();
      };
      await expect(runAgentLoop([user("hi")], contextOf(), CONFIG, emit, undefined, streamFn)).rejects.toThrow("sink");
      expect(events).toHaveLength(failAt + 1);
    }
  });

  test("a sink that throws at progress does not reach the tool, and ends the run", async () => {
    const events: AgentEvent[] = [];
    let finished = false;
    const context: AgentContext = {
      systemPrompt: "",
      messages: [],
      tools: [
        tool("a", async (_id, _args, _signal, onUpdate) => {
          onUpdate?.(result("half"));
          await null;
          finished = true;
          return result("a");
        }),
        tool("b", async (_id, _args, _signal, onUpdate) => {
          for (let tick = 0; tick < 50; tick++) await null;
          onUpdate?.(result("unheard"));
          return result("b");
        }),
      ],
    };
    const emit = (event: AgentEvent): void => {
      events.push(event);
      if (event.type === "tool_execution_update") throw new Error("sink");
    };
    const run = runAgentLoop([user("hi")], context, CONFIG, emit, undefined, scripted(calls("a", "b")).streamFn);
    await expect(run).rejects.toThrow("sink");
    expect(finished).toBe(true);
    const count = events.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(events).toHaveLength(count);
    expect(describeEvents(events)).toMatch(/XU\(1\)$/);
  });

  test("a sink that throws keeps tools that wait for their turn from being begun", async () => {
    const begun: string[] = [];
    const noting = tool("a", async (id) => {
      begun.push(id);
      return result(id);
    });
    const emit = (event: AgentEvent): void => {
      if (event.type === "tool_execution_end") throw new Error("sink");
    };
    const context = { systemPrompt: "", messages: [], tools: [noting] };
    const config = { ...CONFIG, maxParallelTools: 1 };
    const run = runAgentLoop([user("hi")], context, config, emit, undefined, scripted(calls("a", "a", "a")).streamFn);
    await expect(run).rejects.toThrow("sink");
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toEqual(["1"]);
  });

  test("waits for what emit returns, except after an abort", async () => {
    const order: string[] = [];
    const emit = async (event: AgentEvent): Promise<void> => {
      order.push(`${event.type} taken`);
      await null;
      order.push(`${event.type} done`);
    };
    await runAgentLoop([user("hi")], contextOf(), CONFIG, emit, undefined, scripted().streamFn);
    for (let index = 0; index < order.length; index += 2) {
      expect(order[index + 1]).toBe(order[index]?.replace("taken", "done"));
    }
    const controller = new AbortController();
    const stuck = runAgentLoop(
      [user("hi")],
      contextOf(),
      CONFIG,
      () => new Promise<void>(() => {}),
      controller.signal,
      scripted(stuckAfter([])).streamFn,
    );
    controller.abort();
    expect((await stuck).at(-1)).toMatchObject({ stopReason: "aborted" });
  });

  test("with a signal that is already aborted sends no request", async () => {
    const stream = scripted();
    const events: AgentEvent[] = [];
    const emit = (event: AgentEvent): void => {
      events.push(event);
    };
    await runAgentLoop([user("hi")], contextOf(), CONFIG, emit, AbortSignal.abort(), stream.streamFn);
    expect(describeEvents(events)).toBe("AS TS MS(u) ME(u) MS(a) ME(a:aborted) TE(aborted;[]) AE[ua]");
    expect(stream.calls).toHaveLength(0);
  });

  test("removes its listeners from the signal", async () => {
    const controller = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = controller.signal;
    controller.signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners++;
      addEventListener.apply(controller.signal, args);
    };
    controller.signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners--;
      removeEventListener.apply(controller.signal, args);
    };
    await runAgentLoop([user("hi")], contextOf(), CONFIG, () => {}, controller.signal, scripted(calls("a")).streamFn);
    expect(listeners).toBe(0);
  });
});
