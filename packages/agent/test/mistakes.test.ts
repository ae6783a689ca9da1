/**
 * Common mistakes of newcomers with agents, and the resulting errors. Each is made through the types
 * (`@ts-expect-error` if it must not compile) and in plain JavaScript.
 */
import { type } from "arktype";
import {
  Agent,
  type AgentEvent,
  type AgentMessageInput,
  type AgentOptions,
  type AgentTool,
  type AnyAgentTool,
  agentLoop,
  defineTool,
  runAgentLoop,
  streamProxy,
} from "pi-agent";
import { type Context, fauxAssistantMessage, fauxToolCall, getModel, Type } from "pi-ai";
import { createScriptedStreamFn } from "pi-ai/testing";
import * as v from "valibot";
import { afterEach, describe, expect, expectTypeOf, test, vi } from "vitest";
import { z } from "zod";

const MODEL = getModel("anthropic", "claude-sonnet-4-6");

/** Options as plain JavaScript passes them. */
const untyped = (value: unknown): never => value as never;

const look: AnyAgentTool = {
  name: "look",
  description: "Looks out of the window",
  parameters: Type.Object({ city: Type.String() }),
  execute: async () => ({ content: [{ type: "text", text: "sunny" }] }),
};

/** An agent without a network, and the contexts that its model receives. */
function createAgent(options: AgentOptions = {}, responses = [fauxAssistantMessage("Hello")]) {
  const streamFn = createScriptedStreamFn(responses);
  const agent = new Agent({ streamFn, ...options });
  const contexts = (): Context[] => streamFn.calls.map(({ context }) => context);
  return { agent, contexts };
}

afterEach(() => void vi.restoreAllMocks());

/** An agent whose model was replaced by what `getModel` returns for an id that nobody knows. */
function withoutModel(): Agent {
  const agent = new Agent({ initialState: { model: MODEL } });
  agent.state.model = untyped(undefined);
  return agent;
}

describe("an agent without a model", () => {
  test.each([
    ["no options", () => new Agent()],
    ["a model that getModel does not know", () => new Agent({ initialState: untyped({ model: undefined }) })],
    ["such a model, set later", withoutModel],
  ])("fails with a clear error when it runs: %s", async (_, create) => {
    getModel("anthropic", untyped("claude-sonnet-4.6"));
    const agent = create();
    await agent.prompt("Hi");
    expect(agent.state.errorMessage).toContain(
      'No model was given. An Agent takes it as initialState.model: new Agent({ initialState: { model: getModel("anthropic", ' +
        '"claude-sonnet-5-5") } }). getModel("anthropic", "claude-sonnet-4.6") found no model; the nearest known ids are ' +
        '"claude-sonnet-4-6", ',
    );
  });

  test("explains where it is written that a name is not a model", () => {
    const text = 'the string "openai/gpt-5.4". Write getModel("openai", "gpt-5.4").';
    expect(() => new Agent({ initialState: { model: untyped("openai/gpt-5.4") } })).toThrow(text);
    const { agent } = createAgent();
    expect(() => Object.assign(agent.state, { model: "openai/gpt-5.4" })).toThrow(text);
  });
});

describe("a toolTimeoutMs that is not a duration", () => {
  test.each([-1, Number.NaN, Number.NEGATIVE_INFINITY, untyped("5"), untyped(null)])(
    "is refused: %s",
    async (value) => {
      expect(() => new Agent({ toolTimeoutMs: value })).toThrow(/^toolTimeoutMs must be a number of milliseconds/);
      const tools = [{ ...look, toolTimeoutMs: value }];
      const text = /^toolTimeoutMs of tool "look" must be a number of milliseconds/;
      expect(() => new Agent({ initialState: { tools } })).toThrow(text);
      const { agent, contexts } = createAgent({ initialState: { model: MODEL } });
      agent.state.tools = tools;
      await expect(agent.prompt("Hi")).rejects.toThrow(text);
      agent.state.tools = [];
      agent.toolTimeoutMs = value;
      await expect(agent.prompt("Hi")).rejects.toThrow(/^toolTimeoutMs must be a number of milliseconds/);
      expect(agent.state).toMatchObject({ isStreaming: false, messages: [] });
      agent.toolTimeoutMs = 1000;
      await agent.prompt("Hi");
      expect(contexts()).toHaveLength(1);
    },
  );
});

