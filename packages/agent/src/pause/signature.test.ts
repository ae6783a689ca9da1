import { Agent, type AgentMessage, type AgentOptions, agentLoopContinue, type ToolPausing } from "pi-agent";
import { answerRequests, approvals, pendingRequests, verifyRequests } from "pi-agent/approvals";
import { agentTool } from "pi-agent/limits";
import { Type } from "pi-ai";
import { beforeEach, describe, expect, test } from "vitest";
import { call, MODEL, response, scripted, text } from "../../test/scripted-stream.js";

const SECRET = "0123456789abcdef0123456789abcdef";

let ran: string[] = [];
beforeEach(() => {
  ran = [];
});

const pay = {
  name: "pay",
  description: "Pays",
  parameters: Type.Object({ euros: Type.Number() }),
  execute: async (id: string, { euros }: { euros: number }) => {
    ran.push(`${id} ${euros}`);
    return "Paid";
  },
};

function createAgent(sessionId: string, messages: readonly AgentMessage[], more: AgentOptions = {}): Agent {
  return new Agent({
    sessionId,
    initialState: { model: MODEL, tools: [pay], messages: JSON.parse(JSON.stringify(messages)) as AgentMessage[] },
    middleware: [approvals({ pause: true, secret: SECRET })],
    streamFn: scripted(text("Done.")).streamFn,
    ...more,
  });
}

/** The messages of a conversation that waits, as a page would hold them. */
async function pause(sessionId = "chat"): Promise<AgentMessage[]> {
  const paying = response([call("1", "pay", { euros: 5 }), call("2", "pay", { euros: 7 })]);
  const agent = createAgent(sessionId, [], { streamFn: scripted(paying).streamFn });
  await agent.prompt("Pay.");
  return agent.state.messages;
}

/** The messages with every text `from` replaced. */
function edit(messages: readonly AgentMessage[], from: string, to: string): AgentMessage[] {
  const json = JSON.stringify(messages);
  expect(json).toContain(from);
  return JSON.parse(json.replaceAll(from, to)) as AgentMessage[];
}

const APPROVED = [{ id: "1", approved: true }];

test("what a tool has kept is read as often for many requests as for one", async () => {
  /** How often the value is read from the pause to the run that goes on. */
  const readsFor = async (questions: number): Promise<number> => {
    let reads = 0;
    const kept = {
      get value() {
        reads++;
        return 1;
      },
    };
    const asking = {
      ...pay,
      name: "ask",
      execute: async (
        _id: string,
        _args: object,
        ...[, , context]: [unknown, unknown, { pausing?: ToolPausing | undefined }?]
      ) => {
        const asked = Array.from({ length: questions }, (_, index) => ({ message: `Question ${index}` }));
        await context?.pausing?.askAll(asked, { resume: kept });
        return "Asked";
      },
    };
    const streamFn = scripted(response([call("1", "ask", { euros: 1 })]), text("Done.")).streamFn;
    const agent = new Agent({
      sessionId: "chat",
      initialState: { model: MODEL, tools: [asking] },
      middleware: [approvals({ pause: true, secret: SECRET, when: () => false })],
      streamFn,
    });
    await agent.prompt("Ask.");
    const requests = agent.state.pause?.requests ?? [];
    expect(requests).toHaveLength(questions);
    await agent.answer(requests.map(({ id }) => ({ id, approved: true })));
    await agent.continue();
    expect(agent.state.messages.at(-1)).toMatchObject({ role: "assistant" });
    return reads;
  };
  expect(await readsFor(50)).toBe(await readsFor(1));
});

