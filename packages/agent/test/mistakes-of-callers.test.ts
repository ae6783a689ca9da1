/** Mistakes that a caller makes with names, forms and places: each throws where it is written, with the fix. */
import { Agent, agentLoop, defineTool } from "pi-agent";
import { fromAgUiMessages } from "pi-agent/ag-ui";
import { subscribeEmbedded } from "pi-agent/embed";
import { createMemoryEventStore, publish, type RunEvent } from "pi-agent/event-store";
import { mcpTools } from "pi-agent/mcp";
import { jsonlSessions } from "pi-agent/session";
import { fromUIMessages, readUIApprovals, toUIMessageStream, uiMessageResponse } from "pi-agent/ui-stream";
import { complete, getModel, Type } from "pi-ai";
import { route } from "pi-ai/route";
import { createScriptedStreamFn } from "pi-ai/testing";
import { describe, expect, test, vi } from "vitest";

const MODEL = getModel("anthropic", "claude-sonnet-4-6");

/** Values as plain JavaScript passes them. */
const untyped = (value: unknown): never => value as never;
const agentOf = (options: object = {}): Agent =>
  new Agent(untyped({ streamFn: createScriptedStreamFn(["Hello"]), ...options }));
const createAgent = (initialState: object = {}): Agent => agentOf({ initialState: { model: MODEL, ...initialState } });

describe("options by another name", () => {
  test.each<[given: object, meant: string]>([
    [{ apikey: "key" }, "streamOptions.apiKey"],
    [{ system: "Be brief." }, "initialState.systemPrompt"],
    [{ instructions: "Be brief." }, "initialState.systemPrompt"],
    [{ systemprompt: "Be brief." }, "initialState.systemPrompt"],
    [{ tool: [] }, "initialState.tools"],
    [{ modle: MODEL }, "initialState.model"],
    [{ message: [] }, "initialState.messages"],
    [{ reasoningEffort: "high" }, "initialState.thinkingLevel"],
    [{ reasoning_effort: "high" }, "initialState.thinkingLevel"],
    [{ maxSteps: 3 }, "maxTurns"],
    [{ max_tokens: 3 }, "streamOptions.maxTokens"],
    [{ signal: AbortSignal.timeout(0) }, "agent.abort()"],
    [{ onEvent: () => {} }, "agent.subscribe()"],
    [{ prompt: "Hi" }, "agent.prompt()"],
    [{ beforeToolcall: () => {} }, "beforeToolCall"],
  ])("of an agent are refused with the right place: %o", (given, meant) => {
    expect(() => agentOf(given)).toThrow(
      new TypeError(`Unknown option "${Object.keys(given)[0]}": did you mean "${meant}"?`),
    );
  });

  test.each<[given: object, meant: string]>([
    [{ system: "Be brief." }, "initialState.systemPrompt"],
    [{ reasoning: "high" }, "initialState.thinkingLevel"],
    [{ apiKey: "key" }, "streamOptions.apiKey"],
    [{ middleware: [] }, "middleware"],
  ])("of its state, too: %o", (given, meant) => {
    const text = `Unknown option "initialState.${Object.keys(given)[0]}": did you mean "${meant}"?`;
    expect(() => createAgent(given)).toThrow(new TypeError(text));
  });

  test("that are like none are refused with the list", () => {
    expect(() => agentOf({ foo: 1 })).toThrow(/^Unknown option "foo". The options are initialState, streamFn, /);
  });

  test("of the loop end its run", async () => {
    const config = untyped({ model: MODEL, convertToLlm: () => [], apikey: "key" });
    const context = { systemPrompt: "", messages: [] };
    const run = agentLoop([{ role: "user", content: "Hi" }], context, config, undefined, createScriptedStreamFn([]));
    expect((await run.result()).at(-1)).toMatchObject({
      errorMessage: 'Unknown option "apikey": did you mean "apiKey"?',
    });
  });

  test.each([
    [{ system: [{ type: "text", text: "Be brief." }] }, "The context has `system`. Write systemPrompt."],
    [{ systemprompt: "Be brief." }, "The context has `systemprompt`. Write systemPrompt."],
    [{ instructions: "Be brief." }, "The context has `instructions`. Write systemPrompt."],
    [{ tool: [] }, "The context has `tool`. Write tools."],
    [{ messages: undefined, prompt: "Hi" }, "The context has `prompt`. Write messages."],
  ])("of a context end the request: %o", async (given, text) => {
    const context = untyped({ messages: [{ role: "user", content: "Hi" }], ...given });
    expect((await complete(MODEL, context, { apiKey: "key" })).errorMessage).toContain(text);
  });
});

