/** Answers, conversations and tools that are not as a pause has left them. More of them stand in `src/pause/*.test.ts`. */
import { Agent, type AgentMessage, type AgentOptions, type AnyAgentTool, defineTool, type PauseAnswer } from "pi-agent";
import { approvals, pendingRequests } from "pi-agent/approvals";
import { type AssistantMessage, type Context, type Message, Type } from "pi-ai";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { createRandom } from "../../../test/support/random.js";
import { budget } from "../../../test/support/suite.js";
import { buildBody } from "../../ai/test/handoff/check-handoff.internal.js";
import { PARTIES } from "../../ai/test/handoff/parties.js";
import { findFaults } from "../../ai/test/validators/validators.js";
import { call, MODEL, response, scripted, text } from "./scripted-stream.js";

const SECRET = "0123456789abcdef0123456789abcdef";

let ran: string[] = [];
beforeEach(() => {
  ran = [];
});

const pay = defineTool({
  name: "pay",
  description: "Pays",
  parameters: Type.Object({ euros: Type.Number() }),
  execute: async (id, { euros }) => {
    ran.push(`${id} ${euros}`);
    return "Paid";
  },
});

type Options = AgentOptions & { tools?: AnyAgentTool[]; messages?: readonly AgentMessage[]; secret?: string };

/** An agent in a new process. */
function create({ tools = [pay], messages = [], secret, ...more }: Options): Agent {
  return new Agent({
    sessionId: "chat",
    initialState: { model: MODEL, tools, messages: JSON.parse(JSON.stringify(messages)) as AgentMessage[] },
    middleware: [approvals({ pause: true, claim: () => true, ...(secret && { secret }) })],
    streamFn: scripted(text("Done.")).streamFn,
    ...more,
  });
}

async function pause(first: AssistantMessage, options: Options = {}): Promise<AgentMessage[]> {
  const agent = create({ ...options, streamFn: scripted(first).streamFn });
  await agent.prompt("Go.");
  return agent.state.messages;
}

const payment = (euros: unknown = 5) => response([call("1", "pay", { euros })]);
const resultsOf = ({ messages }: Pick<Context, "messages">) =>
  messages.flatMap((message) =>
    message.role === "toolResult" && message.content[0]?.type === "text" ? [message.content[0].text] : [],
  );
const finish = async (agent: Agent, answers: PauseAnswer[]): Promise<string | undefined> => {
  await agent.answer(answers);
  await agent.continue();
  const results = agent.state.messages.filter((message) => !("pause" in message));
  return resultsOf({ messages: results as Message[] }).at(-1);
};

describe("an answer for another conversation", () => {
  test("does not count for a request with the same id, if it has the signature of the one that the user has seen", async () => {
    const [mine, other] = [await pause(payment(5), { secret: SECRET }), await pause(payment(5000), { secret: SECRET })];
    const seen = pendingRequests(mine)[0];
    const answer = { id: "1", approved: true, signature: seen?.signature ?? "" };
    const agent = create({ messages: other, secret: SECRET });
    await expect(agent.answer([answer])).rejects.toMatchObject({ kind: "forged", id: "1" });
    expect(agent.state.pause?.requests).toHaveLength(1);
    const right = create({ messages: mine, secret: SECRET });
    await right.answer([answer, answer]);
    await right.continue();
    expect(ran).toEqual(["1 5"]);
    // What the conversation keeps of it is the answer alone.
    expect(JSON.stringify(right.state.messages).split(answer.signature)).toHaveLength(2);
  });

  test("has a signature that a conversation without a secret does not know", async () => {
    const agent = create({ messages: await pause(payment()) });
    const answer = { id: "1", approved: true, signature: "x" };
    await expect(agent.answer([answer])).rejects.toMatchObject({ kind: "forged" });
  });
});

describe("a cancelled answer", () => {
  test("declines", async () => {
    const agent = create({ messages: await pause(payment()) });
    expect(await finish(agent, [{ id: "1", approved: false, cancelled: true }])).toBe("The call of pay was declined");
    expect(ran).toEqual([]);
  });

  test("that approves is contradictory, and so is one beside an approval", async () => {
    const agent = create({ messages: await pause(payment()) });
    for (const answers of [
      [{ id: "1", approved: true, cancelled: true }],
      [
        { id: "1", approved: false, cancelled: true },
        { id: "1", approved: true },
      ],
      [
        { id: "1", approved: false, cancelled: true },
        { id: "1", approved: false },
      ],
    ])
      await expect(agent.answer(answers)).rejects.toMatchObject({ kind: "conflict", id: "1" });
    expect(agent.state.pause?.requests).toHaveLength(1);
  });

  test("after an approval is stale, and so is an approval after it", async () => {
    const agent = create({ messages: await pause(payment()) });
    await agent.answer([{ id: "1", approved: false, cancelled: true }]);
    await expect(agent.answer([{ id: "1", approved: true }])).rejects.toMatchObject({ kind: "stale" });
    await agent.continue();
    await expect(agent.answer([{ id: "1", approved: true }])).rejects.toMatchObject({ kind: "stale" });
    expect(ran).toEqual([]);
  });
});

