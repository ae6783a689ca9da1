/** A page can change no part of what was signed, each by itself: a call with such a request does not run. */
import { Agent, type AgentMessage, type AgentOptions, type AnyAgentTool } from "pi-agent";
import { answerRequests, approvals } from "pi-agent/approvals";
import { agentTool } from "pi-agent/limits";
import { type AssistantMessage, Type } from "pi-ai";
import { beforeEach, describe, expect, test } from "vitest";
import { call, MODEL, response, scripted, text } from "./scripted-stream.js";

const ran: string[] = [];
beforeEach(() => {
  ran.length = 0;
});

const parameters = Type.Object({ euros: Type.Number() });
const pay: AnyAgentTool = {
  ...{ name: "pay", description: "Pays", parameters },
  execute: async (_id, { euros }: { euros: number }) => {
    ran.push(`pay ${euros}`);
    return "Paid";
  },
};
const asking = (name: string, ask: (questions: object[]) => object[][]): AnyAgentTool => ({
  ...{ name, description: "Asks", parameters },
  execute: async (_id, { euros }: { euros: number }, _signal, _onUpdate, context) => {
    const schema = Type.Object({ ok: Type.Boolean() });
    const questions = ["Sure?", "Really?"].map((message) => ({ message, schema, url: "https://shop.test/" }));
    // As the tools of MCP servers ask.
    for (const round of ask(questions)) await context?.pausing?.askAll(round as { message: string }[]);
    ran.push(`${name} ${euros}`);
    return "Asked";
  },
});
const atOnce = asking("atOnce", (questions) => [questions]);
const inTurn = asking("inTurn", (questions) => questions.map((question) => [question]));
const run = agentTool({
  ...{ name: "run", description: "Runs an agent", parameters },
  agent: () => createAgent([], [response([call("1", "pay", { euros: 9 })])], [pay]),
});

const signed = () =>
  approvals({ when: ({ tool }) => tool.name === "pay", pause: true, secret: "0123456789abcdef0123456789abcdef" });

function createAgent(messages: AgentMessage[], responses: AssistantMessage[], tools: AnyAgentTool[]): Agent {
  return new Agent({
    sessionId: "chat",
    initialState: { model: MODEL, tools, messages },
    middleware: [signed()],
    streamFn: scripted(...responses, text("Done.")).streamFn,
  });
}

const TOOLS = [pay, atOnce, inTurn, run];

interface Part {
  [name: string]: unknown;
}
/** What a page holds: the call, its marks, and the requests and answers in them. */
interface Held {
  messages: AgentMessage[];
  call: Part;
  marks: Part[];
  requests: Part[];
  answers: Part[];
}

/** Lets a call pause, and gives the answers of the user. */
async function pause(name: string): Promise<Held> {
  const agent = createAgent([], [response([call("1", name, { euros: 5 })])], TOOLS);
  await agent.prompt("Go.");
  for (let round = 0; ; round++) {
    const answers = agent.state.pause?.requests.map(({ id }) => ({ id, approved: true, value: { ok: true } })) ?? [];
    const answered = await answerRequests(agent.state.messages, answers);
    if (name !== "inTurn" || round > 0) return hold(answered);
    await agent.answer(answers);
    await agent.continue();
  }
}

function hold(answered: AgentMessage[]): Held {
  const messages = JSON.parse(JSON.stringify(answered)) as AgentMessage[];
  const found: Part[] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    found.push(value as Part);
    Object.values(value).forEach(walk);
  };
  walk(messages);
  return {
    messages,
    call: found.find(({ type }) => type === "toolCall") ?? {},
    marks: found.filter(({ role, toolCallId }) => role === "toolResult" && toolCallId === "1"),
    requests: found.filter(({ kind }) => kind !== undefined),
    answers: found.filter(({ approved }) => approved !== undefined),
  };
}

async function post({ messages }: Held, tools = TOOLS): Promise<string> {
  const agent = createAgent(messages, [], tools);
  await agent.continue();
  return JSON.stringify(agent.state.messages);
}

const set =
  (values: Part, at = 0) =>
  ({ requests }: Held) =>
    Object.assign(requests.at(at) ?? {}, values);

