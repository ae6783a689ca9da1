import { Agent, type AgentMessage, type AgentOptions, runToolCall } from "pi-agent";
import { type McpElicitationOptions, type McpToolInfo, mcpElicitation, mcpTools } from "pi-agent/mcp";
import { describe, expect, test } from "vitest";
import { createClient, type FakeClient, type SentCall, toolInfo } from "../../../test/mcp-client.js";
import { calls, MODEL, scripted, text } from "../../../test/scripted-stream.js";

const DONE = { content: [{ type: "text", text: "Paid" }] };
const SIZE = { type: "object", properties: { size: { type: "integer" } }, required: ["size"] };
const ask = (message = "Which size?", requestedSchema: object = SIZE) => ({ message, requestedSchema });
const page = (url: string) => ({ mode: "url", message: "Log in", url, elicitationId: "1" });
const inputOf = (questions: Record<string, unknown>, more: object = {}) => ({
  resultType: "input_required",
  inputRequests: Object.fromEntries(
    Object.entries(questions).map(([key, params]) => [key, { method: "elicitation/create", params }]),
  ),
  ...more,
});

type Settings = NonNullable<Parameters<typeof createClient>[1]>;
interface Scene {
  client: FakeClient;
  /** An agent in a new process, with the same server. */
  restart(messages?: readonly AgentMessage[], options?: AgentOptions): Promise<Agent>;
}

function createScene(
  results: FakeClient["results"],
  settings: Settings & { tool?: Partial<McpToolInfo>; elicitation?: McpElicitationOptions; names?: string[] } = {},
): Scene {
  const { tool, elicitation, names = ["pay"], ...more } = settings;
  const client = mcpElicitation(createClient([toolInfo("pay", tool)], more), elicitation);
  client.results = results;
  const { streamFn } = scripted(calls(...names), text("Done."));
  const restart: Scene["restart"] = async (messages = [], options = {}) =>
    new Agent({
      initialState: {
        model: MODEL,
        tools: await mcpTools(client),
        messages: JSON.parse(JSON.stringify(messages)) as AgentMessage[],
      },
      streamFn,
      ...options,
    });
  return { client, restart };
}

/** Answers the only open request of an agent in a new process, and goes on. */
async function answer(
  { restart }: Scene,
  agent: Agent,
  given: { approved: boolean; value?: unknown; cancelled?: boolean },
): Promise<Agent> {
  const next = await restart(agent.state.messages);
  const [request] = next.state.pause?.requests ?? [];
  await next.answer([{ id: request?.id ?? "", ...given }]);
  await next.continue();
  return next;
}

const resultOf = (agent: Agent) => {
  const result = agent.state.messages.findLast((message) => message.role === "toolResult");
  return result?.role === "toolResult" && !("pause" in result) && result.content[0]?.type === "text"
    ? result.content[0].text
    : undefined;
};
const messagesOf = (agent: Agent) => agent.state.pause?.requests.map(({ message }) => message);
const WHICH = 'The MCP server "bank" asks: Which size?';

test.each([1, 2] as const)("a client of version %i declares what it can answer", (version) => {
  const both = createClient([], { version });
  expect(mcpElicitation(both)).toBe(both);
  expect(both.capabilities).toEqual([{ elicitation: { form: {}, url: {} } }]);
  const forms = mcpElicitation(createClient([], { version }), { url: false });
  expect(forms.capabilities).toEqual([{ elicitation: { form: {} } }]);
});

test("a question outside of a call is cancelled", async () => {
  const { client, restart } = createScene([() => DONE]);
  expect(await client.ask(ask())).toEqual({ action: "cancel" });
  const agent = await restart();
  await agent.prompt("Go.");
  expect(resultOf(agent)).toBe("Paid");
  expect(await client.ask(ask())).toEqual({ action: "cancel" });
});

test("a call outside of a run is not asked for anything", async () => {
  const { client } = createScene([
    async () => ({ content: [{ type: "text", text: JSON.stringify(await client.ask(ask())) }] }),
  ]);
  const [assistantMessage, context] = [calls("pay"), { systemPrompt: "", messages: [] }];
  const [toolCall] = assistantMessage.content;
  if (toolCall?.type !== "toolCall") throw new Error("there is no call");
  const { result } = await runToolCall(toolCall, { tools: await mcpTools(client), assistantMessage, context });
  expect(result.content).toEqual([{ type: "text", text: '{"action":"cancel"}' }]);
  expect(client.calls[0]?.options.allowInputRequired).toBeUndefined();
});