test.each([undefined, null, 5, "1", { id: "1", approved: true }])(
  "answers of the form %j are no list",
  async (answers) => {
    const agent = create({ messages: await pause(payment()) });
    // As a page could send them.
    await expect(agent.answer(answers as never)).rejects.toMatchObject({ name: "AnswerError", kind: "invalid" });
  },
);

describe("after a restart with changed tools", () => {
  test("a call whose tool is gone is an error that the model reads", async () => {
    const agent = create({ messages: await pause(payment()), tools: [] });
    expect(await finish(agent, [{ id: "1", approved: true }])).toBe("Tool pay not found");
    expect(ran).toEqual([]);
  });

  test("arguments that no longer fit do not run", async () => {
    const strict = { ...pay, parameters: Type.Object({ euros: Type.Number({ maximum: 1 }), to: Type.String() }) };
    const agent = create({ messages: await pause(payment()), tools: [strict] });
    expect(await finish(agent, [{ id: "1", approved: true }])).toContain('Validation failed for tool "pay"');
    expect(ran).toEqual([]);
  });

  test("an answer to a question is checked by the schema of now", async () => {
    const asking = (schema: ReturnType<typeof Type.Object>): AnyAgentTool => ({
      ...pay,
      execute: async (_id, _args, _signal, _onUpdate, context) =>
        JSON.stringify(await context?.ask?.({ message: "?", schema })),
    });
    const middleware: AgentOptions["middleware"] = [];
    const before = { tools: [asking(Type.Object({ size: Type.String() }))], middleware };
    const agent = create({
      messages: await pause(payment(), before),
      middleware,
      tools: [asking(Type.Object({ size: Type.Number() }))],
    });
    await agent.answer([{ id: "1?0.0", approved: true, value: { size: "big" } }]);
    await agent.continue();
    expect(agent.state.pause?.requests).toMatchObject([
      { id: "1?0.1", schema: { properties: { size: { type: "number" } } } },
    ]);
    expect(await finish(agent, [{ id: "1?0.1", approved: true, value: { size: 4 } }])).toBe('{"size":4}');
  });

  test("a tool that asks no longer, runs", async () => {
    const asking: AnyAgentTool = {
      ...pay,
      execute: async (_id, _args, _signal, _onUpdate, context) => context?.ask?.({ message: "Sure?" }),
    };
    const middleware: AgentOptions["middleware"] = [];
    const agent = create({ messages: await pause(payment(), { tools: [asking], middleware }), middleware });
    expect(await finish(agent, [{ id: "1?0.0", approved: true, value: 1 }])).toBe("Paid");
    expect(ran).toEqual(["1 5"]);
  });

  test("a tool that needs no approval any more, runs with the answer only", async () => {
    const messages = await pause(payment());
    const agent = create({ messages, middleware: [] });
    await expect(agent.continue()).rejects.toThrow("waits for an answer");
    expect(ran).toEqual([]);
    expect(await finish(agent, [{ id: "1", approved: true }])).toBe("Paid");
  });
});

describe("arguments that a schema changes", () => {
  const order = defineTool({
    name: "pay",
    description: "Pays",
    parameters: z.object({
      euros: z.number().transform((euros) => euros * 100),
      day: z.string().transform((day) => new Date(day)),
    }),
    execute: async (id, { euros, day }) => {
      ran.push(`${id} ${euros} ${day.getUTCFullYear()}`);
      return "Paid";
    },
  });
  const ordered = response([call("1", "pay", { euros: 5, day: "2026-11-27" })]);

  test.each([undefined, SECRET])("are changed once, whatever was stored and shown (secret: %s)", async (secret) => {
    const own: Options = { tools: [order], ...(secret && { secret }) };
    const messages = await pause(ordered, own);
    // People see what the model wrote.
    expect(pendingRequests(messages)[0]?.arguments).toEqual({ euros: 5, day: "2026-11-27" });
    const agent = create({ ...own, messages });
    expect(await finish(agent, [{ id: "1", approved: true }])).toBe("Paid");
    expect(ran).toEqual(["1 500 2026"]);
  });

  test("are changed once when the user has changed them before", async () => {
    const agent = create({ tools: [order], messages: await pause(ordered, { tools: [order] }) });
    await finish(agent, [{ id: "1", approved: true, arguments: { euros: 7, day: "2027-01-01" } }]);
    expect(ran).toEqual(["1 700 2027"]);
  });

  test("do not run if they do not fit, and are not asked for", async () => {
    const wrong = response([call("1", "pay", { euros: "many", day: 5 })]);
    const agent = create({ tools: [order], streamFn: scripted(wrong, text("Done.")).streamFn });
    await agent.prompt("Go.");
    expect(agent.state.pause).toBeUndefined();
    expect(ran).toEqual([]);
    expect(JSON.stringify(agent.state.messages)).toContain("Validation failed");
  });

  test("that fit after a conversion are shown as they run", async () => {
    const messages = await pause(payment("5"));
    expect(pendingRequests(messages)[0]?.arguments).toEqual({ euros: 5 });
    await finish(create({ messages }), [{ id: "1", approved: true }]);
    expect(ran).toEqual(["1 5"]);
  });
});

