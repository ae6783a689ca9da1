/** Mistakes that would vanish without a word: each throws where it is written, and names the place and the fix. */
import { Agent, type AgentMessage, agentLoop, defineTool } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { createMemoryEventStore, publish } from "pi-agent/event-store";
import { Budget, limits, sumUsage } from "pi-agent/limits";
import { trace } from "pi-agent/otel";
import { createRunResponse } from "pi-agent/sse";
import { toolSearch } from "pi-agent/tool-search";
import { toUIMessageStream } from "pi-agent/ui-stream";
import { type AssistantMessage, complete, getModel, type Message, messageText } from "pi-ai";
import { route } from "pi-ai/route";
import { createScriptedStreamFn, fauxAssistantMessage, fauxToolCall } from "pi-ai/testing";
import { describe, expect, test } from "vitest";

const MODEL = getModel("anthropic", "claude-sonnet-4-6");

/** Values as plain JavaScript passes them. */
const untyped = (value: unknown): never => value as never;

function withParameters(parameters: object): Agent {
  const tool = { name: "look", description: "Looks.", parameters, execute: async () => "sunny" };
  return new Agent({ initialState: { model: MODEL, tools: [tool] } });
}

describe("at construction", () => {
  test.each<[string, () => unknown, string]>([
    [
      "a trace without the API of OpenTelemetry",
      () => trace(untyped(undefined)),
      'trace needs OpenTelemetry: trace({ api }), with import * as api from "@opentelemetry/api", or createChannelApi() of pi-ai/otel',
    ],
    [
      "a promise of middleware",
      () => new Agent({ middleware: [untyped(Promise.resolve(limits({ budget: { usd: 1 } })))] }),
      "middleware[0] is a promise. Wait for it: [await …]",
    ],
    [
      "what is no middleware",
      () => new Agent({ middleware: [untyped({ name: "mine" })] }),
      "middleware[0] must have a name and a function begin, such as limits({ ... })",
    ],
    [
      "a limit one level too high",
      () => limits(untyped({ usd: 1 })),
      "usd is not an option of limits. Write limits({ budget: { usd } })",
    ],
    [
      "a limit by another library's name",
      () => limits(untyped({ maxTurns: 5 })),
      "maxTurns is not an option of limits. Write limits({ budget: { turns } })",
    ],
    [
      "an option of the loops one level too high",
      () => limits(untyped({ repeats: 5 })),
      "repeats is not an option of limits. Write limits({ loops: { repeats } })",
    ],
    [
      "a budget by another library's name",
      () => limits({ budget: untyped({ maxCostUsd: 5 }) }),
      'Unknown option "budget.maxCostUsd": did you mean "budget.usd"?',
    ],
    [
      "a level of thinking that does not exist among the options of requests",
      () => new Agent({ streamOptions: untyped({ reasoning: "hihg" }) }),
      'streamOptions.reasoning must be one of "off", "minimal", ',
    ],
    [
      "a tool without execute",
      () => defineTool(untyped({ name: "look", description: "", parameters: {} })),
      'Tool "look" has no execute function.',
    ],
    [
      "tools for the options of a search",
      () => toolSearch(untyped([])),
      "The options must be an object of options, not a list",
    ],
    ["a budget of nothing", () => new Budget(untyped(undefined)), "budget must be an object of options, not undefined"],
    [
      "an agent for messages",
      () => sumUsage(untyped(new Agent())),
      "The argument of sumUsage must be a list, not an object",
    ],
    [
      "an agent for the store that publishes",
      () => publish(untyped(new Agent()), "run"),
      "The store of events must be one such as createMemoryEventStore() returns, not an object",
    ],
    [
      "a run to publish without an id",
      () => publish(createMemoryEventStore(), untyped(undefined)),
      "The run id of publish must be a string or a function, not undefined",
    ],
    [
      "an agent for the store of a page",
      () => createRunResponse(untyped(new Agent()), "run"),
      "The store of events must be one such as",
    ],
    [
      "nothing for the agent of a page",
      () => toUIMessageStream(untyped(undefined)),
      "The source must be an agent, or the events of a run",
    ],
    [
      "a misspelled option of a route",
      () => route([MODEL], untyped({ firstEventMS: 3 })),
      'route: unknown option "firstEventMS". Did you mean "firstEventMs"?',
    ],
    [
      "a type that JSON Schema does not have",
      () => withParameters({ type: "object", properties: { days: { type: "int" } } }),
      'The parameters of tool "look" are no JSON Schema. At parameters.properties.days: "type" is "int", and must be one of ' +
        "null, boolean, object, array, number, string, integer.",
    ],
    [
      "a name where a list of names belongs",
      () => withParameters({ type: "object", properties: { n: {} }, required: "n" }),
      'The parameters of tool "look" are no JSON Schema. At parameters: "required" is "n", and must be a list of names.',
    ],
    [
      "a mistake in a list of schemas",
      () => withParameters({ type: "object", properties: { a: { anyOf: [{ type: "string" }, { type: "float" }] } } }),
      'At parameters.properties.a.anyOf.1: "type" is "float"',
    ],
  ])("%s", (_, make, text) => {
    expect(make).toThrow(text);
  });

  test("schemas with old forms of no required property, and with data that looks like a keyword, are taken", () => {
    withParameters({
      type: "object",
      properties: { type: { type: ["string", "null"] }, required: { type: "string" } },
    });
    withParameters({ type: "object", properties: { a: { type: "string", required: true, default: { type: "int" } } } });
  });
});