describe("a signed request", () => {
  test("is answered in another process", async () => {
    const agent = createAgent("chat", await pause());
    await agent.answer(APPROVED);
    await agent.answer([{ id: "2", approved: true, arguments: { euros: 8 } }]);
    await agent.continue();
    expect(ran).toEqual(["1 5", "2 8"]);
  });

  test.each([
    ["arguments of the call", '"euros":5', '"euros":5000'],
    ["the tool", '"name":"pay"', '"name":"pay2"'],
    ["the request", '"toolName":"pay"', '"toolName":"look"'],
    ["the call", '"toolCallId":"1"', '"toolCallId":"2"'],
    ["the time", '"kind":"approval"', '"kind":"approval","expiresAt":9999999999999'],
    ["the default", '"kind":"approval"', '"kind":"approval","default":{"approved":true}'],
    ["the signature", '"signature":"', '"signature":"x'],
    ["no signature", '"signature"', '"other"'],
  ])("is refused when a page has changed %s", async (_what, from, to) => {
    const agent = createAgent("chat", edit(await pause(), from, to));
    const [request] = agent.state.pause?.requests ?? [];
    await expect(agent.answer([{ id: request?.id ?? "", approved: true }])).rejects.toMatchObject({ kind: "forged" });
    expect(agent.state.pause?.requests).toHaveLength(2);
    expect(ran).toEqual([]);
  });

  test("is refused in another conversation", async () => {
    const agent = createAgent("other", await pause());
    await expect(agent.answer(APPROVED)).rejects.toMatchObject({ kind: "forged", id: "1" });
  });

  test("does not run if the page forged the answer, too, or has cut the conversation back to before the call", async () => {
    const messages = await pause();
    const agent = createAgent("chat", messages);
    await agent.answer(APPROVED);
    const answered = agent.state.messages.slice();
    const forged = createAgent("chat", edit(answered, '"euros":5', '"euros":5000'));
    await forged.continue();
    expect(JSON.stringify(forged.state.messages)).toContain("its approval was forged or changed");
    await agent.continue();
    expect(ran).toEqual(["1 5"]);
    const again = createAgent("chat", answered);
    await again.continue();
    expect(ran).toEqual(["1 5"]);
    expect(JSON.stringify(again.state.messages)).toContain("its approval was used before");
  });

  test("is used once in all processes with a store that they share", async () => {
    const used = new Set<string>();
    const claim = async (signature: string) => !used.has(signature) && Boolean(used.add(signature));
    const middleware = [approvals({ pause: true, secret: SECRET, claim })];
    const messages = await pause();
    for (let process = 0; process < 2; process++) {
      const agent = createAgent("chat", messages, { middleware });
      await agent.answer(APPROVED);
      await agent.continue();
    }
    expect(ran).toEqual(["1 5"]);
    expect(used.size).toBe(1);
  });

  test("is verified without an agent", async () => {
    const messages = await pause();
    const verify = verifyRequests(SECRET, "chat");
    const forged = edit(messages, '"euros":5', '"euros":5000');
    await expect(answerRequests(forged, APPROVED, { verify })).rejects.toMatchObject({ kind: "forged" });
    const answered = await answerRequests(messages, APPROVED, { verify });
    expect(pendingRequests(answered)).toHaveLength(1);
    const config = {
      model: MODEL,
      sessionId: "chat",
      convertToLlm: () => [],
      middleware: [approvals({ pause: true, secret: SECRET })],
    };
    const context = { systemPrompt: "", messages: answered, tools: [pay] };
    await agentLoopContinue(context, config, undefined, scripted(text("Done.")).streamFn).result();
    expect(ran).toEqual(["1 5"]);
  });

  test("signs the questions of tools, too", async () => {
    const asking = { ...pay, execute: async () => "" };
    const curious = {
      ...pay,
      execute: async (...[id, , , , context]: Parameters<typeof asking.execute> | unknown[]) => {
        const ask = (context as { ask(question: object): Promise<unknown> }).ask;
        ran.push(`${id} ${await ask({ message: "Which account?" })}`);
        return "Paid";
      },
    };
    const middleware = [approvals({ pause: true, secret: SECRET, when: () => false })];
    const options = { middleware, streamFn: scripted(response([call("1", "pay", { euros: 5 })])).streamFn };
    const agent = createAgent("chat", [], options);
    agent.state.tools = [curious];
    await agent.prompt("Pay.");
    const forged = createAgent("chat", edit(agent.state.messages, "Which account?", "Which password?"), options);
    const answers = [{ id: "1?0.0", approved: true, value: "mine" }];
    await expect(forged.answer(answers)).rejects.toMatchObject({ kind: "forged" });
    await agent.answer(answers);
    await agent.continue();
    expect(ran).toEqual(["1 mine"]);
  });
});