describe("options on the wrong level", () => {
  test("do not compile", () => {
    // @ts-expect-error a model is part of the state
    expect(() => new Agent({ model: MODEL })).toThrow();
    // @ts-expect-error a temperature is an option of each request
    expect(() => new Agent({ temperature: 0 })).toThrow();
  });

  test.each([
    [{ model: MODEL }, "model is not an option of an Agent. Write new Agent({ initialState: { model } })."],
    [
      { systemPrompt: "Be brief.", tools: [look], initialState: { model: MODEL } },
      "systemPrompt, tools are not options of an Agent. Write new Agent({ initialState: { systemPrompt, tools } }).",
    ],
    [
      { apiKey: "key", temperature: 0 },
      "temperature, apiKey are not options of an Agent. Write new Agent({ streamOptions: { temperature, apiKey } }).",
    ],
  ])("are reported with their place: %j", (options, text) => {
    expect(() => new Agent(untyped(options))).toThrow(new TypeError(text));
  });

  test("are accepted beside the same ones in their place", () => {
    expect(() => new Agent(untyped({ model: MODEL, initialState: { model: MODEL } }))).not.toThrow();
  });
});

describe("a string in place of a message", () => {
  test("becomes a user message, wherever a message is accepted", async () => {
    const { agent, contexts } = createAgent({ steeringMode: "all" }, [
      fauxAssistantMessage("One"),
      fauxAssistantMessage("Two"),
    ]);
    agent.steer("be quick");
    agent.followUp("and then?");
    await agent.prompt("Hi");
    const texts = ["Hi", "be quick", "One", "and then?"].map((text) => [{ type: "text", text }]);
    expect(contexts()[1]?.messages.map(({ content }) => content)).toEqual(texts);
    expect(agent.state.messages.map(({ role }) => role)).toEqual(["user", "user", "assistant", "user", "assistant"]);
    expect(agent.state.messages.every(({ timestamp }) => timestamp > 0)).toBe(true);
  });

  test.each([undefined, 5, {}, { text: "Hi" }])("rejects %j", async (message) => {
    const { agent } = createAgent();
    const given = typeof message === "object" ? "an object without a role" : String(message);
    const error = new TypeError(
      `A message must be a string or an object such as { role: "user", content: "Hi" }, but it is ${given}.`,
    );
    expect(() => agent.steer(untyped(message))).toThrow(error);
    expect(() => agent.followUp(untyped(message))).toThrow(error);
    await expect(agent.prompt(untyped(message))).rejects.toThrow(error);
    expect(agent.state.messages).toEqual([]);
  });
});

describe("a message without a timestamp", () => {
  const untimed: AgentMessageInput = { role: "user", content: "Hi" };

  test("gets the current time, in a copy", async () => {
    vi.spyOn(Date, "now").mockReturnValue(1000);
    const { agent } = createAgent({ initialState: { messages: [untimed] } });
    agent.steer(untimed);
    await agent.prompt([untimed]);
    const stored = { ...untimed, timestamp: 1000 };
    expect(agent.state.messages.slice(0, 3)).toEqual([stored, stored, stored]);
    agent.state.messages = [untimed];
    expect(agent.state.messages).toEqual([stored]);
    expect(untimed).toEqual({ role: "user", content: "Hi" });
  });
});

describe("a system message", () => {
  test("in the conversation becomes part of the system prompt", async () => {
    const messages = [
      { role: "system", content: "Be kind." },
      { role: "developer", content: [{ type: "text", text: "Be exact." }] },
    ];
    const { agent, contexts } = createAgent({
      initialState: { systemPrompt: "Be brief.", messages: untyped(messages) },
    });
    await agent.prompt("Hi");
    expect(contexts()).toMatchObject([
      { systemPrompt: "Be brief.\n\nBe kind.\n\nBe exact.", messages: [{ role: "user" }] },
    ]);
  });
});