test("a level of thinking that does not exist ends the run that a hook gives it to", async () => {
  const agent = new Agent({
    initialState: { model: MODEL },
    streamFn: createScriptedStreamFn(["Hello"]),
    prepareNextTurn: () => untyped({ thinkingLevel: "hihg" }),
  });
  await agent.prompt("Hi");
  expect(agent.state.errorMessage).toContain('thinkingLevel must be one of "off", "minimal", ');
});

describe("what a hook returns and nothing would read", () => {
  const look = { name: "look", description: "Looks.", parameters: {}, execute: async () => "sunny" };
  /** The text of the call's result, else of the run's error. */
  const outcome = async (options: object): Promise<string> => {
    const streamFn = createScriptedStreamFn([fauxToolCall("look"), "done"]);
    const agent = new Agent({ streamFn, ...options, initialState: { model: MODEL, tools: [look] } });
    await agent.prompt("Hi");
    const result = agent.state.messages.find(({ role }) => role === "toolResult");
    return agent.state.errorMessage ?? JSON.stringify(Object(result).content);
  };
  const ask = (answer: unknown) => ({ middleware: [approvals({ ask: async () => untyped(answer) })] });
  const begin = (hooks: unknown) => ({ middleware: [{ name: "mine", begin: () => untyped(hooks) }] });

  test.each<[options: object, text: string]>([
    [{ beforeToolCall: async () => false }, "beforeToolCall returned false. Return nothing or { block, reason }"],
    [{ beforeToolCall: async () => ({ blocked: true }) }, "beforeToolCall returned the unknown field"],
    [{ afterToolCall: async () => ({ result: "x" }) }, "afterToolCall returned the unknown field"],
    [{ prepareNextTurn: () => ({ model: "x" }) }, 'The argument "model" must be a model object'],
    [ask(undefined), "ask of approvals must return { approved: true } or { approved: false, reason }, not undefined"],
    [ask({ approve: true }), "ask of approvals must return"],
    [ask("yes"), "ask of approvals must return"],
    [begin(Promise.resolve({})), 'begin of the middleware "mine" returned a promise'],
    [begin({ beforeTool() {} }), 'The middleware "mine" has no hook "beforeTool": did you mean "beforeTools"?'],
    [begin({ beforeToolCall: true }), 'The hook beforeToolCall of the middleware "mine" must be a function, not true'],
    [begin({ prepareNextTurn() {} }), "prepareNextTurn is no hook of middleware. Write new Agent({ prepareNextTurn })"],
  ])("is refused: %#", async (options, text) => expect(await outcome(options)).toContain(text));

  test.each([undefined, null, true])("%s lets the tool run", async (nothing) => {
    expect(await outcome({ beforeToolCall: async () => nothing, afterToolCall: async () => nothing })).toContain(
      "sunny",
    );
  });
});

