import {
  Agent,
  type AgentEvent,
  type AgentMessage,
  type AgentOptions,
  type AnyAgentTool,
  agentLoop,
  agentLoopContinue,
  defineTool,
} from "pi-agent";
import { answerRequests, approvals, declineRequests, pendingRequests } from "pi-agent/approvals";
import { type Context, Type } from "pi-ai";
import { beforeEach, describe, expect, test } from "vitest";
import { describeEvents } from "../../test/event-list.js";
import { call, calls, MODEL, response, scripted, text } from "../../test/scripted-stream.js";

let ran: string[] = [];
beforeEach(() => {
  ran = [];
});

function tool(name: string, more: Partial<AnyAgentTool> = {}): AnyAgentTool {
  return {
    name,
    description: name,
    parameters: Type.Object({ euros: Type.Optional(Type.Number()) }),
    execute: async (id, { euros }) => {
      ran.push(euros === undefined ? `${name} ${id}` : `${name} ${id} ${euros}`);
      return `${name} is done`;
    },
    ...more,
  };
}

const isModelMessage = (message: AgentMessage) =>
  message.role === "user" || message.role === "assistant" || message.role === "toolResult";

const tools = [tool("look"), tool("pay")];
const isPay = ({ tool: { name } }: { tool: { name: string } }) => name === "pay";

/** An agent in a new process: it has nothing but the messages, which went through JSON. */
function restart(messages: readonly AgentMessage[], options: AgentOptions): { agent: Agent; events: AgentEvent[] } {
  const events: AgentEvent[] = [];
  const initialState = {
    model: MODEL,
    tools,
    ...options.initialState,
    messages: JSON.parse(JSON.stringify(messages)) as AgentMessage[],
  };
  const agent = new Agent({ middleware: [approvals({ when: isPay, pause: true })], ...options, initialState });
  agent.subscribe((event) => void events.push(event));
  return { agent, events };
}

/** Runs a prompt to its pause. */
async function pause(options: AgentOptions): Promise<{ agent: Agent; events: AgentEvent[] }> {
  const started = restart([], options);
  await started.agent.prompt("Go.");
  return started;
}

const textsOf = (messages: readonly AgentMessage[]) =>
  messages.flatMap((message) =>
    message.role === "toolResult"
      ? [
          `${message.toolCallId}: ${message.content.map((block) => (block.type === "text" ? block.text : "")).join(" ")}`,
        ]
      : [],
  );

/** What the model was sent. */
const seen = (context: Context | undefined) => textsOf(context?.messages ?? []);