describe("an invalid tool", () => {
  const cases: [string, unknown, string][] = [
    [
      "without execute",
      [{ ...look, execute: undefined }],
      'Tool "look" has no execute function. Write execute: async (toolCallId, args) => ({ content: [{ type: "text", text }] }).',
    ],
    [
      "without parameters",
      [{ ...look, parameters: undefined }],
      'Tool "look" has no parameters. For a tool without arguments, write Type.Object({}).',
    ],
    ["with a text for parameters", [{ ...look, parameters: "city" }], malformed('"city"')],
    ["with a list for parameters", [{ ...look, parameters: ["city"] }], malformed("a list")],
    ["with parameters of another type", [{ ...look, parameters: Type.String() }], malformed('of the type "string"')],
    [
      "with properties instead of a schema as parameters",
      [{ ...look, parameters: { city: { kind: "string" }, nights: {} } }],
      malformed("an object with the keys city, nights"),
    ],
    [
      "with properties that are a list",
      [{ ...look, parameters: { type: "object", properties: ["city"] } }],
      malformed("without an object of properties"),
    ],
    [
      "with a schema that its library cannot convert",
      [{ ...look, parameters: v.object({ city: v.string() }) }],
      'The parameters of tool "look" are a schema of valibot, which does not describe itself as JSON Schema. Write ' +
        "createToolParameters(schema, toJsonSchema), with toJsonSchema of @valibot/to-json-schema",
    ],
    [
      "with a schema that JSON Schema cannot express",
      [{ ...look, parameters: z.object({ at: z.date() }) }],
      'The parameters of tool "look" cannot be written as JSON Schema: Date cannot be represented in JSON Schema (property "at"). Write what JSON can hold',
    ],
    [
      "with the name of another tool",
      [look, { ...look }],
      'Two tools have the name "look". A model calls a tool by its name: rename one.',
    ],
    ["without a name", [look, { ...look, name: undefined }], "tools[1] has no name."],
    ["that is missing", [undefined], "tools[0] must be a tool, but it is undefined."],
    ["instead of a list of tools", look, "tools must be a list of tools, but it is an object."],
  ];

  function malformed(given: string): string {
    return `The parameters of tool "look" must be the JSON Schema of an object, such as Type.Object({ city: Type.String() }), but they are ${given}.`;
  }

  test.each(cases)("is rejected where it is passed: %s", async (_, tools, text) => {
    const { agent } = createAgent();
    const streamFn = createScriptedStreamFn([]);
    const context = { systemPrompt: "", messages: [], tools: untyped(tools) };
    const config = { model: MODEL, convertToLlm: () => [] };
    expect(() => new Agent({ initialState: { tools: untyped(tools) } })).toThrow(text);
    // The state takes what a user interface may show. The run refuses it.
    const assign = async (): Promise<void> => {
      agent.state.tools = untyped(tools);
      await agent.prompt("Hi");
    };
    await expect(assign()).rejects.toThrow(text);
    expect(() => agentLoop([], context, config, undefined, streamFn)).toThrow(text);
    await expect(runAgentLoop([], context, config, () => {}, undefined, streamFn)).rejects.toThrow(text);
    expect(streamFn.calls).toEqual([]);
  });

  test("can be assigned to the state, which holds a copy of the list", () => {
    const { agent } = createAgent();
    const tools = untyped([{ name: "look", description: "a double" }]);
    agent.state.tools = tools;
    expect(agent.state.tools).toEqual(tools);
    expect(agent.state.tools).not.toBe(tools);
  });

  test("is rejected at the next run if it was pushed into the state", async () => {
    const { agent } = createAgent({ initialState: { tools: [look] } });
    agent.state.tools.push(look);
    await expect(agent.prompt("Hi")).rejects.toThrow('Two tools have the name "look".');
    agent.state.tools.pop();
    await agent.prompt("Hi");
    expect(agent.state.messages).toHaveLength(2);
  });

  test("does not compile", () => {
    const { execute: _execute, ...idle } = look;
    const { parameters: _parameters, ...loose } = look;
    // @ts-expect-error no execute
    expect(() => new Agent({ initialState: { tools: [idle] } })).toThrow();
    // @ts-expect-error no parameters
    expect(() => new Agent({ initialState: { tools: [loose] } })).toThrow();
  });
});

describe("optional parts of a tool", () => {
  test("are its label and the details of its result", async () => {
    const plain = defineTool({
      name: "look",
      description: "",
      parameters: Type.Object({}),
      execute: async () => ({ content: [{ type: "text", text: "sunny" }] }),
    });
    const annotated: AgentTool = { ...look, name: "annotated" };
    // @ts-expect-error typed details are required
    const detailed: AgentTool<object, { hours: number }> = { ...look, execute: async () => ({ content: [] }) };
    const { agent } = createAgent({ initialState: { tools: [plain, annotated, { ...detailed, name: "detailed" }] } }, [
      fauxAssistantMessage(fauxToolCall("look", {})),
      fauxAssistantMessage("It is sunny."),
    ]);
    await agent.prompt("Hi");
    expect(agent.state.messages[2]).toMatchObject({
      role: "toolResult",
      content: [{ type: "text", text: "sunny" }],
      isError: false,
    });
  });
});