test("a conversation without the mark of a call never runs it", async () => {
  const both = response([call("1", "pay", { euros: 1 }), call("2", "pay", { euros: 2 })]);
  const agent = create({ messages: await pause(both), maxTurns: 1 });
  await agent.answer([{ id: "1", approved: true }]);
  const pruned = agent.state.messages.filter((message) => !("toolCallId" in message && message.toolCallId === "2"));
  const later = create({ messages: pruned });
  await expect(later.answer([{ id: "2", approved: true }])).rejects.toMatchObject({ kind: "unknown" });
  await later.continue();
  expect(ran).toEqual(["1 1"]);
});

const EDITS = budget({ quick: 150, all: 3000 });

test(`${EDITS} conversations that were edited`, { timeout: EDITS * 100 }, async () => {
  const calls = response([1, 2, 3].map((n) => call(String(n), "pay", { euros: n })));
  const [plain, signed] = [await pause(calls), await pause(calls, { secret: SECRET })];
  let finished = 0;
  for (let seed = 0; seed < EDITS; seed++) {
    ran = [];
    const secret = seed % 2 === 1 ? SECRET : undefined;
    const { approved, faults, isOver } = await approveAll(edit(secret ? signed : plain, seed), seed, secret);
    const place = `seed ${seed}`;
    expect(faults, place).toEqual([]);
    // No call runs twice, or without an answer, and with a secret only as the model wrote it.
    expect(new Set(ran).size, place).toBe(ran.length);
    expect(ran.length, place).toBeLessThanOrEqual(approved);
    if (secret) for (const one of ran) expect(["1 1", "2 2", "3 3"], place).toContain(one);
    if (isOver) finished++;
  }
  // Many edits leave a conversation that can go on.
  expect(finished).toBeGreaterThan(EDITS / 4);
});

interface Approved {
  /** The answers that counted. */
  approved: number;
  /** Why an api would refuse what was sent, and what no application expects. */
  faults: string[];
  /** Whether the conversation went on. */
  isOver: boolean;
}

async function approveAll(messages: AgentMessage[], seed: number, secret: string | undefined): Promise<Approved> {
  const all: Approved = { approved: 0, faults: [], isOver: false };
  const { streamFn } = scripted(text("Done."), text("Done."));
  const party = PARTIES[seed % PARTIES.length];
  if (!party) throw new Error("there is no api");
  const { api, model } = party;
  const agent = create({
    messages,
    ...(secret && { secret }),
    streamFn: (called, context, options) => {
      all.faults.push(...findFaults(api, buildBody(party, model, [...context.messages], WAY), model));
      return streamFn(called, context, options);
    },
  });
  try {
    for (const { id } of agent.state.pause?.requests ?? []) {
      await agent.answer([{ id, approved: true }]);
      all.approved++;
    }
    await agent.continue();
    all.isOver = true;
  } catch (error) {
    if (!["AnswerError", "AgentStateError"].includes((error as Error).name)) all.faults.push(String(error));
  }
  return all;
}

const WAY = { tools: [], options: {} };

/** Removes, repeats, exchanges and changes messages. */
function edit(messages: readonly AgentMessage[], seed: number): AgentMessage[] {
  const random = createRandom(seed);
  let edited = JSON.parse(JSON.stringify(messages)) as AgentMessage[];
  for (let count = 1 + random.below(3); count > 0; count--) {
    const index = 1 + random.below(edited.length - 1);
    const other = 1 + random.below(edited.length - 1);
    const [one, two] = [edited[index], edited[other]];
    if (!(one && two)) break;
    const way = random.below(5);
    if (way === 0) edited.splice(index, 1);
    else if (way === 1) edited.splice(other, 0, one);
    else if (way === 2) edited = edited.with(index, two).with(other, one);
    else {
      const json = JSON.stringify(one);
      const [from, to] = random.pick(CHANGES);
      edited[index] = JSON.parse(json.replaceAll(from, to)) as AgentMessage;
    }
    if (edited.length < 2) break;
  }
  return edited;
}

const CHANGES = [
  ['"euros":2', '"euros":2000'],
  ['"state":"waiting"', '"state":"answered"'],
  ['"state":"waiting"', '"state":"begun"'],
  ['"kind":"approval"', '"kind":"question"'],
  ['"kind":"approval"', '"kind":"order"'],
  ['"requests":[', '"requests":[null,5,{},'],
  ['"requests":', '"requested":'],
  ['"toolCallId":"1"', '"toolCallId":"3"'],
  ['"id":"2"', '"id":"1"'],
  ['"pause":', '"paused":'],
  ['"signature":"', '"signature":"x'],
  ['"toolName":"pay"', '"toolName":"__proto__"'],
] as const;