describe("an approval that ends the run", () => {
  test("runs the other calls, and has the requests in agent_end, in the state and in the messages", async () => {
    const { agent, events } = await pause({ streamFn: scripted(calls("look", "pay", "look")).streamFn });
    expect(ran).toEqual(["look 1", "look 3"]);
    const request = { id: "2", kind: "approval", toolCallId: "2", toolName: "pay", arguments: {} };
    expect(events.at(-1)).toMatchObject({ type: "agent_end", pause: { requests: [request] } });
    expect(agent.state.pause).toEqual({ requests: [request] });
    expect(pendingRequests(JSON.parse(JSON.stringify(agent.state.messages)))).toEqual([request]);
    expect(agent.state.errorMessage).toBeUndefined();
    expect(describeEvents(events)).toContain("XS(1) XS(2) XS(3) XE(2) XE(1) XE(3)");
    expect(describeEvents(events)).toMatch(/TE\(toolUse;\[1,3\]\) AE\[uarrr\]$/);
  });

  test("goes on in another process with nothing but the messages, and runs the call once", async () => {
    const first = await pause({ streamFn: scripted(calls("look", "pay")).streamFn });
    const next = scripted(text("Done."));
    const { agent, events } = restart(first.agent.state.messages, { streamFn: next.streamFn });
    await agent.answer([{ id: "2", approved: true }]);
    await agent.continue();
    expect(ran).toEqual(["look 1", "pay 2"]);
    expect(agent.state.pause).toBeUndefined();
    expect(seen(next.calls[0]?.context)).toEqual(["1: look is done", "2: pay is done"]);
    expect(describeEvents(events)).toBe(
      "AS TS XS(2) MS(r2) ME(r2) XE(2) MS(r2) ME(r2) MS(a) ME(a:stop) TE(stop;[]) AE[rra]",
    );
  });

  test("tells the model of a refusal, and never runs the call", async () => {
    const next = scripted(calls("pay"), text("Done."));
    const { agent } = await pause({ streamFn: next.streamFn });
    await agent.answer([{ id: "1", approved: false, reason: "Too dear" }]);
    await agent.continue();
    expect(ran).toEqual([]);
    expect(seen(next.calls[1]?.context)).toEqual(["1: The call of pay was declined: Too dear"]);
  });

  test("leaves the rest open after a part of the answers", async () => {
    const { agent, events } = await pause({ streamFn: scripted(calls("pay", "pay", "pay"), text("Done.")).streamFn });
    await agent.answer([{ id: "2", approved: true }]);
    expect(agent.state.pause?.requests.map(({ id }) => id)).toEqual(["1", "3"]);
    await agent.continue();
    expect(ran).toEqual(["pay 2"]);
    expect(events.at(-1)).toMatchObject({ type: "agent_end", pause: { requests: [{ id: "1" }, { id: "3" }] } });
    const later = restart(agent.state.messages, { streamFn: scripted(text("Done.")).streamFn });
    await later.agent.answer([
      { id: "3", approved: false },
      { id: "1", approved: true },
    ]);
    await later.agent.continue();
    expect(ran).toEqual(["pay 2", "pay 1"]);
    expect(later.agent.state.messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "stop" });
  });

  test("ignores an answer that comes twice, before and after the call", async () => {
    const { agent } = await pause({ streamFn: scripted(calls("pay"), text("Done.")).streamFn });
    const answers = [{ id: "1", approved: true }];
    await agent.answer([...answers, ...answers]);
    await agent.answer(answers);
    await agent.continue();
    await agent.answer(answers);
    await expect(agent.continue()).rejects.toThrow("Cannot continue from message role: assistant");
    expect(ran).toEqual(["pay 1"]);
  });

  test("keeps who has answered, and takes the same answer of another person", async () => {
    const next = scripted(calls("pay"), text("Done."));
    const { agent } = await pause({ streamFn: next.streamFn });
    await agent.answer([{ id: "1", approved: true, by: "ada" }]);
    await agent.answer([{ id: "1", approved: true, by: "bob" }]);
    await agent.continue();
    expect(ran).toEqual(["pay 1"]);
    expect(agent.state.messages[2]).toMatchObject({
      content: [{ text: "pay is done" }],
      marks: [{ state: "waiting" }, { state: "answered", answers: [{ id: "1", approved: true, by: "ada" }] }],
    });
    expect(JSON.stringify(next.calls[1]?.context)).not.toContain("ada");
  });

  test("leaves one record of a call, which the result replaces, as does what an append-only store holds", async () => {
    const next = scripted(calls("pay", "look"), text("Done."));
    const stored: AgentMessage[] = [];
    const { agent } = await pause({ streamFn: next.streamFn });
    stored.push(...agent.state.messages);
    agent.subscribe((event) => void (event.type === "message_end" && stored.push(event.message)));
    const recordsOf = (messages: readonly AgentMessage[]): string[] =>
      messages.flatMap((message) =>
        message.role === "toolResult"
          ? [
              "pause" in message
                ? `${message.toolCallId} ${(message.pause as { state: string }).state}`
                : textsOf([message]).join(),
            ]
          : [],
      );
    expect(recordsOf(agent.state.messages)).toEqual(["1 waiting", "2: look is done"]);
    const answered = await answerRequests(agent.state.messages, [{ id: "1", approved: true }]);
    await agent.answer([{ id: "1", approved: true }]);
    for (const messages of [agent.state.messages, answered])
      expect(recordsOf(messages)).toEqual(["1 answered", "2: look is done"]);
    await agent.continue();
    const done = ["1: pay is done", "2: look is done"];
    expect(recordsOf(agent.state.messages)).toEqual(done);
    expect(seen(next.calls[1]?.context)).toEqual(["1: pay is done", "2: look is done"]);
    expect(JSON.stringify(next.calls[1]?.context)).not.toMatch(/"marks"|"pause"/);
    expect(recordsOf(restart(stored, {}).agent.state.messages)).toEqual(done);
  });

  test("validates changed arguments, and tells the model of them", async () => {
    const paying = response([call("1", "pay", { euros: 100 })]);
    const next = scripted(paying, text("Done."));
    const { agent } = await pause({ streamFn: next.streamFn });
    await agent.answer([{ id: "1", approved: true, arguments: { euros: 50 } }]);
    await agent.continue();
    expect(ran).toEqual(["pay 1 50"]);
    expect(seen(next.calls[1]?.context)).toEqual([
      '1: The user changed the arguments of this call to {"euros":50}. pay is done',
    ]);
    expect(agent.state.messages[1]).toMatchObject({ content: [{ arguments: { euros: 100 } }] });
  });

  test("does not run a call with changed arguments that do not fit", async () => {
    const next = scripted(calls("pay"), text("Done."));
    const { agent } = await pause({ streamFn: next.streamFn });
    await agent.answer([{ id: "1", approved: true, arguments: { euros: "many" } }]);
    await agent.continue();
    expect(ran).toEqual([]);
    expect(seen(next.calls[1]?.context)[0]).toContain('Validation failed for tool "pay"');
  });

  test("asks again, for another call, when the model calls again", async () => {
    const { agent } = await pause({ streamFn: scripted(calls("pay"), calls("pay"), text("Done.")).streamFn });
    await agent.answer([{ id: "1", approved: true }]);
    await agent.continue();
    // The provider repeats the id of the call, so the request has another one.
    expect(agent.state.pause?.requests.map(({ id }) => id)).toEqual(["1~2"]);
    await agent.answer([{ id: "1", approved: true }]);
    expect(agent.state.pause?.requests).toHaveLength(1);
    await agent.answer([{ id: "1~2", approved: false }]);
    await agent.continue();
    expect(ran).toEqual(["pay 1"]);
  });

  test("asks for the calls of a sequential batch one after the other, and keeps their order", async () => {
    const options = { toolExecution: "sequential" } as const;
    const { agent } = await pause({ ...options, streamFn: scripted(calls("look", "pay", "look", "pay")).streamFn });
    expect(ran).toEqual(["look 1"]);
    expect(agent.state.pause?.requests.map(({ id }) => id)).toEqual(["2"]);
    await expect(agent.continue()).rejects.toThrow("waits for an answer");
    const second = restart(agent.state.messages, { ...options, streamFn: scripted(text("Done.")).streamFn });
    await second.agent.answer([{ id: "2", approved: true }]);
    await second.agent.continue();
    expect(ran).toEqual(["look 1", "pay 2", "look 3"]);
    expect(second.agent.state.pause?.requests.map(({ id }) => id)).toEqual(["4"]);
    second.agent.declineAll();
    await second.agent.continue();
    expect(ran).toHaveLength(3);
    expect(second.agent.state.messages.at(-1)).toMatchObject({ stopReason: "stop" });
  });

  test("works in the loop without an agent", async () => {
    const config = {
      model: MODEL,
      // A hook that passes on all results.
      convertToLlm: (messages: AgentMessage[]) => messages.filter(isModelMessage),
      middleware: [approvals({ when: isPay, pause: true })],
    };
    const first = scripted(calls("look", "pay"));
    const prompt = { role: "user" as const, content: "Go.", timestamp: 1 };
    const context = { systemPrompt: "", messages: [], tools };
    const messages = await agentLoop([prompt], context, config, undefined, first.streamFn).result();
    expect(() => agentLoopContinue({ ...context, messages }, config)).toThrow("waits for an answer");
    const next = scripted(text("Done."));
    const answered = await answerRequests(messages, [{ id: "2", approved: true }], { now: 1 });
    const more = await agentLoopContinue({ ...context, messages: answered }, config, undefined, next.streamFn).result();
    expect(ran).toEqual(["look 1", "pay 2"]);
    expect(seen(next.calls[0]?.context)).toEqual(["1: look is done", "2: pay is done"]);
    expect(pendingRequests([...answered, ...more])).toEqual([]);
    expect(pendingRequests(declineRequests(messages, "No", 1))).toEqual([]);
  });

  test("does not ask and pause at once", () => {
    expect(() => approvals({ pause: true, ask: async () => ({ approved: true }) })).toThrow("`ask` or `pause`");
  });

  test.each([{ timeoutMs: 50 }, { default: { approved: true } }, { claim: () => true }])(
    "refuses %j without a pause: nothing would heed it",
    (options) => {
      expect(() => approvals({ ...options, ask: async () => ({ approved: true }) })).toThrow("only with `pause: true`");
      expect(() => approvals(options)).toThrow("only with `pause: true`");
    },
  );
});