const CHANGES: [what: string, tool: string, change: (held: Held) => unknown][] = [
  [
    "the id of the call",
    "pay",
    ({ call, marks }) => {
      call["id"] = "2";
      for (const mark of marks) mark["toolCallId"] = "2";
    },
  ],
  [
    "the id of the request",
    "pay",
    ({ requests, answers }) => [...requests, ...answers].map((one) => Object.assign(one, { id: "x" })),
  ],
  ["the call of the request", "pay", set({ toolCallId: "2" })],
  ["the random part of a signature", "pay", ({ requests }) => renew(requests[0])],
  [
    "a question to an approval, with arguments",
    "atOnce",
    ({ requests, answers }) => {
      Object.assign(requests[0] ?? {}, { kind: "approval" });
      Object.assign(answers[0] ?? {}, { arguments: { euros: 1_000_000 } });
    },
  ],
  ["the schema of a question", "atOnce", set({ schema: {} })],
  ["the address of a question", "atOnce", set({ url: "https://other.test/" })],
  ["the second of two requests", "atOnce", set({ message: "Fine?" }, 1)],
  ["the first of two rounds", "inTurn", set({ message: "Fine?" })],
  ["the path of a request of an agent", "run", set({ path: ["1", "1"] })],
  ["the arguments that an agent has shown", "run", set({ arguments: { euros: 1 } })],
];

/** Another random text of the same form. */
function renew(request: Part | undefined): void {
  const signature = String(request?.["signature"]);
  Object.assign(request ?? {}, { signature: `${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}` });
}

describe("a page", () => {
  test.each(CHANGES)("cannot change %s", async (_what, tool, change) => {
    const held = await pause(tool);
    const before = JSON.stringify(held.messages);
    change(held);
    expect(JSON.stringify(held.messages)).not.toBe(before);
    expect(await post(held)).toContain("its approval was forged or changed");
    expect(ran).toEqual([]);
    await post(hold(JSON.parse(before) as AgentMessage[]));
    expect(ran).toEqual([tool === "run" ? "pay 9" : `${tool} 5`]);
  });
});

test("a tool whose parameters have changed since is another tool", async () => {
  const held = await pause("pay");
  const changed = { ...pay, parameters: Type.Object({ euros: Type.Number({ description: "Thousands" }) }) };
  expect(await post(held, [changed])).toContain("its approval was forged or changed");
  expect(ran).toEqual([]);
});

describe("after its time", () => {
  const at = (now: number, middleware = [signed()]) => ({ now: () => now, middleware });

  async function late(held: AgentMessage[], more: AgentOptions, tools = TOOLS): Promise<string> {
    const agent = new Agent({
      sessionId: "chat",
      initialState: { model: MODEL, tools, messages: JSON.parse(JSON.stringify(held)) as AgentMessage[] },
      streamFn: scripted(text("Done.")).streamFn,
      ...more,
    });
    await agent.continue();
    return JSON.stringify(agent.state.messages);
  }

  test("only the answer counts that was to count then, and no other approval", async () => {
    const secret = "0123456789abcdef0123456789abcdef";
    const fallback = { approved: true, arguments: { euros: 1 } };
    const middleware = [approvals({ pause: true, secret, timeoutMs: 50, default: fallback })];
    const agent = createAgent([], [response([call("1", "pay", { euros: 5 })])], TOOLS);
    Object.assign(agent, { middleware });
    await agent.prompt("Go.");
    const asked = agent.state.messages.slice();
    const answered = await answerRequests(asked, [{ id: "1", approved: true }]);
    const now = Date.now() + 1_000_000;
    expect(await late(answered, at(now, middleware))).toContain("its approval came too late");
    expect(ran).toEqual([]);
    await late(asked, at(now, middleware));
    expect(ran).toEqual(["pay 1"]);
  });

  test("no request of those that were asked at once has an answer", async () => {
    const asks: AnyAgentTool = {
      ...{ name: "asks", description: "Asks", parameters },
      execute: async (_id, _args, _signal, _onUpdate, context) => {
        await context?.pausing?.askAll([{ message: "Sure?" }, { message: "Really?", timeoutMs: 50 }]);
        ran.push("asks");
        return "Asked";
      },
    };
    const agent = createAgent([], [response([call("1", "asks", { euros: 5 })])], [asks]);
    await agent.prompt("Go.");
    const answers = agent.state.pause?.requests.map(({ id }) => ({ id, approved: true })) ?? [];
    const answered = await answerRequests(agent.state.messages, answers);
    expect(await late(answered, at(Date.now() + 1_000_000), [asks])).toContain("its approval came too late");
    expect(ran).toEqual([]);
    await late(answered, at(Date.now()), [asks]);
    expect(ran).toEqual(["asks"]);
  });
});
