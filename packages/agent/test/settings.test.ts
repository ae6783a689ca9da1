/** Options and settings with an unknown name or a wrong value, at every entry, as plain JavaScript passes them. */
import {
  Agent,
  type AgentEvent,
  type AgentMessage,
  type AnyAgentTool,
  agentLoop,
  agentLoopContinue,
  runAgentLoop,
  runToolCall,
  type ToolCallLimits,
} from "pi-agent";
import { compact } from "pi-agent/compact";
import { agentTool, Budget, limits } from "pi-agent/limits";
import { fauxAssistantMessage, fauxToolCall, getModel, Type } from "pi-ai";
import { createScriptedStreamFn } from "pi-ai/testing";
import { describe, expect, test } from "vitest";

const MODEL = getModel("anthropic", "claude-sonnet-4-6");
const user: AgentMessage = { role: "user", content: "Hi", timestamp: 1 };
/** Options as plain JavaScript passes them. */
const untyped = (value: unknown): never => value as never;
const look: AnyAgentTool = {
  name: "look",
  description: "Looks",
  parameters: Type.Object({}),
  execute: async () => ({ content: [{ type: "text", text: "sunny" }] }),
};

describe("an unknown option", () => {
  test.each([
    [{ maxTurn: 3 }, 'Unknown option "maxTurn": did you mean "maxTurns"?'],
    [{ beforeToolcall: () => {} }, 'Unknown option "beforeToolcall": did you mean "beforeToolCall"?'],
    [{ finishTurn: () => {} }, 'Unknown option "finishTurn". The options are initialState, '],
    [{ prepareRequest: () => {} }, 'Unknown option "prepareRequest". The options are initialState, '],
    [{ colour: "red" }, 'Unknown option "colour". The options are initialState, streamFn, '],
    [
      { streamOptions: { temprature: 0 } },
      'Unknown option "streamOptions.temprature": did you mean "streamOptions.temperature"?',
    ],
    [
      { initialState: { system: "Hi" } },
      'Unknown option "initialState.system": did you mean "initialState.systemPrompt"?',
    ],
    [{ streamOptions: { maxTurns: 3 } }, "maxTurns is not an option of a request. Write new Agent({ maxTurns })."],
  ])("of an agent is refused with the nearest known name: %o", (options, text) => {
    expect(() => new Agent(untyped(options))).toThrow(TypeError);
    expect(() => new Agent(untyped(options))).toThrow(text);
  });

  test.each([
    [() => limits(untyped({ budgt: { usd: 1 } })), 'Unknown option "budgt": did you mean "budget"?'],
    [() => limits(untyped({ budget: { usdd: 1 } })), 'Unknown option "budget.usdd": did you mean "budget.usd"?'],
    [() => limits(untyped({ loops: { repeat: 3 } })), 'Unknown option "loops.repeat": did you mean "loops.repeats"?'],
    [() => new Budget(untyped({ turn: 3 })), 'Unknown option "budget.turn": did you mean "budget.turns"?'],
    [() => compact(untyped({ keeps: 3 })), 'Unknown option "keeps": did you mean "keep"?'],
    [
      () => agentTool(untyped({ ...look, execute: undefined, agent: () => {}, maxConcurent: 1 })),
      'Unknown option "maxConcurent": did you mean "maxConcurrent"?',
    ],
  ])("of another function is refused, too: %#", (create, text) => {
    expect(create).toThrow(TypeError);
    expect(create).toThrow(text);
  });

  test("of a tool call rejects", async () => {
    const call = fauxToolCall("look", {});
    const options = {
      tools: [look],
      assistantMessage: fauxAssistantMessage(call),
      context: { systemPrompt: "", messages: [] },
    };
    await expect(runToolCall(call, untyped({ ...options, toolTimeout: 5 }))).rejects.toThrow(
      'Unknown option "toolTimeout": did you mean "toolTimeoutMs"?',
    );
    await expect(runToolCall(call, untyped({ ...options, beforeToolCall: true }))).rejects.toThrow(
      "beforeToolCall must be a function, not true",
    );
    expect(await runToolCall(call, options)).toMatchObject({ isError: false });
  });

  test("that is undefined is none", () => {
    expect(() => new Agent(untyped({ colour: undefined, initialState: { system: undefined } }))).not.toThrow();
  });
});