test("a call does not wait if another one of the response has its id: nobody could say which was shown", async () => {
  const twice = response([call("1", "pay", { euros: 1 }), call("1", "pay", { euros: 1000 })]);
  const { agent } = await pause({ streamFn: scripted(twice, text("Done.")).streamFn });
  expect(agent.state.pause).toBeUndefined();
  const problem = "1: pay cannot wait for an answer: another call of the response has its id";
  expect(textsOf(agent.state.messages)).toEqual([problem, problem]);
  expect(ran).toEqual([]);
});

const nestLists = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));

describe("bad answers", () => {
  const open = async () => (await pause({ streamFn: scripted(calls("pay", "pay"), text("Done.")).streamFn })).agent;

  test.each([
    ["unknown", [{ id: "9", approved: true }]],
    [
      "conflict",
      [
        { id: "1", approved: true },
        { id: "1", approved: false },
      ],
    ],
    ["unknown", [{ approved: true }]],
    ["invalid", [{ id: "1", approve: true }]],
    ["invalid", [{ id: "1" }]],
    ["invalid", [{ id: "1", approved: true, arguments: 5 }]],
    ["invalid", [{ id: "1", approved: true, arguments: { a: nestLists(256) } }]],
    ["invalid", [{ id: "1", approved: true, value: nestLists(100_000) }]],
    ["unknown", [null]],
  ])("of the kind %s are refused, and none of the list counts", async (kind, answers) => {
    const agent = await open();
    const list = [{ id: "2", approved: true }, ...answers];
    // As a page could send them.
    await expect(agent.answer(list as never)).rejects.toMatchObject({ name: "AnswerError", kind });
    expect(agent.state.pause?.requests).toHaveLength(2);
    await expect(agent.continue()).rejects.toThrow('agent.answer([{ id: "1", approved: true }])');
  });

  test("another answer to the same request is stale", async () => {
    const agent = await open();
    await agent.answer([{ id: "1", approved: false }]);
    await expect(agent.answer([{ id: "1", approved: true }])).rejects.toMatchObject({ kind: "stale", id: "1" });
    await agent.answer([{ id: "2", approved: true }]);
    await agent.continue();
    expect(ran).toEqual(["pay 2"]);
  });

  test("an answer without approved says what it needs, and a dismissal needs none", async () => {
    const agent = await open();
    await expect(agent.answer([{ id: "1", approve: true } as never])).rejects.toThrow(
      "needs `approved`: true or false",
    );
    await agent.answer([{ id: "1", cancelled: true } as never, { id: "2", approved: true }]);
    await agent.continue();
    expect(ran).toEqual(["pay 2"]);
  });

  test("anything but true declines", async () => {
    const agent = await open();
    await agent.answer([
      { id: "1", approved: "yes" as never },
      { id: "2", approved: undefined as never },
    ]);
    await agent.continue();
    expect(ran).toEqual([]);
  });

  test("an answer after the time is refused, and the default counts", async () => {
    let now = 1000;
    const middleware = [approvals({ when: isPay, pause: true, timeoutMs: 50 })];
    const { agent } = await pause({
      now: () => now,
      middleware,
      streamFn: scripted(calls("pay"), text("Done.")).streamFn,
    });
    expect(agent.state.pause?.requests[0]?.expiresAt).toBe(1050);
    now = 1050;
    await expect(agent.answer([{ id: "1", approved: true }])).rejects.toMatchObject({ kind: "expired" });
    await agent.continue();
    expect(ran).toEqual([]);
    expect(textsOf(agent.state.messages)).toContain("1: The call of pay was declined: No answer came in time");
  });

  test("a default answer can approve", async () => {
    let now = 0;
    const middleware = [approvals({ pause: true, timeoutMs: 50, default: { approved: true } })];
    const { agent } = await pause({
      now: () => now,
      middleware,
      streamFn: scripted(calls("pay"), text("Done.")).streamFn,
    });
    now = 50;
    await agent.continue();
    expect(ran).toEqual(["pay 1"]);
  });

  test("an answer for a call whose response was pruned, or that the conversation has left behind, is refused", async () => {
    const agent = await open();
    const [, , ...pruned] = agent.state.messages;
    expect(pendingRequests(pruned)).toEqual([]);
    await expect(answerRequests(pruned, [{ id: "1", approved: true }])).rejects.toMatchObject({ kind: "stale" });
    const left = [...agent.state.messages, text("Never mind.")];
    await expect(answerRequests(left, [{ id: "1", approved: true }])).rejects.toMatchObject({ kind: "stale" });
  });
});