describe("prompts that no model would read", () => {
  const block = (given: object): unknown => ({ role: "user", content: [{ type: "text", text: "See" }, given] });
  const png = { type: "image", mimeType: "image/png" };
  const pdf = { type: "file", mimeType: "application/pdf" };
  const data = 'message.content[1].data must be base64, such as buffer.toString("base64"), not ';

  test.each<[prompt: unknown, text: string]>([
    ["", "message is empty. Write text, or call agent.continue()."],
    [" \n", "message is empty."],
    [["Hi", ""], "messages[1] is empty."],
    [{ role: "user", content: [] }, "message is empty."],
    [{ role: "tool", content: "42" }, 'message has the role "tool". Write "toolResult".'],
    [{ role: "model", content: "Hi" }, 'message has the role "model". Write "assistant".'],
    [[{ role: "User", content: "Hi" }], 'messages[0] has the role "User". Write "user".'],
    [block(png), `${data}undefined`],
    [block({ ...png, url: "https://example.com/a.png" }), `${data}undefined`],
    [block({ ...png, data: Buffer.from("a") }), `${data}an object`],
    [block({ ...png, data: "" }), `${data}""`],
    [block({ ...pdf, data: new Uint8Array(3) }), `${data}an object`],
    [block({ type: "image", data: "iVBO" }), "message.content[1].mimeType must be a string, not undefined"],
    [block({ ...pdf, path: "a.pdf" }), "message.content[1] must be data, url or fileId, not an object"],
  ])("are refused: %o", async (prompt, text) => {
    const agent = createAgent();
    await expect(agent.prompt(untyped(prompt))).rejects.toThrow(TypeError);
    await expect(agent.prompt(untyped(prompt))).rejects.toThrow(text);
    if (!Array.isArray(prompt)) expect(() => agent.steer(untyped(prompt))).toThrow(text);
    expect(agent.state.messages).toEqual([]);
  });

  test.each<[prompt: unknown]>([
    [{ role: "note", text: "of the application" }],
    [{ role: "assistant", content: [] }],
    [block({ ...png, data: "iVBO" })],
    [block({ ...png, data: "data:image/png;base64,iVBO" })],
    [block({ ...pdf, url: "https://example.com/a.pdf" })],
    [block({ ...pdf, fileId: "file-1" })],
  ])("others are taken: %o", async (prompt) => {
    const agent = createAgent();
    await agent.prompt(untyped(prompt));
    expect(agent.state.errorMessage).toBeUndefined();
  });

  test("a role that the application converts itself is its own", async () => {
    const agent = agentOf({
      initialState: { model: MODEL },
      convertToLlm: () => [{ role: "user", content: "Hi", timestamp: 1 }],
    });
    await agent.prompt(untyped({ role: "tool", text: "42" }));
    expect(agent.state.messages).toMatchObject([{ role: "tool" }, { role: "assistant" }]);
  });

  test("a picture alone is a prompt, and gaps of what is stored are left", async () => {
    const agent = createAgent({
      messages: [
        { role: "user", content: "" },
        { role: "user", content: [{ type: "image" }] },
      ],
    });
    await agent.prompt("", [{ type: "image", data: "iVBO", mimeType: "image/png" }]);
    expect(agent.state.messages).toHaveLength(4);
  });
});