test("approvals without a way to ask name the three, also where they are set later", async () => {
  const text = "approvals needs `ask`, `pause: true`, or a durable run whose engine has waitFor";
  const middleware = [approvals({ when: () => true })];
  const options = { initialState: { model: MODEL }, streamFn: createScriptedStreamFn([]) };
  expect(() => new Agent({ ...options, middleware })).toThrow(text);
  const agent = Object.assign(new Agent(options), { middleware });
  await agent.prompt("Hi");
  expect(agent.state.errorMessage).toBe(text);
});

test.each([
  [
    { role: "user", parts: [{ type: "text", text: "Hi" }] },
    'context.messages[0] has `parts` instead of content. Write content: "…", or a list of blocks.',
  ],
  [{ role: "user" }, 'context.messages[0] has no content. Write content: "…", or a list of blocks.'],
  [{ role: "user", content: null, timestamp: 1 }, "context.messages[0] has no content."],
])("a message without content is not left out: %j", async (message, text) => {
  const ask = async (): Promise<unknown> => complete(MODEL, { messages: [untyped(message)] }, { apiKey: "key" });
  const failed = await ask().then(
    (answer) => String(Object(answer).errorMessage),
    (error: Error) => error.message,
  );
  expect(failed).toContain(text);
});

describe("the promise of a run", () => {
  const text = async (agent: Agent, run: Promise<AssistantMessage>): Promise<string> => {
    const response = await run;
    expect(response).toBe(agent.state.messages.findLast(({ role }) => role === "assistant"));
    return messageText(response);
  };

  test("is the last response, and stays one of nothing for functions that are declared so", async () => {
    const streamFn = createScriptedStreamFn([fauxToolCall("look", {}), "Sunny.", "Warm."]);
    const tool = { name: "look", description: "Looks.", parameters: {}, execute: async () => "sun" };
    const agent = new Agent({ streamFn, initialState: { model: MODEL, tools: [tool] } });
    expect(await text(agent, agent.prompt("Weather?"))).toBe("Sunny.");
    const say = (message: string): Promise<void> => agent.prompt(message);
    await say("And?");
    expect(agent.state.messages.length).toBe(6);
  });

  test("is the response that failed", async () => {
    const agent = new Agent({
      streamFn: createScriptedStreamFn([fauxAssistantMessage("", { stopReason: "error", errorMessage: "no luck" })]),
      initialState: { model: MODEL },
    });
    const response = await agent.prompt("Hi");
    expect([response.stopReason, response.errorMessage]).toEqual(["error", "no luck"]);
  });

  test("is what a continued run says", async () => {
    const agent = new Agent({ streamFn: createScriptedStreamFn(["one", "two"]), initialState: { model: MODEL } });
    agent.state.messages = [{ role: "user", content: "Hi" }];
    expect(await text(agent, agent.continue())).toBe("one");
    await expect(agent.continue()).rejects.toThrow("use agent.resume()");
    agent.followUp("More");
    expect(await text(agent, agent.continue())).toBe("two");
  });
});

test("a fixed clock makes a scripted run the same each time, with its ids, times and events", async () => {
  const play = async (): Promise<string> => {
    const streamFn = createScriptedStreamFn([
      [fauxToolCall("look"), fauxToolCall("look")],
      fauxToolCall("look"),
      "Sunny.",
    ]);
    const tool = { name: "look", description: "Looks.", parameters: {}, execute: async () => "sun" };
    const agent = new Agent({ streamFn, now: () => 0, initialState: { model: MODEL, tools: [tool] } });
    const events: unknown[] = [];
    agent.subscribe((event) => void events.push(event.type === "message_update" ? event.message : event));
    await agent.prompt("Weather?");
    expect(agent.state.messages.map(({ timestamp }) => timestamp)).toEqual([0, 0, 0, 0, 0, 0, 0]);
    return JSON.stringify([agent.state.messages, events]);
  };
  expect(await play()).toBe(await play());
});

test("prompts of the loop need no timestamp", async () => {
  const config = { model: MODEL, convertToLlm: (messages: AgentMessage[]) => messages as Message[], now: () => 7 };
  const context = { systemPrompt: "", messages: [] };
  const stream = agentLoop(
    [{ role: "user", content: "Hi" }],
    context,
    config,
    undefined,
    createScriptedStreamFn(["Ho"]),
  );
  expect(await stream.result()).toMatchObject([{ role: "user", content: "Hi", timestamp: 7 }, { timestamp: 7 }]);
});