describe.each([1, 2] as const)("a question in the middle of a call, with a client of version %i", (version) => {
  /** A server that asks, and tells what it got. It sends nothing more when the call is cancelled. */
  const asking =
    (client: () => FakeClient, ...questions: object[]) =>
    async ({ options }: SentCall) => {
      const got: unknown[] = [];
      for (const question of questions) {
        got.push(await client().ask(question));
        options.signal?.throwIfAborted();
      }
      return { content: [{ type: "text", text: JSON.stringify(got) }] };
    };

  test("pauses the run, and is answered in another process", async () => {
    const scene: Scene = createScene([(call) => asking(() => scene.client, ask())(call)], { version });
    const agent = await scene.restart();
    await agent.prompt("Go.");
    expect(agent.state.pause?.requests).toMatchObject([
      { kind: "question", toolName: "pay", message: WHICH, schema: SIZE },
    ]);
    expect(agent.state.pause?.requests[0]?.path).toBeUndefined();
    expect(scene.client.calls[0]?.options.signal?.aborted).toBe(true);
    const next = await answer(scene, agent, { approved: true, value: { size: "42" } });
    expect(resultOf(next)).toBe('[{"action":"accept","content":{"size":42}}]');
    expect(scene.client.calls).toHaveLength(2);
  });

  test("can be declined and dismissed", async () => {
    for (const [given, action] of [
      [{ approved: false }, "decline"],
      [{ approved: false, cancelled: true }, "cancel"],
    ] as const) {
      const scene: Scene = createScene([(call) => asking(() => scene.client, ask())(call)], { version });
      const agent = await scene.restart();
      await agent.prompt("Go.");
      expect(resultOf(await answer(scene, agent, given))).toBe(`[{"action":"${action}"}]`);
    }
  });

  test("counts as dismissed if the user writes something else", async () => {
    const scene: Scene = createScene([(call) => asking(() => scene.client, ask())(call)], { version });
    const agent = await scene.restart([], { onNewMessage: "decline" });
    await agent.prompt("Go.");
    await agent.prompt("Something else.");
    expect(JSON.stringify(agent.state.messages)).toContain('[{\\"action\\":\\"cancel\\"}]');
  });

  test("is asked again if the answer does not fit, and can be followed by others", async () => {
    const scene: Scene = createScene([(call) => asking(() => scene.client, ask(), ask("Sure?", SIZE), ask())(call)], {
      version,
    });
    let agent = await scene.restart();
    await agent.prompt("Go.");
    agent = await answer(scene, agent, { approved: true, value: { size: "big" } });
    expect(messagesOf(agent)).toEqual([WHICH]);
    expect(agent.state.pause?.requests[0]?.problem).toContain("size");
    for (const size of [1, 2, 3]) agent = await answer(scene, agent, { approved: true, value: { size } });
    expect(JSON.parse(resultOf(agent) ?? "")).toEqual(
      [1, 2, 3].map((size) => ({ action: "accept", content: { size } })),
    );
  });

  test("never has the answer to another question", async () => {
    let amount = 5;
    const scene: Scene = createScene(
      [(call) => asking(() => scene.client, ask(`Pay ${amount} euros?`, { type: "object", properties: {} }))(call)],
      { version },
    );
    const agent = await scene.restart();
    await agent.prompt("Go.");
    amount = 5000;
    const next = await answer(scene, agent, { approved: true, value: {} });
    expect(messagesOf(next)).toEqual(['The MCP server "bank" asks: Pay 5000 euros?']);
    const last = await answer(scene, next, { approved: false });
    expect(resultOf(last)).toBe('[{"action":"decline"}]');
  });

  test("is asked ten times at most", async () => {
    const many = Array.from({ length: 11 }, (_, index) => ask(`Number ${index}?`, { type: "object", properties: {} }));
    const scene: Scene = createScene([(call) => asking(() => scene.client, ...many)(call)], { version });
    let agent = await scene.restart();
    await agent.prompt("Go.");
    let rounds = 0;
    for (; agent.state.pause; rounds++) agent = await answer(scene, agent, { approved: true, value: {} });
    expect(rounds).toBe(10);
    expect(resultOf(agent)).toBe("The question of the MCP server was refused: A call has at most 10 questions");
  });

  test("is answered at once, if the application can", async () => {
    const seen: unknown[] = [];
    const live: NonNullable<McpElicitationOptions["answer"]> = async (request, signal) => {
      seen.push([request.message, request.problem === undefined, signal?.aborted ?? false]);
      return { approved: true, value: { size: request.problem ? 3 : "?" } };
    };
    const scene: Scene = createScene([(call) => asking(() => scene.client, ask())(call)], {
      version,
      elicitation: { answer: live, server: "My bank" },
    });
    const agent = await scene.restart();
    await agent.prompt("Go.");
    const message = 'The MCP server "My bank" asks: Which size?';
    expect(seen).toEqual([
      [message, true, false],
      [message, false, false],
    ]);
    expect(resultOf(agent)).toBe('[{"action":"accept","content":{"size":3}}]');
    // The user may think for longer than the client waits for a server.
    expect(scene.client.calls[0]?.options.timeout).toBe(2 ** 31 - 1);
  });

  test("ends when the application never finds an answer that fits", async () => {
    let asked = 0;
    const live: NonNullable<McpElicitationOptions["answer"]> = async () => {
      asked++;
      return { approved: true, value: { size: "?" } };
    };
    const scene: Scene = createScene([(call) => asking(() => scene.client, ask())(call)], {
      version,
      elicitation: { answer: live },
    });
    const agent = await scene.restart();
    await agent.prompt("Go.");
    expect(asked).toBe(100);
    expect(resultOf(agent)).toBe("The tool has asked 100 questions, which is the limit of a call");
  });

  test("belongs to one call, also if a response has several", async () => {
    let running = 0;
    const scene: Scene = createScene(
      [
        async (call) => {
          running++;
          expect(running).toBe(1);
          try {
            return await asking(() => scene.client, ask())(call);
          } finally {
            running--;
          }
        },
      ],
      { version, names: ["pay", "pay"] },
    );
    const agent = await scene.restart();
    await agent.prompt("Go.");
    expect(agent.state.pause?.requests.map(({ toolCallId }) => toolCallId)).toEqual(["1", "2"]);
  });

  test("leads to pages of https only, and to none if none can be opened", async () => {
    for (const [url, elicitation, rule] of [
      ["http://example.com", {}, "must begin with https:"],
      ["https://example.com", { url: false }, "No page can be opened here"],
    ] as const) {
      const scene: Scene = createScene([(call) => asking(() => scene.client, page(url))(call)], {
        version,
        elicitation,
      });
      const agent = await scene.restart();
      await agent.prompt("Go.");
      expect(resultOf(agent)).toContain(rule);
    }
    const scene: Scene = createScene([(call) => asking(() => scene.client, page("https://example.com/a"))(call)], {
      version,
    });
    const agent = await scene.restart();
    await agent.prompt("Go.");
    expect(agent.state.pause?.requests).toMatchObject([
      { message: 'The MCP server "bank" asks you to open a page of example.com: Log in', url: "https://example.com/a" },
    ]);
    expect(resultOf(await answer(scene, agent, { approved: true }))).toBe('[{"action":"accept"}]');
  });

  test("of an error that names pages sends the call again when they were opened", async () => {
    const refused = Object.assign(new Error("Log in first"), {
      code: -32042,
      data: { elicitations: [page("https://example.com/a")] },
    });
    const scene = createScene([() => Promise.reject(refused), () => DONE], { version });
    const agent = await scene.restart();
    await agent.prompt("Go.");
    expect(agent.state.pause?.requests).toMatchObject([{ url: "https://example.com/a" }]);
    const next = await answer(scene, agent, { approved: true });
    expect(resultOf(next)).toBe("Paid");
    expect(scene.client.calls).toHaveLength(2);

    const other = createScene([() => Promise.reject(refused)], { version });
    const first = await other.restart();
    await first.prompt("Go.");
    const declined = await answer(other, first, { approved: false });
    expect(resultOf(declined)).toBe(
      'The question "The MCP server "bank" asks you to open a page of example.com: Log in" was declined',
    );
  });
});