describe("a page that holds the messages", () => {
  type Block = { type: string; id: string; name?: string };
  type Page = { role: string; content: Block[]; pause?: { state: string; answers?: unknown[]; requests?: object[] } };

  /** Sends the messages with the change of a page, in another process that has the tools. */
  async function attack(messages: readonly AgentMessage[], change: (page: Page[]) => void, more: AgentOptions = {}) {
    const page = JSON.parse(JSON.stringify(messages)) as Page[];
    change(page);
    const agent = createAgent("chat", page as unknown as AgentMessage[], more);
    await agent.continue().catch(() => {});
    return agent;
  }

  const answered = async (messages: readonly AgentMessage[], id = "1") =>
    answerRequests(messages, [{ id, approved: true }]);

  test.each([
    ["a finished server tool", { type: "serverTool", status: "done", input: { euros: 5 } }],
    ["a call before it", { type: "toolCall", arguments: { euros: 1_000_000 } }],
  ])("cannot show the signed call as %s and add a call with its id", async (_what, block) => {
    await attack(await answered(await pause()), (page) => {
      const response = page.find(({ role }) => role === "assistant");
      const [signed] = response?.content ?? [];
      response?.content.unshift({ id: "1", name: "pay", ...block } as Block);
      Object.assign(signed ?? {}, { arguments: { euros: 1_000_000 } });
    });
    expect(ran).toEqual([]);
    await attack(await answered(await pause()), (page) => {
      const response = page.find(({ role }) => role === "assistant");
      response?.content.push({ id: "1", name: "pay", ...block } as Block);
    });
    expect(ran).toEqual(["1 5"]);
  });

  test("cannot mark a call of its own as waiting without a request, nor have it signed", async () => {
    const agent = await attack(await pause(), (page) => {
      for (const { pause } of page) if (pause) pause.requests = [];
    });
    expect(ran).toEqual([]);
    expect(agent.state.pause).toBeUndefined();
    expect(JSON.stringify(agent.state.messages)).toContain("its approval was forged or changed");
  });

  test("cannot run a tool again by a mark that it has begun", async () => {
    const safe = { ...pay, replay: "safe" as const };
    const messages = await answered(await pause());
    const begun = { ...messages.at(-1), pause: { state: "begun" } } as unknown as Page;
    for (let time = 0; time < 3; time++) {
      await attack(messages, (page) => page.push(begun), {
        initialState: { model: MODEL, tools: [safe], messages: [...messages, begun as unknown as AgentMessage] },
      });
    }
    expect(ran).toEqual(["1 5"]);
  });

  test("cannot answer after the time, whatever date it gives the answer", async () => {
    let now = 1000;
    const options = { now: () => now, middleware: [approvals({ pause: true, secret: SECRET, timeoutMs: 50 })] };
    const paying = response([call("1", "pay", { euros: 5 })]);
    const agent = createAgent("chat", [], { ...options, streamFn: scripted(paying).streamFn });
    await agent.prompt("Pay.");
    const messages = await answerRequests(agent.state.messages, [{ id: "1", approved: true }], { now });
    now = 1300;
    const late = await attack(messages, () => {}, options);
    expect(ran).toEqual([]);
    expect(JSON.stringify(late.state.messages)).toContain("its approval came too late");
  });

  test("cannot change the tool behind an approval", async () => {
    const tools = [{ ...pay, description: "Pays twice" }];
    const messages = await answered(await pause());
    await attack(messages, () => {}, { initialState: { model: MODEL, tools, messages } });
    expect(ran).toEqual([]);
  });

  test("cannot change arguments by the answer to a question, or answer what was not asked", async () => {
    const asking = {
      ...pay,
      execute: async (...[id, args, , , context]: unknown[]) => {
        const { ask } = context as { ask(question: object): Promise<unknown> };
        ran.push(
          `${id} ${(args as { euros: number }).euros} ${await ask({ message: "Sure?" })} ${await ask({ message: "Really?" })}`,
        );
        return "Paid";
      },
    };
    const middleware = [approvals({ pause: true, secret: SECRET, when: () => false })];
    const options = { middleware, streamFn: scripted(response([call("1", "pay", { euros: 5 })])).streamFn };
    const first = new Agent({ ...options, sessionId: "chat", initialState: { model: MODEL, tools: [asking] } });
    await first.prompt("Pay.");
    const asked = first.state.messages;
    const messages = await answered(asked, "1?0.0");
    const answers = [
      { id: "1?0.0", approved: true, value: "yes", arguments: { euros: 1_000_000 } },
      { id: "1?1.0", approved: true, value: "yes" },
    ];
    const page = messages.map((one) =>
      "pause" in one && one.pause && "answers" in (one.pause as object)
        ? { ...one, pause: { state: "answered", answers } }
        : one,
    );
    const agent = new Agent({
      ...options,
      sessionId: "chat",
      initialState: { model: MODEL, tools: [asking], messages: page as AgentMessage[] },
    });
    await agent.continue();
    expect(ran).toEqual([]);
    expect(agent.state.pause?.requests).toMatchObject([{ id: "1?1.0", message: "Really?", arguments: { euros: 5 } }]);
  });

  test("cannot change what it has answered before the tool asked again", async () => {
    const asking = {
      ...pay,
      execute: async (...[id, args, , , context]: unknown[]) => {
        const { ask } = context as { ask(question: object): Promise<unknown> };
        const answers = [await ask({ message: "From which account?" }), await ask({ message: "Sure?" })];
        ran.push(`${id} ${(args as { euros: number }).euros} ${answers.join()}`);
        return "Paid";
      },
    };
    const paying = response([call("1", "pay", { euros: 5 })]);
    const create = (messages: AgentMessage[], streamFn = scripted(text("Done.")).streamFn) =>
      createAgent("chat", [], { streamFn, initialState: { model: MODEL, tools: [asking], messages } });
    let agent = create([], scripted(paying).streamFn);
    await agent.prompt("Pay.");
    for (const value of [undefined, "mine", "yes"]) {
      const id = agent.state.pause?.requests[0]?.id ?? "";
      agent = create(await answerRequests(agent.state.messages, [{ id, approved: true, ...(value && { value }) }]));
      if (value !== "yes") await agent.continue();
    }
    const answered = agent.state.messages;
    const changed = [edit(answered, '"mine"', '"yours"'), structuredClone(answered)];
    const [, page = []] = changed;
    const marks = page.flatMap((message) =>
      "marks" in message ? (message.marks as NonNullable<Page["pause"]>[]) : [],
    );
    Object.assign(marks.find(({ state }) => state === "answered")?.answers?.[0] ?? {}, { arguments: { euros: 7 } });
    for (const messages of changed) await create(messages).continue();
    expect(ran).toEqual([]);
    await create(answered).continue();
    expect(ran).toEqual(["1 5 mine,yes"]);
  });

  test("cannot change the arguments of a call of an agent that a tool runs", async () => {
    const child = agentTool({
      ...{ name: "run", description: "Runs an agent", parameters: Type.Object({ n: Type.Number() }) },
      agent: () =>
        createAgent("child", [], { streamFn: scripted(response([call("1", "pay", { euros: 5 })])).streamFn }),
    });
    const create = (messages: AgentMessage[], streamFn = scripted(text("Done.")).streamFn) =>
      createAgent("chat", [], { streamFn, initialState: { model: MODEL, tools: [child], messages } });
    const first = create([], scripted(response([call("r", "run", { n: 1 })])).streamFn);
    first.middleware = [approvals({ pause: true, secret: SECRET, when: () => false })];
    await first.prompt("Run.");
    const [request] = first.state.pause?.requests ?? [];
    const answers = [{ id: request?.id, approved: true, arguments: { euros: 1_000_000 } }];
    const mark = { ...first.state.messages.at(-1), pause: { state: "answered", answers } } as unknown as AgentMessage;
    const agent = create([...first.state.messages, mark]);
    agent.middleware = first.middleware;
    await agent.continue();
    expect(ran).toEqual(["1 5"]);
  });

  test("cannot change what a tool has kept to go on, such as the conversation of an agent", async () => {
    const keeping = {
      ...pay,
      execute: async (...[, , , , context]: unknown[]) => {
        const { pausing } = context as { pausing: ToolPausing };
        if (pausing.resume) ran.push(JSON.stringify(pausing.resume));
        else await pausing.askAll([{ message: "Sure?" }], { resume: { pays: 5 } });
        return "Paid";
      },
    };
    const middleware = [approvals({ pause: true, secret: SECRET, when: () => false })];
    const options = { middleware, streamFn: scripted(response([call("1", "pay", { euros: 5 })])).streamFn };
    const first = new Agent({ ...options, sessionId: "chat", initialState: { model: MODEL, tools: [keeping] } });
    await first.prompt("Pay.");
    const messages = await answered(first.state.messages, first.state.pause?.requests[0]?.id);
    for (const [from, to] of [
      ['"pays":5', '"pays":1000000'],
      ['"pays":5', '"pays":5'],
    ] as const) {
      const page = edit(messages, from, to);
      const agent = new Agent({
        ...options,
        sessionId: "chat",
        initialState: { model: MODEL, tools: [keeping], messages: page },
      });
      await agent.continue();
      expect(ran).toEqual(to === from ? ['{"pays":5}'] : []);
    }
  });
});