describe("a schema of another library as parameters", () => {
  const calls = (): ReturnType<typeof fauxAssistantMessage>[] => [
    fauxAssistantMessage(fauxToolCall("book", { city: "Oslo", nights: "2" })),
    fauxAssistantMessage("Done"),
  ];

  test.each<[string, () => { tool: AnyAgentTool; seen: unknown[] }]>([
    [
      "Zod",
      () => {
        const seen: unknown[] = [];
        const tool = defineTool({
          name: "book",
          description: "",
          parameters: z.object({ city: z.string(), nights: z.int().optional() }),
          execute: async (_id, args) => {
            expectTypeOf(args).toEqualTypeOf<{ city: string; nights?: number | undefined }>();
            seen.push(args);
            return { content: [] };
          },
        });
        return { tool, seen };
      },
    ],
    [
      "ArkType",
      () => {
        const seen: unknown[] = [];
        const parameters = type({ city: "string", "nights?": "number.integer" });
        const tool: AgentTool<typeof parameters> = {
          name: "book",
          description: "",
          parameters,
          execute: async (_id, args) => {
            expectTypeOf(args).toEqualTypeOf<{ city: string; nights?: number }>();
            seen.push(args);
            return { content: [] };
          },
        };
        return { tool, seen };
      },
    ],
  ])("is sent as JSON Schema and validates the arguments: %s", async (_, create) => {
    const { tool, seen } = create();
    const { agent, contexts } = createAgent({ initialState: { tools: [tool] } }, calls());
    await agent.prompt("Hi");
    expect(seen).toEqual([{ city: "Oslo", nights: 2 }]);
    expect(JSON.parse(JSON.stringify(contexts()[0]?.tools))).toMatchObject([
      { name: "book", parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } },
    ]);
  });

  test("crosses a relay as JSON Schema", async () => {
    const bodies: string[] = [];
    const fetch = async (_url: unknown, init?: { body?: unknown }): Promise<Response> => {
      bodies.push(String(init?.body));
      return new Response("", { status: 400 });
    };
    const tools = [{ name: "book", description: "", parameters: z.object({ city: z.string() }) }];
    const options = { proxyUrl: "https://relay.test", authToken: "token", fetch };
    await streamProxy(MODEL, { messages: [], tools }, options).result();
    expect(bodies.map((body) => JSON.parse(body))).toMatchObject([
      { context: { tools: [{ parameters: { type: "object", properties: { city: { type: "string" } } } }] } },
    ]);
  });
});

describe("a listener that throws on every event", () => {
  const failing = (event: AgentEvent): void => {
    throw new Error(`no ${event.type}`);
  };

  test("is reported in full once, then counted at the end of each run", async () => {
    const reported = vi.spyOn(console, "error").mockImplementation(() => {});
    const { agent } = createAgent({}, [fauxAssistantMessage("One"), fauxAssistantMessage("Two")]);
    let events = 0;
    agent.subscribe(() => void events++);
    agent.subscribe(failing);
    agent.subscribe(async (event) => {
      if (event.type === "agent_start") throw new Error("another");
    });
    await agent.prompt("Hi");
    expect(reported.mock.calls).toEqual([
      ["A listener of the agent failed at agent_start:", new Error("no agent_start")],
      ["A listener of the agent failed at agent_start:", new Error("another")],
      [`A listener of the agent failed ${events - 1} times more, last at agent_end: Error: no agent_end`],
    ]);
    reported.mockClear();
    events = 0;
    await agent.prompt("Hi");
    expect(reported.mock.calls).toEqual([
      [`A listener of the agent failed ${events} times more, last at agent_end: Error: no agent_end`],
      ["A listener of the agent failed once more, last at agent_start: Error: another"],
    ]);
  });

  test("is passed to onListenerError each time", async () => {
    const reported = vi.spyOn(console, "error").mockImplementation(() => {});
    const errors: string[] = [];
    const { agent } = createAgent({ onListenerError: (_error, event) => errors.push(event.type) });
    const events: string[] = [];
    agent.subscribe((event) => void events.push(event.type));
    agent.subscribe(failing);
    await agent.prompt("Hi");
    expect(errors).toEqual(events);
    expect(reported).not.toHaveBeenCalled();
  });
});