describe("a conversation that has changed meanwhile", () => {
  test("a new message is refused with the line to write", async () => {
    const { agent } = await pause({ streamFn: scripted(calls("pay"), text("Done.")).streamFn });
    await expect(agent.prompt("Hello?")).rejects.toThrow(
      'Cannot take a message: the conversation waits for an answer. Write agent.answer([{ id: "1", approved: true }])',
    );
    agent.steer("And be quick.");
    await agent.answer([{ id: "1", approved: true }]);
    await agent.continue();
    expect(agent.state.messages.map(({ role }) => role).join(" ")).toBe("user assistant toolResult user assistant");
  });

  test("a new message declines what is open, if it should", async () => {
    const next = scripted(calls("pay"), text("Hi."));
    const { agent } = await pause({ onNewMessage: "decline", streamFn: next.streamFn });
    await agent.prompt("Hello?");
    expect(ran).toEqual([]);
    expect(next.calls[1]?.context.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "toolResult",
      "user",
    ]);
    expect(seen(next.calls[1]?.context)).toEqual([
      "1: The call of pay was declined: The user wrote a new message instead",
    ]);
  });

  test("a new message comes after the calls that are answered", async () => {
    const { agent } = await pause({ streamFn: scripted(calls("pay"), text("Done.")).streamFn });
    await agent.answer([{ id: "1", approved: true }]);
    await agent.prompt("And hello.");
    expect(ran).toEqual(["pay 1"]);
    expect(agent.state.messages.at(-2)).toMatchObject({ role: "user" });
  });

  test("a tool that is gone has an error result", async () => {
    const { agent } = await pause({ streamFn: scripted(calls("pay")).streamFn });
    const next = scripted(text("Done."));
    const later = restart(agent.state.messages, { initialState: { tools: [] }, streamFn: next.streamFn });
    await later.agent.answer([{ id: "1", approved: true }]);
    await later.agent.continue();
    expect(seen(next.calls[0]?.context)).toEqual(["1: Tool pay not found"]);
  });

  test("a refused call does not run without the middleware either", async () => {
    const { agent } = await pause({ streamFn: scripted(calls("pay")).streamFn });
    const later = restart(agent.state.messages, { middleware: [], streamFn: scripted(text("Done.")).streamFn });
    await later.agent.answer([{ id: "1", approved: false }]);
    await later.agent.continue();
    expect(ran).toEqual([]);
  });

  test("a call that may have run when its process died does not run again, unless it is safe", async () => {
    for (const replay of ["never", "safe"] as const) {
      ran = [];
      const own = { initialState: { tools: [tool("pay", { replay })] } };
      const { agent } = await pause({ ...own, streamFn: scripted(calls("pay"), text("Done.")).streamFn });
      await agent.answer([{ id: "1", approved: true }]);
      const stored = agent.state.messages.slice();
      agent.subscribe((event) => void (event.type === "message_end" && stored.push(event.message)));
      await agent.continue();
      // What was stored when the tool began.
      const begun = stored.slice(0, 4);
      expect(begun.at(-1)).toMatchObject({ role: "toolResult", pause: { state: "begun" } });
      const next = scripted(text("Done."));
      const later = restart(begun, { ...own, streamFn: next.streamFn });
      await later.agent.continue();
      expect(ran).toEqual(replay === "safe" ? ["pay 1", "pay 1"] : ["pay 1"]);
      expect(seen(next.calls[0]?.context)[0]).toContain(replay === "safe" ? "pay is done" : "It may have run");
    }
  });

  test("an abort while an approved call runs leaves the rest open", async () => {
    let abort = () => {};
    const slow = tool("pay", {
      execute: async (id) => {
        ran.push(`pay ${id}`);
        abort();
        return new Promise(() => {});
      },
    });
    const own = { initialState: { tools: [slow] } };
    const { agent } = await pause({ ...own, streamFn: scripted(calls("pay", "pay")).streamFn });
    await agent.answer([{ id: "1", approved: true }]);
    abort = () => agent.abort();
    await agent.continue();
    expect(agent.state.messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "aborted" });
    expect(agent.state.pause?.requests.map(({ id }) => id)).toEqual(["2"]);
    const next = scripted(text("Done."));
    const later = restart(agent.state.messages, { streamFn: next.streamFn });
    await later.agent.answer([{ id: "2", approved: true }]);
    await later.agent.continue();
    expect(ran).toEqual(["pay 1", "pay 2"]);
    expect(seen(next.calls[0]?.context)).toEqual(["1: Operation aborted", "2: pay is done"]);
  });

  test("marks of any shape do no harm", async () => {
    const { agent } = await pause({ streamFn: scripted(calls("pay")).streamFn });
    for (const pause of [
      {},
      { state: "waiting" },
      { state: "waiting", requests: [null, { id: 5 }] },
      { state: "answered" },
    ]) {
      const mark: AgentMessage = Object.assign({}, agent.state.messages.at(-1), { pause });
      expect(pendingRequests([...agent.state.messages, mark])).toHaveLength(1);
    }
  });
});