describe("execute with the arguments first", () => {
  const parameters = Type.Object({ city: Type.String() });
  const text = 'Tool "look" takes the arguments second. Write execute: async (toolCallId, args) => ….';

  test.each<[source: string]>([
    ["async ({ city }) => city"],
    ["({ city }) => city"],
    ["async (args) => args.city"],
    ["args => args.city"],
    ["async function ({ city }, { signal }) { return city; }"],
    ["function execute(input) { return input.city; }"],
  ])("is refused where it can be seen: %s", (source) => {
    const execute = new Function(`return ${source}`)();
    expect(() => defineTool({ name: "look", description: "", parameters, execute })).toThrow(new TypeError(text));
    expect(() => createAgent({ tools: [{ name: "look", description: "", parameters, execute }] })).toThrow(text);
  });

  test("is seen in a method", () => {
    const { execute } = {
      async execute({ city }: { city: string }) {
        return city;
      },
    };
    expect(() => defineTool(untyped({ name: "look", description: "", parameters, execute }))).toThrow(text);
  });

  test.each<[source: string]>([
    ["async () => 'sunny'"],
    ["id => id"],
    ["async (myargs) => myargs"],
    ["(...args) => args.length"],
    ["async (_id, { city }) => city"],
    ["async (inputId, input) => input.city"],
    ["function (id, args) { return args.city; }"],
    ["String.bind(null)"],
  ])("others are taken: %s", (source) => {
    defineTool({ name: "look", description: "", parameters, execute: new Function(`return ${source}`)() });
  });
});