test("shows no key that a stream function quotes when it throws", async () => {
  const key = "the-key-of-the-user";
  const agent = new Agent({
    getApiKey: () => key,
    streamOptions: { headers: { authorization: "Bearer key-in-a-header" } },
    streamFn: () => {
      throw new Error(`rejected: ${key}, key-in-a-header`);
    },
    initialState: { model: MODEL },
  });
  await agent.prompt("Hi");
  expect(agent.state.errorMessage).toBe("rejected: [redacted], [redacted]");
});
describe("an error names the argument and the position", () => {
  const place = (index: number, content: unknown) => [
    ...Array.from({ length: index }, () => ({ role: "user", content: "Hi" })),
    { role: "user", content },
  ];

  test.each([
    [undefined, "content must be a string or a list of blocks, not undefined"],
    [5, "content must be a string or a list of blocks, not 5"],
    [[{ text: "Hi" }], "content[0].type must be a string, not undefined"],
    [[{ type: "text", content: "Hi" }], "content[0].text must be a string, not undefined"],
    [[{ type: "text", text: "Hi" }, "Hi"], 'content[1] must be an object, not "Hi"'],
  ])("of a message with the content %j", async (content, text) => {
    const { agent } = createAgent();
    const messages = untyped(place(3, content));
    const initialState = { messages };
    expect(() => new Agent({ initialState })).toThrow(new TypeError(`initialState.messages[3].${text}`));
    expect(() => (agent.state.messages = messages)).toThrow(new TypeError(`messages[3].${text}`));
    await expect(agent.prompt(messages)).rejects.toThrow(new TypeError(`messages[3].${text}`));
    await expect(agent.prompt(untyped({ role: "user", content }))).rejects.toThrow(new TypeError(`message.${text}`));
    expect(() => agent.steer(untyped({ role: "user", content }))).toThrow(new TypeError(`message.${text}`));
    const config = { model: MODEL, convertToLlm: () => [] };
    const context = { systemPrompt: "", messages: [] };
    await expect(runAgentLoop(messages, context, config, () => {})).rejects.toThrow(
      new TypeError(`prompts[3].${text}`),
    );
    const result = await agentLoop(messages, context, config).result();
    expect(result.at(-1)).toMatchObject({ stopReason: "error", errorMessage: `prompts[3].${text}` });
  });

  test("of a list that is none, and of subscribe without a function", () => {
    const { agent } = createAgent();
    expect(() => (agent.state.messages = untyped("Hi"))).toThrow('messages must be a list of messages, not "Hi"');
    expect(() => agent.subscribe(untyped(undefined))).toThrow(
      new TypeError("The listener that subscribe receives must be a function, not undefined"),
    );
  });

  test("of a schema that contains itself", () => {
    const city: Record<string, unknown> = { type: "object", properties: {} };
    city["properties"] = { twin: { anyOf: [{ type: "null" }, city] } };
    const shared = { type: "string" };
    const parameters = { type: "object", properties: { from: shared, to: shared, city } };
    expect(() => new Agent({ initialState: { tools: [{ ...look, parameters: untyped(parameters) }] } })).toThrow(
      new TypeError(
        'The parameters.properties.city.properties.twin.anyOf.1 of tool "look" contain themselves, so they are no JSON Schema. Use a $ref.',
      ),
    );
  });

  test.each([
    ["parameters", 'tool "look", parameters'],
    ["parameters.properties", 'tool "look", parameters.properties'],
    ["description", 'tool "look", description'],
    ["execute", 'tool "look", execute'],
    ["name", "tools[0], name"],
  ])("of a getter that throws: %s", (path, place) => {
    const tool = { ...look };
    const [field = "", inner] = path.split(".");
    const thrower = (name: string) =>
      Object.defineProperty({ type: "object" }, name, {
        enumerable: true,
        get: () => {
          throw new RangeError("not loaded");
        },
      });
    if (inner) Object.assign(tool, { [field]: thrower(inner) });
    else Object.defineProperty(tool, field, { ...Object.getOwnPropertyDescriptor(thrower("a"), "a") });
    expect(() => new Agent({ initialState: { tools: [tool] } })).toThrow(
      new TypeError(`In ${place} cannot be read: not loaded. Write plain values.`),
    );
  });
});