describe("a question of a tool", () => {
  const Size = Type.Object({ size: Type.Number() });
  const order = defineTool({
    name: "order",
    description: "Orders a shirt",
    parameters: Type.Object({}),
    execute: async (_id, _args, _signal, _onUpdate, context) => {
      ran.push("begin");
      const answer = await context?.ask?.({ message: "Which size?", schema: Size });
      ran.push(`order ${answer?.size}`);
      return `Ordered ${answer?.size}`;
    },
  });
  const own = { initialState: { tools: [order] }, middleware: [] };

  test("ends the run, and has its answer when the tool is called again", async () => {
    const next = scripted(calls("order"), text("Done."));
    const { agent } = await pause({ ...own, streamFn: next.streamFn });
    expect(agent.state.pause?.requests).toMatchObject([
      { id: "1?0.0", kind: "question", message: "Which size?", schema: { properties: { size: { type: "number" } } } },
    ]);
    const later = restart(agent.state.messages, { ...own, streamFn: next.streamFn });
    await later.agent.answer([{ id: "1?0.0", approved: true, value: { size: 42 } }]);
    await later.agent.continue();
    expect(ran).toEqual(["begin", "begin", "order 42"]);
    expect(seen(next.calls[1]?.context)).toEqual(["1: Ordered 42"]);
  });

  test("is asked again if the answer does not fit, and a refusal is read by the model", async () => {
    const next = scripted(calls("order"), text("Done."));
    const { agent } = await pause({ ...own, streamFn: next.streamFn });
    await agent.answer([{ id: "1?0.0", approved: true, value: { size: "big" } }]);
    await agent.continue();
    const [request] = agent.state.pause?.requests ?? [];
    expect(request).toMatchObject({ id: "1?0.1", message: "Which size?" });
    expect(request?.problem).toContain("size");
    await agent.answer([{ id: "1?0.1", approved: false, reason: "Not now" }]);
    await agent.continue();
    expect(seen(next.calls[1]?.context)).toEqual(['1: The question "Which size?" was declined: Not now']);
  });

  const Order = Type.Object({
    size: Type.Union([Type.Literal("M"), Type.Literal("L")]),
    count: Type.Integer({ minimum: 1, maximum: 9 }),
    gift: Type.Boolean(),
    colors: Type.Array(Type.String({ enum: ["red", "blue"] }), { minItems: 1 }),
    mail: Type.String({ format: "email" }),
    note: Type.Optional(Type.String({ maxLength: 5 })),
  });

  test.each([
    { value: { size: "XL" }, words: 'size must be "M" or "L".' },
    { value: { count: 10 }, words: "count must be a whole number from 1 to 9." },
    { value: { gift: "perhaps" }, words: "gift must be true or false." },
    { value: { colors: [] }, words: 'colors must be a list of at least 1 values, each "red" or "blue".' },
    { value: { mail: "me" }, words: "mail must be an email address." },
    { value: { note: "too long" }, words: "note must be text of at most 5 characters." },
  ])("tells a person what does not fit: $words", async ({ value, words }) => {
    const fits = { size: "M", count: 1, gift: true, colors: ["red"], mail: "a@b.example" };
    const asking = tool("order", {
      execute: async (_id, _args, _signal, _onUpdate, context) =>
        JSON.stringify(await context?.ask?.({ message: "What?", schema: Order })),
    });
    const { agent } = await pause({ initialState: { tools: [asking] }, streamFn: scripted(calls("order")).streamFn });
    await agent.answer([{ id: "1?0.0", approved: true, value: { ...fits, ...value } }]);
    await agent.continue();
    expect(agent.state.pause?.requests).toMatchObject([{ problem: `This answer does not fit. ${words}` }]);
  });

  test("tells a person what is missing, and what an answer without fields lacks", async () => {
    const { agent } = await pause({ ...own, streamFn: scripted(calls("order")).streamFn });
    await agent.answer([{ id: "1?0.0", approved: true, value: {} }]);
    await agent.continue();
    expect(agent.state.pause?.requests[0]?.problem).toBe("This answer does not fit. size must be a number.");
    await agent.answer([{ id: "1?0.1", approved: true, value: "M" }]);
    await agent.continue();
    expect(agent.state.pause?.requests[0]?.problem).toBe(
      "This answer does not fit. It must be object. Its fields are size.",
    );
  });

  test("counts even if the tool swallows the error of the pause", async () => {
    const deaf = tool("order", {
      execute: async (_id, _args, _signal, _onUpdate, context) => {
        try {
          return `Got ${(await context?.ask?.({ message: "Sure?" })) as string}`;
        } catch {
          return "Went on without";
        }
      },
    });
    const next = scripted(calls("order"), text("Done."));
    const { agent } = await pause({ ...own, initialState: { tools: [deaf] }, streamFn: next.streamFn });
    expect(agent.state.pause?.requests).toHaveLength(1);
    await agent.answer([{ id: "1?0.0", approved: true, value: "yes" }]);
    await agent.continue();
    expect(seen(next.calls[1]?.context)).toEqual(["1: Got yes"]);
  });

  test("can follow an approval, and other questions, up to ten", async () => {
    const curious = tool("pay", {
      execute: async (_id, _args, _signal, _onUpdate, context) => {
        for (let number = 0; ; number++) await context?.ask?.({ message: `Number ${number}?` });
      },
    });
    const next = scripted(calls("pay"), text("Done."));
    const { agent } = await pause({ initialState: { tools: [curious] }, streamFn: next.streamFn });
    let rounds = 0;
    while (agent.state.pause) {
      rounds++;
      await agent.answer(agent.state.pause.requests.map(({ id }) => ({ id, approved: true, value: 1 })));
      await agent.continue();
    }
    // The approval, and ten questions.
    expect(rounds).toBe(11);
    expect(seen(next.calls[1]?.context)).toEqual(["1: The tool has asked 10 questions, which is the limit of a call"]);
  });

  test("may name an address of https only", async () => {
    const login = tool("order", {
      execute: async (_id, _args, _signal, _onUpdate, context) => {
        await context?.ask?.({ message: "Log in", url: "http://example.com" });
      },
    });
    const { agent } = await pause({
      ...own,
      initialState: { tools: [login] },
      streamFn: scripted(calls("order"), text("Done.")).streamFn,
    });
    expect(textsOf(agent.state.messages)).toEqual(["1: The url of a question must begin with https:"]);
  });
});

test("500 of 10,000 calls wait, and the others end at once", async () => {
  const many = calls(...Array.from({ length: 10_000 }, () => "pay"));
  const { agent } = await pause({ streamFn: scripted(many, text("Done.")).streamFn });
  expect(agent.state.pause?.requests).toHaveLength(500);
  await agent.answer((agent.state.pause?.requests ?? []).map(({ id }) => ({ id, approved: Number(id) % 2 === 0 })));
  await agent.continue();
  expect(ran).toHaveLength(250);
  const refused = textsOf(agent.state.messages).filter((result) => result.includes("500 calls wait"));
  expect(refused).toHaveLength(9500);
  expect(agent.state.pause).toBeUndefined();
});
