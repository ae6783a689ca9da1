import { Agent, type AgentMessage, type AgentOptions, agentLoopContinue } from "pi-agent";
import { answerRequests, approvals, pendingRequests, verifyRequests } from "pi-agent/approvals";
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