test("a tool that returns what JSON cannot hold warns the developer once", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const texted = { ...look, name: "texted", execute: untyped(async () => ({ size: 5n })) };
  const call = (): ReturnType<typeof fauxAssistantMessage> =>
    fauxAssistantMessage(fauxToolCall("texted", { city: "Oslo" }));
  const { agent } = createAgent({ initialState: { tools: [texted] } }, [call(), call(), fauxAssistantMessage("Done")]);
  await agent.prompt("Hi");
  expect(agent.state.messages.filter(({ role }) => role === "toolResult")).toMatchObject([
    { isError: true },
    { isError: true },
  ]);
  expect(warn.mock.calls).toEqual([
    [
      "Tool texted returned a value with a bigint. Return String(value). A tool returns a string, a JSON value or { content }.",
    ],
  ]);
});

test.each<[returned: unknown, text: string]>([
  [Buffer.from("a"), "a Buffer. Return an image or file block, or base64 text"],
  [{ file: Buffer.from("a") }, "a Buffer. Return an image or file block, or base64 text"],
  [(function* () {})(), "a Generator, whose JSON is empty"],
  [(async function* () {})(), "an AsyncGenerator. Report progress with onUpdate, and return the result"],
])("a tool that returns what the model cannot read: %o", async (returned, text) => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  expect(await resultOf(untyped(async () => returned))).toMatchObject({
    isError: true,
    content: [{ text: `Tool look did not return a result: it returned ${text}` }],
  });
});

test("a tool that says that it has failed, as results of MCP do", async () => {
  const content = [{ type: "text" as const, text: "no luck" }];
  expect(await resultOf(async () => ({ content, isError: true }))).toMatchObject({ isError: true, content });
  expect(await resultOf(async () => ({ content, isError: false }))).toMatchObject({ isError: false, content });
});

async function resultOf(execute: AnyAgentTool["execute"]): Promise<unknown> {
  const call = fauxAssistantMessage(fauxToolCall("look", { city: "Oslo" }));
  const { agent } = createAgent({ initialState: { tools: [{ ...look, execute }] } }, [
    call,
    fauxAssistantMessage("Done"),
  ]);
  await agent.prompt("Hi");
  return agent.state.messages.find(({ role }) => role === "toolResult");
}

test.each([
  [{ code: "E_LIMIT" }, "failed without a message (Object)", "E_LIMIT"],
  [{ code: 42, message: "Too many" }, "Too many", 42],
  [Object.assign(new Error("no such file"), { code: "ENOENT" }), "no such file", "ENOENT"],
])("what a tool throws keeps its code: %o", async (thrown, text, code) => {
  const failing: AnyAgentTool = { ...look, execute: () => Promise.reject(thrown) };
  const { agent } = createAgent({ initialState: { tools: [failing] } }, [
    fauxAssistantMessage(fauxToolCall("look", { city: "Oslo" })),
    fauxAssistantMessage("Done"),
  ]);
  await agent.prompt("Hi");
  expect(agent.state.messages[2]).toMatchObject({ isError: true, content: [{ text }], details: { code } });
});

test("an agent with a clock has the same transcript in each run", async () => {
  const run = async (): Promise<string> => {
    let time = 1000;
    const slow: AnyAgentTool = {
      ...look,
      execute: async () => {
        time += 250;
        return { content: [] };
      },
    };
    const { agent } = createAgent(
      { now: () => time, initialState: { tools: [slow], messages: ["Before"].map(untyped) } },
      [
        fauxAssistantMessage(fauxToolCall("look", { city: "Oslo" }, { id: "1" }), { timestamp: 1 }),
        fauxAssistantMessage("Done", { timestamp: 1 }),
      ],
    );
    await agent.prompt("Hi");
    const [before, prompt, , result] = agent.state.messages;
    expect([before?.timestamp, prompt?.timestamp, result?.timestamp]).toEqual([1000, 1000, 1250]);
    expect(result).toMatchObject({ durationMs: 250 });
    return JSON.stringify(agent.state.messages);
  };
  expect(await run()).toBe(await run());
});

test("images of a prompt that are no list are refused where they are passed", async () => {
  const agent = new Agent({ initialState: { model: MODEL }, streamFn: createScriptedStreamFn([]) });
  await expect(agent.prompt("Hi", untyped("data:image/png;base64,"))).rejects.toThrow(
    'images must be a list such as [{ type: "image", data, mimeType }], not "data:image/png;base64,"',
  );
  expect(agent.state.messages).toEqual([]);
});
