/** What the marks that a page sends count for: so many calls and requests, the first answer, and nothing after a result. */
import { Agent, type AgentMessage, type AnyAgentTool } from "pi-agent";
import { approvals, pendingRequests } from "pi-agent/approvals";
import { Type } from "pi-ai";
import { processState } from "pi-ai/call";
import { beforeEach, expect, test } from "vitest";
import { call, MODEL, response, scripted, text } from "./scripted-stream.js";

const ran: string[] = [];
beforeEach(() => {
  ran.length = 0;
});
const pay: AnyAgentTool = {
  ...{ name: "pay", description: "Pays", parameters: Type.Object({}) },
  execute: async (id) => {
    ran.push(id);
    return "Paid";
  },
};

const resultOf = (id: string, more: object = {}): AgentMessage =>
  ({
    ...{ role: "toolResult", toolCallId: id, toolName: "pay", content: [], isError: false, timestamp: 1 },
    ...more,
  }) as AgentMessage; // As a page sends it.
const requestOf = (id: string, toolCallId = id) => ({
  ...{ id, kind: "approval", toolCallId, toolName: "pay", arguments: {} },
});
const waiting = (id: string, requests: object[] = [requestOf(id)]): AgentMessage =>
  resultOf(id, { pause: { state: "waiting", key: id, requests } });
const answered = (id: string, approved: boolean): AgentMessage =>
  resultOf(id, { pause: { state: "answered", answers: [{ id, approved }] } });

const idsOf = (count: number): string[] => Array.from({ length: count }, (_, index) => `c${index}`);

test("500 calls of a response wait, and no more", () => {
  const ids = idsOf(501);
  const messages = [response(ids.map((id) => call(id, "pay"))), ...ids.map((id) => waiting(id))];
  expect(pendingRequests(messages).map(({ id }) => id)).toEqual(ids.slice(0, 500));
});

test("a call waits for 1,000 requests, and not for more", () => {
  const waitingFor = (count: number): AgentMessage[] => {
    const requests = idsOf(count).map((id) => requestOf(id, "1"));
    return [response([call("1", "pay")]), waiting("1", requests)];
  };
  expect(pendingRequests(waitingFor(1000))).toHaveLength(1000);
  expect(pendingRequests(waitingFor(1001))).toEqual([]);
});

test("nothing waits after its result", () => {
  const messages = [response([call("1", "pay")]), waiting("1"), resultOf("1"), waiting("1")];
  expect(pendingRequests(messages)).toEqual([]);
});

test("of two answers, the first one counts", async () => {
  const messages = [response([call("1", "pay")]), waiting("1"), answered("1", false), answered("1", true)];
  const agent = new Agent({
    initialState: { model: MODEL, tools: [pay], messages },
    streamFn: scripted(text("Done.")).streamFn,
  });
  await agent.continue();
  expect(ran).toEqual([]);
  expect(JSON.stringify(agent.state.messages)).toContain("The call of pay was declined");
});

/** A tool that asks what it is told to ask. */
function asking(question: () => { message: string; url?: string; schema?: object }): AnyAgentTool {
  return {
    ...pay,
    execute: async (id, _args, _signal, _onUpdate, context) => {
      await context?.pausing?.askAll([question()]);
      ran.push(id);
      return "Paid";
    },
  };
}

test("an answer counts for the address that was shown", async () => {
  let url = "https://shop.test/a";
  const agent = new Agent({
    initialState: { model: MODEL, tools: [asking(() => ({ message: "Open it", url }))] },
    streamFn: scripted(response([call("1", "pay")]), text("Done.")).streamFn,
  });
  const answer = async (): Promise<void> => {
    const [request] = agent.state.pause?.requests ?? [];
    expect(request?.url).toBe(url);
    await agent.answer([{ id: request?.id ?? "", approved: true }]);
  };
  await agent.prompt("Pay.");
  await answer();
  url = "https://shop.test/b";
  await agent.continue();
  expect(ran).toEqual([]);
  await answer();
  await agent.continue();
  expect(ran).toEqual(["1"]);
});

test("an answer counts for the form that was shown", async () => {
  let schema = Type.Object({ size: Type.Optional(Type.Number()) }) as object;
  const agent = new Agent({
    initialState: { model: MODEL, tools: [asking(() => ({ message: "Which one?", schema }))] },
    streamFn: scripted(response([call("1", "pay")]), text("Done.")).streamFn,
  });
  await agent.prompt("Pay.");
  await agent.answer([{ id: agent.state.pause?.requests[0]?.id ?? "", approved: true, value: {} }]);
  schema = Type.Object({ all: Type.Optional(Type.Boolean()) });
  await agent.continue();
  expect(ran).toEqual([]);
  expect(agent.state.pause?.requests).toMatchObject([{ schema: { properties: { all: {} } } }]);
});

test("the answer to a question approves no call", async () => {
  let isNeeded = false;
  const agent = new Agent({
    initialState: { model: MODEL, tools: [asking(() => ({ message: "Sure?" }))] },
    middleware: [approvals({ pause: true, when: () => isNeeded })],
    streamFn: scripted(response([call("1", "pay")]), text("Done.")).streamFn,
  });
  await agent.prompt("Pay.");
  await agent.answer([{ id: agent.state.pause?.requests[0]?.id ?? "", approved: true }]);
  isNeeded = true;
  await agent.continue();
  expect(ran).toEqual([]);
  expect(agent.state.pause?.requests).toMatchObject([{ kind: "approval" }]);
});

test("a process remembers the newest 10,000 approvals, and forgets the oldest after that", async () => {
  const used = processState("used approvals", () => new Set<string>());
  const create = (messages: readonly AgentMessage[]): Agent =>
    new Agent({
      sessionId: "chat",
      initialState: { model: MODEL, tools: [pay], messages: [...messages] },
      middleware: [approvals({ pause: true, secret: "s".repeat(32) })],
      streamFn: scripted(messages.length === 0 ? response([call("1", "pay")]) : text("Done.")).streamFn,
    });
  const page = async (): Promise<readonly AgentMessage[]> => {
    const agent = create([]);
    await agent.prompt("Pay.");
    await agent.answer([{ id: "1", approved: true }]);
    return agent.state.messages.slice();
  };
  const [first, second, third] = [await page(), await page(), await page()];
  used.clear();
  await create(first).continue();
  for (let count = 2; count < 10_000; count++) used.add(`${count}`);
  await create(second).continue();
  expect([used.size, ran.length]).toEqual([10_000, 2]);
  await create(first).continue();
  expect(ran).toHaveLength(2);
  await create(third).continue();
  expect([used.size, ran.length]).toEqual([10_000, 3]);
  used.clear();
});