describe("the wrong thing for an argument", () => {
  const body = { id: "chat", messages: [{ id: "1", role: "user", parts: [{ type: "text", text: "Hi" }] }] };
  const client = { listTools: async () => ({ tools: [] }), callTool: async () => ({}) };
  const routed =
    (targets: unknown, options: unknown = {}) =>
    () =>
      route(untyped(targets), untyped(options));
  const source = "The source of subscribeEmbedded must be an agent, not ";

  test.each<[call: () => unknown, text: string]>([
    [
      () => fromUIMessages(untyped(body)),
      "fromUIMessages takes the list of messages. Write fromUIMessages(body.messages).",
    ],
    [() => fromUIMessages(untyped(JSON.stringify(body))), "fromUIMessages takes the list of messages."],
    [() => readUIApprovals(untyped(body)), "readUIApprovals takes the list of messages."],
    [() => fromAgUiMessages(untyped(body)), "fromAgUiMessages takes the list of messages."],
    [() => subscribeEmbedded(untyped(undefined)), `${source}undefined`],
    [() => subscribeEmbedded(untyped({})), `${source}an object`],
    [() => subscribeEmbedded(new Agent(), untyped({ onReply: () => {} })), 'Unknown option "onReply"'],
    [() => subscribeEmbedded(new Agent(), untyped({ onBlockreply: () => {} })), 'did you mean "onBlockReply"?'],
    [
      () => subscribeEmbedded(new Agent(), untyped({ onBlockReply: true })),
      "onBlockReply must be a function, not true",
    ],
    [
      () => jsonlSessions(untyped(undefined)),
      'The folder of jsonlSessions must be a path such as "./sessions", not undefined',
    ],
    [() => jsonlSessions(""), "The folder of jsonlSessions must be a path"],
    [() => jsonlSessions(untyped({ folder: "." })), "The folder of jsonlSessions must be a path"],
    [
      () => publish(createMemoryEventStore<RunEvent>(), ""),
      'The run id of publish must be a string or a function, not ""',
    ],
    [
      () => createAgent({ output: Type.Object({}) }),
      "initialState.output must be { schema }, such as { schema: Type.Object({ … }) }, not an object",
    ],
    [
      routed([{ model: MODEL, option: {} }]),
      'route: entry 0 has the unknown field "option". Write { model, options, apiKeys }.',
    ],
    [routed([{ model: MODEL, options: "high" }]), "route: the options of entry 0 must be an object."],
    [
      routed([MODEL, { model: MODEL, apiKeys: "key" }]),
      "route: the apiKeys of entry 1 must be a list of keys, none of them empty.",
    ],
    [routed([{ model: MODEL, apiKeys: [""] }]), "route: the apiKeys of entry 0 must be a list of keys"],
    [routed([MODEL], null), "route: the options must be an object."],
    [routed([MODEL], { streamFn: "streamSimple" }), "route: streamFn must be a function."],
    [
      routed([MODEL], { limits: [{ rpm: 3 }] }),
      'route: limits must be an object such as { "anthropic/*": { rpm: 50 } }.',
    ],
    [
      routed([MODEL], { limits: { "anthropic/*": { requests: 3 } } }),
      'route: limits["anthropic/*"] has the unknown field "requests". The fields are rpm, tpm, concurrency.',
    ],
    [
      routed([MODEL], { limits: { anthropic: { rpm: 3 } } }),
      'route: limits["anthropic"] fits no model of the route. They are anthropic/claude-sonnet-4-6.',
    ],
    [
      routed([MODEL], { limits: { "antropic/*": { rpm: 3 } } }),
      'route: limits["antropic/*"] fits no model of the route. They are anthropic/claude-sonnet-4-6.',
    ],
  ])("%#", (call, text) => expect(call).toThrow(text));

  test.each<[call: () => Promise<unknown>, text: string]>([
    [() => mcpTools(untyped(client), untyped({ prefx: "files_" })), 'Unknown option "prefx": did you mean "prefix"?'],
    [() => mcpTools(untyped(client), untyped("files_")), 'The options must be an object of options, not "files_"'],
    [() => mcpTools(untyped(client), untyped({ filter: ["read"] })), "filter must be a function, not a list"],
    [() => jsonlSessions(".").branch("chat", untyped(3)), "The options must be an object of options, not 3"],
    [
      () => jsonlSessions(".").branch("chat", untyped({ messages: 3 })),
      'Unknown option "messages". The options are at, of, to, now.',
    ],
  ])("rejects: %#", async (call, text) => expect(call()).rejects.toThrow(text));

  test("a key that is none ends the attempt of a route, and is not shown", async () => {
    const other = { ...MODEL, provider: "other" };
    const options = untyped({ apiKeyFor: () => ({ secret: "secret-key" }) });
    const message = await route([other])(
      MODEL,
      { messages: [{ role: "user", content: "Hi", timestamp: 1 }] },
      options,
    ).result();
    expect(message.errorMessage).toContain(
      "apiKeyFor must return a string or undefined, not a value of the type object.",
    );
    expect(JSON.stringify(message)).not.toContain("secret-key");
  });

  test("an empty key is named where none is found", async () => {
    const model = { ...MODEL, provider: "nobody" };
    const message = await complete(model, "Hi", { apiKey: "" });
    expect(message.errorMessage).toContain("The option apiKey is an empty text.");
  });
});

describe("a run of a page", () => {
  test("that is a promise is refused", () => {
    const run = untyped(Promise.resolve());
    expect(() => toUIMessageStream(createAgent(), { run })).toThrow(
      'run must be a function, such as () => agent.prompt("Hi"), not a promise: await it',
    );
  });

  test("that fails is told to the server, and not to the page", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const agent = createAgent();
    const response = uiMessageResponse(agent, { run: () => agent.prompt("") });
    expect(await response.text()).toContain('{"type":"error","errorText":"The run failed"}');
    expect(log.mock.calls).toEqual([
      ["The run of a page failed:", new TypeError("message is empty. Write text, or call agent.continue().")],
    ]);
    log.mockRestore();
  });
});