test("questions that were asked at once are used once, in whatever order a page sends them back", async () => {
  const asking = {
    ...pay,
    execute: async (...[id, , , , context]: unknown[]) => {
      const { pausing } = context as { pausing: ToolPausing };
      await pausing.askAll([{ message: "Sure?" }, { message: "Really?" }]);
      ran.push(String(id));
      return "Paid";
    },
  };
  const middleware = [approvals({ pause: true, secret: SECRET, when: () => false })];
  const create = (messages: AgentMessage[], streamFn = scripted(text("Done.")).streamFn) =>
    new Agent({ sessionId: "chat", middleware, streamFn, initialState: { model: MODEL, tools: [asking], messages } });
  const first = create([], scripted(response([call("1", "pay", { euros: 5 })])).streamFn);
  await first.prompt("Pay.");
  const answers = first.state.pause?.requests.map(({ id }) => ({ id, approved: true })) ?? [];
  const messages = await answerRequests(first.state.messages, answers);
  for (const order of ["as asked", "reversed", "first only"]) {
    const page = structuredClone(messages) as (AgentMessage & { marks?: { requests?: object[] }[] })[];
    const [mark] = page.flatMap(({ marks = [] }) => marks);
    expect(mark?.requests).toHaveLength(2);
    if (mark && order === "reversed") mark.requests?.reverse();
    if (mark && order === "first only") mark.requests?.pop();
    await create(page).continue();
  }
  expect(ran).toEqual(["1"]);
});

test("a request cannot be signed without the name of a conversation", async () => {
  const agent = createAgent("", []);
  await agent.prompt("Pay.");
  expect(agent.state.errorMessage).toContain("needs the sessionId");
});

test("a secret has at least 32 bytes", () => {
  expect(() => approvals({ pause: true, secret: "short" })).toThrow("at least 32 bytes");
  expect(() => approvals({ pause: true, secret: new Uint8Array(31) })).toThrow("at least 32 bytes");
  expect(() => approvals({ pause: true, secret: new Uint8Array(32) })).not.toThrow();
});