describe("a wrong value", () => {
  const BAD_COUNTS = [0, -1, 1.5, Number.NaN, Number.NEGATIVE_INFINITY, "5", null, true, {}];
  const COUNT = "must be a whole number of 1 or more, or Infinity, not ";
  const cases: [string, readonly unknown[], RegExp][] = [
    ["maxTurns", BAD_COUNTS, /^maxTurns must be a whole number of 1 or more, or Infinity, not /],
    ["maxParallelTools", BAD_COUNTS, /^maxParallelTools must be a whole number of 1 or more/],
    ["maxRepeats", BAD_COUNTS.slice(1), /^maxRepeats must be a whole number of 0 or more, or Infinity, not /],
    ["toolTimeoutMs", [-1, Number.NaN, "5", null], /^toolTimeoutMs must be a number of milliseconds/],
    ["maxRetryDelayMs", [-1, Number.NaN, "5", null], /^maxRetryDelayMs must be a number of milliseconds/],
  ];

  test.each(cases)(
    "of %s is refused by the agent, by a run for which it was changed, and ends a loop with an error",
    async (name, values, text) => {
      for (const value of values) {
        expect(() => new Agent(untyped({ [name]: value }))).toThrow(text);
        const changed = Object.assign(new Agent(), { [name]: value });
        await expect(changed.prompt("Hi")).rejects.toThrow(text);
        const streamFn = createScriptedStreamFn([]);
        const config = untyped({ model: MODEL, convertToLlm: () => [], [name]: value });
        const context = { systemPrompt: "", messages: [user] };
        for (const stream of [
          agentLoop([user], { ...context, messages: [] }, config, undefined, streamFn),
          agentLoopContinue(context, config, undefined, streamFn),
        ]) {
          const events: AgentEvent[] = [];
          for await (const event of stream) events.push(event);
          const message = {
            role: "assistant",
            stopReason: "error",
            errorMessage: expect.stringMatching(text),
            error: { kind: "config" },
          };
          expect(events).toMatchObject([
            { type: "agent_start" },
            { type: "turn_start" },
            { type: "message_start", message },
            { type: "message_end", message },
            { type: "turn_end", message, toolResults: [] },
            { type: "agent_end", messages: [message] },
          ]);
          expect(await stream.result()).toMatchObject([message]);
        }
        await expect(
          runAgentLoop([user], { ...context, messages: [] }, config, () => {}, undefined, streamFn),
        ).rejects.toThrow(text);
        expect(streamFn.calls).toEqual([]);
      }
    },
  );

  test("may mean no limit", async () => {
    const options = {
      maxTurns: Infinity,
      maxParallelTools: Infinity,
      maxRepeats: 0,
      toolTimeoutMs: 0,
      maxRetryDelayMs: Infinity,
    };
    const streamFn = createScriptedStreamFn([
      fauxAssistantMessage(fauxToolCall("look", {})),
      fauxAssistantMessage("Done"),
    ]);
    const agent = new Agent({ ...options, streamFn, initialState: { model: MODEL, tools: [look] } });
    await agent.prompt("Hi");
    expect(agent.state).toMatchObject({ errorMessage: undefined });
    expect(agent.state.messages).toHaveLength(4);
    // The fields can be listed and copied like the others.
    expect({ ...agent }).toMatchObject(options);
  });

  test.each([
    [{ initialState: { thinkingLevel: "extreme" } }, 'initialState.thinkingLevel must be one of "off", "minimal", '],
    [{ initialState: { systemPrompt: 5 } }, "initialState.systemPrompt must be a string, not 5"],
    [{ initialState: "You are brief." }, 'initialState must be an object, not "You are brief."'],
    [{ toolExecution: "serial" }, 'toolExecution must be one of "sequential", "parallel", not "serial"'],
    [{ steeringMode: "one" }, 'steeringMode must be one of "all", "one-at-a-time", not "one"'],
    [{ beforeToolCall: {} }, "beforeToolCall must be a function, not an object"],
    [{ streamFn: MODEL }, "streamFn must be a function, not an object"],
    [{ now: 5 }, "now must be a function, not 5"],
    [5, "The options of an Agent must be an object, not 5"],
  ])("of an agent is refused: %o", (options, text) => {
    expect(() => new Agent(untyped(options))).toThrow(new TypeError(String(text)).message);
  });

  test("of a thinking level is refused when a run begins", async () => {
    const agent = new Agent({ initialState: { model: MODEL }, streamFn: createScriptedStreamFn([]) });
    agent.state.thinkingLevel = untyped("extreme");
    await expect(agent.prompt("Hi")).rejects.toThrow('reasoning must be one of "off", "minimal"');
  });

  test.each([
    [undefined, "limits needs an object of options, such as { budget: { usd: 1 } }, not undefined"],
    [5, "limits needs an object of options, such as { budget: { usd: 1 } }, not 5"],
    [{ budget: 5 }, "budget must be an object, such as { usd: 1 }, or a Budget, not 5"],
    [{ budget: null }, "budget must be an object, such as { usd: 1 }, or a Budget, not null"],
    [{ lastResponse: "yes" }, 'lastResponse must be true or false, not "yes"'],
    [{ loops: true }, "loops must be an object, not true"],
  ])("of limits is refused: %o", (options, text) => {
    expect(() => limits(untyped(options))).toThrow(new TypeError(text));
  });

  test.each([0, -1, 1.5, Number.NaN, "5", null])("of maxConcurrent is refused: %s", (maxConcurrent) => {
    const options = {
      name: "a",
      description: "",
      parameters: Type.Object({}),
      agent: () => new Agent(),
      maxConcurrent,
    };
    expect(() => agentTool(untyped(options))).toThrow(`maxConcurrent ${COUNT}`);
  });

  // A record, so that a new limit fails to compile here.
  const ofTools: Record<keyof ToolCallLimits, readonly [readonly unknown[], string]> = {
    toolTimeoutMs: [[-1, Number.NaN, "5"], "must be a number of milliseconds"],
  };

  test.each(Object.entries(ofTools))(
    "of a tool's own %s is refused in a run and in a single call",
    async (name, bad) => {
      const [values, problem] = bad;
      for (const value of values) {
        const tools = [{ ...look, [name]: value }];
        const text = `${name} of tool "look" ${problem}`;
        const ofAgent = { ...look, execute: undefined, agent: () => new Agent(), [name]: value };
        expect(() => agentTool(untyped(ofAgent))).toThrow(`${name} ${problem}`);
        const call = fauxToolCall("look", {});
        const options = {
          tools,
          assistantMessage: fauxAssistantMessage(call),
          context: { systemPrompt: "", messages: [] },
        };
        await expect(runToolCall(call, options)).rejects.toThrow(text);
        const context = { systemPrompt: "", messages: [], tools };
        await expect(runAgentLoop([user], context, { model: MODEL, convertToLlm: () => [] }, () => {})).rejects.toThrow(
          text,
        );
      }
    },
  );
});

describe("an option that the agent does not use itself", () => {
  test("may be any that the reference documents", () => {
    const hook = (): undefined => undefined;
    const options = {
      initialState: { systemPrompt: "", model: MODEL, thinkingLevel: "xhigh", tools: [], messages: [] },
      convertToLlm: hook,
      transformContext: hook,
      streamFn: hook,
      getApiKey: hook,
      onPayload: hook,
      onResponse: hook,
      beforeToolCall: hook,
      afterToolCall: hook,
      prepareNextTurn: hook,
      steeringMode: "all",
      followUpMode: "all",
      sessionId: "s",
      thinkingBudgets: { low: 1 },
      transport: "websocket-cached",
      maxRetryDelayMs: 5,
      toolExecution: "sequential",
    };
    expect(() => new Agent(untyped(options))).not.toThrow();
  });

  test("may be the state of another agent", () => {
    const agent = new Agent({ initialState: { model: MODEL, systemPrompt: "Be brief." } });
    const copy = new Agent({ initialState: untyped({ ...agent.state }) });
    expect(copy.state.systemPrompt).toBe("Be brief.");
  });
});