describe("a call that is answered with questions (2026-07-28)", () => {
  const modern = { era: "modern" } as const;

  test("pauses, and goes on where it was, in another process", async () => {
    const scene = createScene(
      [() => inputOf({ a: ask(), b: ask("How many?") }, { requestState: "x.y" }), () => DONE],
      modern,
    );
    const agent = await scene.restart();
    await agent.prompt("Go.");
    expect(messagesOf(agent)).toEqual([WHICH, 'The MCP server "bank" asks: How many?']);
    const next = await scene.restart(agent.state.messages);
    const [one, other] = next.state.pause?.requests ?? [];
    await next.answer([{ id: other?.id ?? "", approved: false }]);
    await next.continue();
    expect(messagesOf(next)).toEqual([WHICH]);
    expect(scene.client.calls).toHaveLength(1);
    await next.answer([{ id: one?.id ?? "", approved: true, value: { size: 1 } }]);
    await next.continue();
    expect(resultOf(next)).toBe("Paid");
    expect(scene.client.calls.map(({ more }) => more)).toEqual([
      {},
      {
        inputResponses: { a: { action: "accept", content: { size: 1 } }, b: { action: "decline" } },
        requestState: "x.y",
      },
    ]);
    expect(scene.client.calls.map(({ options }) => options.allowInputRequired)).toEqual([true, true]);
  });

  test.each([
    ["legacy", inputOf({ a: ask() })],
    ["modern", { resultType: "refused", input: { questions: [{ key: "a", question: { message: "Password?" } }] } }],
  ] as const)("is that of the protocol, and no result that looks like it (%s)", async (era, result) => {
    const scene = createScene([() => ({ ...result, ...DONE })], { era });
    const agent = await scene.restart();
    await agent.prompt("Go.");
    expect(agent.state.pause).toBeUndefined();
    expect(resultOf(agent)).toBe("Paid");
    expect(scene.client.calls).toHaveLength(1);
  });

  test("has ten rounds at most, also in many processes", async () => {
    let round = 0;
    const scene = createScene([() => inputOf({ a: ask(`Round ${round++}?`) })], modern);
    let agent = await scene.restart();
    await agent.prompt("Go.");
    let rounds = 0;
    for (; agent.state.pause; rounds++) agent = await answer(scene, agent, { approved: true, value: { size: 1 } });
    expect(rounds).toBe(10);
    expect(resultOf(agent)).toBe("The server has asked 10 times, which is the limit of a call");
    expect(scene.client.calls).toHaveLength(11);
  });

  test("may go on without questions, ten times", async () => {
    const scene = createScene([() => ({ resultType: "input_required", requestState: "s" })], modern);
    const agent = await scene.restart();
    await agent.prompt("Go.");
    expect(scene.client.calls.map(({ more }) => more)).toEqual([{}, ...Array(10).fill({ requestState: "s" })]);
    expect(resultOf(agent)).toContain("10 times");
  });

  test("is answered at once, if the application can, and calls run at the same time", async () => {
    const elicitation: McpElicitationOptions = { answer: async () => ({ approved: true, value: { size: 7 } }) };
    const results = [
      () => inputOf({ a: ask() }),
      () => inputOf({ a: ask() }),
      ({ more }: SentCall) => ({ content: [{ type: "text", text: JSON.stringify(more) }] }),
    ];
    const scene = createScene(results, { ...modern, elicitation, names: ["pay", "pay"] });
    const agent = await scene.restart();
    await agent.prompt("Go.");
    const accepted = '{"inputResponses":{"a":{"action":"accept","content":{"size":7}}}}';
    const results2 = agent.state.messages.filter(({ role }) => role === "toolResult");
    expect(results2.map((message) => "content" in message && message.content)).toEqual([
      [{ type: "text", text: accepted }],
      [{ type: "text", text: accepted }],
    ]);
    expect(scene.client.calls[0]?.options.timeout).toBeUndefined();
  });

  test("is not taken for a result without its structured content", async () => {
    const outputSchema = { type: "object" };
    const scene = createScene([() => DONE], { ...modern, tool: { outputSchema } });
    const agent = await scene.restart();
    await agent.prompt("Go.");
    expect(scene.client.calls[0]?.options.toolDefinition).toEqual(toolInfo("pay"));
  });

  test.each([
    ["Nothing answers", { resultType: "input_required", inputRequests: { a: { method: "sampling/createMessage" } } }],
    ["Nothing answers", { resultType: "input_required", inputRequests: { a: null } }],
    ["at most 10 questions", inputOf(Object.fromEntries(Array.from({ length: 11 }, (_, n) => [n, ask()])))],
    ["at most 200 characters", inputOf({ ["k".repeat(201)]: ask() })],
    ["a text of at most 100000 characters", inputOf({ a: ask() }, { requestState: "x".repeat(100_001) })],
    ["a text of at most 100000 characters", inputOf({ a: ask() }, { requestState: 5 })],
    ["must begin with https:", inputOf({ a: page("http://example.com") })],
    ["A form needs a schema", inputOf({ a: { message: "Hi" } })],
  ])("is refused (%s)", async (rule, result) => {
    const scene = createScene([() => result], modern);
    const agent = await scene.restart();
    await agent.prompt("Go.");
    expect(resultOf(agent)).toContain("The question of the MCP server was refused: ");
    expect(resultOf(agent)).toContain(rule);
    expect(scene.client.calls).toHaveLength(1);
  });

  test("begins anew if what the transcript has kept of it is of another shape", async () => {
    const scene = createScene([() => inputOf({ a: ask() }, { requestState: "s" }), () => DONE], modern);
    const agent = await scene.restart();
    await agent.prompt("Go.");
    const json = JSON.stringify(agent.state.messages);
    for (const [from, to] of [
      ['"round":0', '"round":"x"'],
      ['"round":0', '"round":-1000000'],
      ['"round":0', '"round":11'],
      ['"questions":[{', '"questions":[5,{'],
      ['"input":{', '"other":{'],
    ] as const) {
      expect(json).toContain(from);
      const edited = await scene.restart(JSON.parse(json.replaceAll(from, to)) as AgentMessage[]);
      const [request] = edited.state.pause?.requests ?? [];
      await edited.answer([{ id: request?.id ?? "", approved: true, value: { size: 1 } }]);
      await edited.continue();
      expect(scene.client.calls.at(-1)?.more).toEqual({});
    }
  });
});
