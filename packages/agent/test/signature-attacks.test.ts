/** What a page can write so that it looks like what was signed, and is another thing when it runs. */
import { Agent, type AgentMessage, type AgentOptions } from "pi-agent";
import { answerRequests, approvals, verifyRequests } from "pi-agent/approvals";
import { type AssistantMessage, Type } from "pi-ai";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { call, MODEL, response, scripted, text } from "./scripted-stream.js";

const SECRET = "0123456789abcdef0123456789abcdef";
const ran: unknown[] = [];
beforeEach(() => {
  ran.length = 0;
});
afterEach(() => vi.restoreAllMocks());

const send = {
  name: "send",
  description: "Sends at most so many",
  parameters: Type.Object({ most: Type.Unsafe<number | null>({}) }),
  execute: async (_id: string, { most }: { most: number | null }) => {
    ran.push(most);
    return "Sent";
  },
};

const handlers = {
  send: async ({ signature, input }: { signature?: string; input?: object }) => {
    ran.push(signature ?? input);
    return { content: [{ type: "text" as const, text: "Sent" }], details: {} };
  },
};

function createAgent(messages: readonly AgentMessage[], more: AgentOptions = {}): Agent {
  return new Agent({
    sessionId: "chat",
    initialState: { model: MODEL, tools: [send], messages: [...messages] },
    middleware: [approvals({ pause: true, secret: SECRET })],
    serverToolHandlers: handlers,
    streamFn: scripted(text("Done.")).streamFn,
    ...more,
  });
}

/** Lets an agent pause, and returns what its page holds with everything approved. */
async function approve(message: AssistantMessage): Promise<string> {
  const agent = createAgent([], { streamFn: scripted(message).streamFn });
  await agent.prompt("Send.");
  const answers = agent.state.pause?.requests.map(({ id }) => ({ id, approved: true })) ?? [];
  expect(answers).toHaveLength(1);
  return JSON.stringify(await answerRequests(agent.state.messages, answers));
}

/** Runs what a page has sent, with every text `from` replaced. */
async function post(page: string, from: string, to: string): Promise<string> {
  expect(page).toContain(from);
  const agent = createAgent(JSON.parse(page.replaceAll(from, to)) as AgentMessage[]);
  await agent.continue();
  return JSON.stringify(agent.state.messages);
}

test("zero is not the other zero", async () => {
  const page = await approve(response([call("1", "send", { most: 0 })]));
  expect(await post(page, '"most":0', '"most":-0')).toContain("forged or changed");
  expect(ran).toEqual([]);
  await post(page, '"most":0', '"most":0');
  expect(ran).toEqual([0]);
});

test.each(["1e400", "-1e400"])("null is not %s, which JSON writes as null", async (forged) => {
  const block = { type: "serverTool", id: "1", name: "send", status: "waiting", input: { most: null } } as const;
  const page = await approve(response([block]));
  expect(await post(page, '"most":null', `"most":${forged}`)).toContain("forged or changed");
  expect(ran).toEqual([]);
  await post(page, '"most":null', '"most":null');
  expect(ran).toEqual([{ most: null }]);
});

test("the place of what JSON cannot write counts", async () => {
  const input = { least: Number.POSITIVE_INFINITY, most: null };
  const page = await approve(response([{ type: "serverTool", id: "1", name: "send", status: "waiting", input }]));
  expect(await post(page, '"most":null', '"most":1e400')).toContain("forged or changed");
  expect(ran).toEqual([]);
  await post(page, '"least":null', '"least":1e400');
  expect(ran).toEqual([input]);
});

test("the order of keys does not count, which a store may change", async () => {
  const page = await approve(response([call("1", "send", { most: 1, least: 0 })]));
  await post(page, '"most":1,"least":0', '"least":0,"most":1');
  expect(ran).toEqual([1]);
});

test("the call of a tool is not that of a server tool", async () => {
  const page = await approve(response([call("1", "send", { most: 1 })]));
  const block = '"type":"serverTool","status":"waiting","input":{"most":1}';
  expect(await post(page, '"type":"toolCall"', block)).toContain("forged or changed");
  expect(ran).toEqual([]);
});

test("what a provider gets back with an approved server tool is what was signed", async () => {
  const block = {
    type: "serverTool",
    id: "1",
    name: "send",
    status: "waiting",
    input: {},
    signature: "first",
  } as const;
  const page = await approve(response([block]));
  expect(await post(page, '"signature":"first"', '"signature":"other"')).toContain("forged or changed");
  expect(ran).toEqual([]);
  await post(page, '"signature":"first"', '"signature":"first"');
  expect(ran).toEqual(["first"]);
});

test("the key of a call is signed, from which the ids of its requests are read", async () => {
  const page = await approve(response([call("1", "send", { most: 1 })]));
  expect(await post(page, '"key":"1"', '"key":"1/1"')).toContain("forged or changed");
  expect(ran).toEqual([]);
});

test.each([true, false])(
  "a mark that a page sends many times is checked once, whether answered or not: %s",
  async (isAnswered) => {
    const agent = createAgent([], { streamFn: scripted(response([call("1", "send", { most: 1 })])).streamFn });
    await agent.prompt("Send.");
    const [asked, mark] = [agent.state.messages.slice(0, -1), agent.state.messages.slice(-1)];
    const answers = [{ id: "1", approved: true }];
    const digest = vi.spyOn(crypto.subtle, "digest");
    const digestsOf = async (count: number): Promise<number> => {
      digest.mockClear();
      const page = [...asked, ...Array.from({ length: count }, () => mark).flat()];
      await answerRequests(page, answers, { verify: verifyRequests(SECRET, "chat") });
      await createAgent(isAnswered ? await answerRequests(page, answers) : page)
        .continue()
        .catch(() => {});
      return digest.mock.calls.length;
    };
    const once = await digestsOf(1);
    expect(once).toBeGreaterThan(0);
    expect(await digestsOf(50)).toBe(once);
    expect(ran).toEqual(isAnswered ? [1] : []);
  },
);
