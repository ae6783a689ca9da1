/** Two calls of a response never have one id: what a client or a store sends is refused or told apart, what a model writes is made unique. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, type AgentMessage, agentLoopContinue } from "pi-agent";
import { fromAgUiMessages } from "pi-agent/ag-ui";
import { answerRequests, approvals } from "pi-agent/approvals";
import { subscribeEmbedded } from "pi-agent/embed";
import { createRedisClaim, type RedisClient } from "pi-agent/event-store/redis";
import { jsonlSessions, loadSession } from "pi-agent/session";
import { fromUIMessages } from "pi-agent/ui-stream";
import { type Message, Type } from "pi-ai";
import { createProxyHandler } from "pi-ai/proxy-server";
import { expect, test } from "vitest";
import { call, MODEL, response, scripted, text } from "./scripted-stream.js";

const REFUSED = { kind: "invalid_request", message: 'Two calls of one response have the id "1"' };

test.each([
  ["two calls", { type: "tool-pay", state: "input-available" }],
  [
    "a finished tool of the provider",
    { type: "tool-pay", state: "output-available", providerExecuted: true, output: 1 },
  ],
  ["a call of another tool", { type: "dynamic-tool", toolName: "look", state: "output-available", output: 1 }],
])("a page with useChat cannot send %s of one id", (_what, part) => {
  const first = { type: "tool-pay", toolCallId: "1", state: "input-available", input: { euros: 5 } };
  const other = { ...part, toolCallId: "1", input: { euros: 1_000_000 } };
  for (const parts of [
    [first, other],
    [other, first],
  ])
    expect(() => fromUIMessages([{ role: "assistant", parts }])).toThrow(expect.objectContaining(REFUSED));
  const steps = [first, { type: "step-start" }, { type: "text", text: "Then" }, other];
  expect(() => fromUIMessages([{ role: "assistant", parts: steps }])).not.toThrow();
});

test("a call that a page or a client has twice is one, with its result", () => {
  const part = { type: "tool-pay", toolCallId: "1", input: { euros: 5 } };
  const parts = [
    { ...part, state: "input-available" },
    { ...part, state: "output-available", output: "paid" },
    { ...part, state: "output-available", output: "paid" },
  ];
  expect(fromUIMessages([{ role: "assistant", parts }])).toMatchObject([
    { content: [{ type: "toolCall", id: "1" }] },
    { toolCallId: "1", content: [{ text: "paid" }] },
  ]);
  const called = { id: "1", function: { name: "pay", arguments: '{"euros":5}' } };
  const messages = [{ role: "assistant", toolCalls: [called, called] }];
  expect(fromAgUiMessages(messages)[0]?.content).toHaveLength(1);
});

test("a page cannot send two answers to one call", () => {
  const part = (approved: boolean) => ({
    ...{ type: "tool-pay", toolCallId: "1", state: "approval-responded", input: { euros: 5 } },
    approval: { id: `signed.${"a".repeat(44)}.${"b".repeat(43)}.1`, approved },
  });
  const parts = [part(false), part(true)];
  expect(() => fromUIMessages([{ role: "assistant", parts }])).toThrow(expect.objectContaining(REFUSED));
  expect(() => fromUIMessages([{ role: "assistant", parts: parts.slice(1) }])).not.toThrow();
});

test("a client of AG-UI cannot send two calls of one id, and no mark", () => {
  const called = (euros: number) => ({ id: "1", function: { name: "pay", arguments: JSON.stringify({ euros }) } });
  const messages = [{ role: "assistant", toolCalls: [called(5), called(1_000_000)] }];
  expect(() => fromAgUiMessages(messages)).toThrow(expect.objectContaining(REFUSED));
  const marked = [
    { role: "assistant", toolCalls: [called(5)] },
    { role: "tool", toolCallId: "1", content: "", pause: { state: "waiting", key: "1", requests: [] } },
  ];
  expect(fromAgUiMessages(marked)[1]).not.toHaveProperty("pause");
});

test("a relay answers 400", async () => {
  const handler = createProxyHandler({ authorize: () => true, allowModels: () => true });
  const body = {
    model: MODEL,
    context: { messages: [response([call("1", "pay", { euros: 5 }), call("1", "pay", { euros: 9 })])] },
  };
  const answer = await handler(
    new Request("http://relay.test/api/stream", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer x" },
      body: JSON.stringify(body),
    }),
  );
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain("context.messages.0.content: two calls have one id");
});

test("a session tells the calls of an earlier version apart, and refuses them if it is strict", async () => {
  const folder = await mkdtemp(join(tmpdir(), "own-ids-"));
  try {
    const result = (words: string): AgentMessage => ({
      ...{ role: "toolResult", toolCallId: "1", toolName: "pay", isError: false, timestamp: 1 },
      content: [{ type: "text", text: words }],
    });
    const calls = [call("1", "pay", { euros: 5 }), call("1", "pay", { euros: 9 }), call("1~2", "pay", { euros: 7 })];
    const messages = [response(calls), result("five"), result("nine"), response([call("1", "pay", { euros: 1 })])];
    await jsonlSessions(folder).append("old", messages);
    const file = join(folder, "old.jsonl");
    await expect(loadSession(file, { strict: true })).rejects.toThrow("Two calls of one response have one id");
    const loaded = await loadSession(file);
    expect(loaded.messages[0]).toMatchObject({ content: [{ id: "1" }, { id: "1~2" }, { id: "1~2~1" }] });
    const results = loaded.messages.flatMap((one) =>
      one.role === "toolResult" ? [[one.toolCallId, one.content]] : [],
    );
    expect(results).toMatchObject([
      ["1", [{ text: "five" }]],
      ["1~2", [{ text: "nine" }]],
      ["1~2~1", [{ text: expect.stringContaining("ended before") }]],
      ["1", [{ text: expect.stringContaining("ended before") }]],
    ]);
    expect(loaded.notices).toContain("Two calls of a response had one id, and each got its own");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

const pay = (ran: unknown[]) => ({
  name: "pay",
  description: "Pays",
  parameters: Type.Object({ euros: Type.Number() }),
  execute: async (_id: string, { euros }: { euros: number }) => {
    ran.push(euros);
    return "Paid";
  },
});

test("an approval is used once in all processes that share a Redis", async () => {
  const keys = new Set<string>();
  const sent: string[][] = [];
  const client = {
    call: async (...words: string[]) => {
      sent.push(words);
      const [, key = ""] = words;
      const isNew = !keys.has(key);
      keys.add(key);
      return isNew ? "OK" : null;
    },
  } as unknown as RedisClient; // Only commands are sent.
  const ran: unknown[] = [];
  const create = (messages: AgentMessage[], claim = createRedisClaim(client, { retainMs: 1000 })): Agent =>
    new Agent({
      sessionId: "chat",
      initialState: { model: MODEL, tools: [pay(ran)], messages: structuredClone(messages) },
      middleware: [approvals({ pause: true, secret: "s".repeat(32), claim })],
      streamFn: scripted(messages.length === 0 ? response([call("1", "pay", { euros: 5 })]) : text("Done.")).streamFn,
    });
  const first = create([]);
  await first.prompt("Pay.");
  for (let process = 0; process < 3; process++) {
    const agent = create(first.state.messages);
    await agent.answer([{ id: "1", approved: true }]);
    await agent.continue();
  }
  expect(ran).toEqual([5]);
  expect(sent).toHaveLength(3);
  expect(sent[0]).toMatchObject(["SET", expect.stringMatching(/^pi:claim:/), "1", "NX", "PX", "1000"]);
  const failing = create(first.state.messages, async () => Promise.reject(new Error("Redis is down")));
  await failing.answer([{ id: "1", approved: true }]);
  await failing.continue();
  expect(ran).toEqual([5]);
});

test("the name of a request cannot be guessed while the run waits", async () => {
  const names: string[] = [];
  const ran: unknown[] = [];
  const agent = new Agent({
    initialState: { model: MODEL, tools: [pay(ran)] },
    middleware: [approvals({ ask: async ({ name }) => ({ approved: Boolean(names.push(name)) }) })],
    streamFn: scripted(response([call("1", "pay", { euros: 5 }), call("2", "pay", { euros: 6 })]), text("Done."))
      .streamFn,
  });
  await agent.prompt("Pay.");
  expect(ran).toEqual([5, 6]);
  expect(new Set(names).size).toBe(2);
  for (const name of names) expect(name).toMatch(/^approval:[\da-f]{8}-[\da-f-]{27}$/);
});

const asWritten = (): AgentMessage[] => [
  { role: "user", content: "Pay.", timestamp: 1 },
  response([call("1", "pay", { euros: 5 }), call("1", "pay", { euros: 1_000_000 })]),
];

test("an agent tells calls of one id apart in messages that it is given", async () => {
  const result = (words: string): AgentMessage => ({
    ...{ role: "toolResult", toolCallId: "1", toolName: "pay", isError: false, timestamp: 1 },
    content: [{ type: "text", text: words }],
  });
  const given = [...asWritten(), result("five"), result("a million")];
  const before = JSON.stringify(given);
  const script = scripted(text("Done."), text("Done."));
  const agent = new Agent({ initialState: { model: MODEL, messages: given }, streamFn: script.streamFn });
  const idsOf = (messages: readonly AgentMessage[]) =>
    messages.flatMap((one) => {
      if (one.role === "toolResult") return one.toolCallId;
      return one.role === "assistant"
        ? one.content.flatMap((block) => (block.type === "toolCall" ? block.id : []))
        : [];
    });
  const apart = ["1", "1~2", "1", "1~2"];
  expect(idsOf(agent.state.messages)).toEqual(apart);
  agent.state.messages = given;
  expect(idsOf(agent.state.messages)).toEqual(apart);
  expect(agent.state.messages[0]).toBe(given[0]);
  subscribeEmbedded(agent, {});
  await agent.continue();
  const context = { systemPrompt: "", messages: given, tools: [] };
  await agentLoopContinue(
    context,
    { model: MODEL, convertToLlm: (messages) => messages as Message[] },
    undefined,
    script.streamFn,
  ).result();
  for (const request of script.calls) expect(idsOf(request.context.messages)).toEqual(apart);
  expect(JSON.stringify(given)).toBe(before);
});

test.each([
  ["first", (calls: unknown[]) => calls],
  ["last", (calls: unknown[]) => calls.toReversed()],
])("of two calls of one id, only that runs which was signed: it is the %s", async (_place, order) => {
  const ran: unknown[] = [];
  const middleware = [approvals({ pause: true, secret: "s".repeat(32), claim: () => true })];
  const first = new Agent({
    ...{ sessionId: "chat", middleware, initialState: { model: MODEL, tools: [pay(ran)] } },
    streamFn: scripted(response([call("1", "pay", { euros: 5 })])).streamFn,
  });
  await first.prompt("Pay.");
  const messages = structuredClone([...first.state.messages]);
  const paused = messages[1];
  const calls = [call("1", "pay", { euros: 5 }), call("1", "pay", { euros: 1_000_000 })];
  if (paused?.role === "assistant") paused.content = order(calls) as typeof calls;
  const later = new Agent({
    ...{ sessionId: "chat", middleware, initialState: { model: MODEL, tools: [pay(ran)], messages } },
    streamFn: scripted(text("Done.")).streamFn,
  });
  await later.answer([{ id: "1", approved: true }]).catch(() => {});
  await later.continue().catch(() => {});
  const answered = await answerRequests(messages, [{ id: "1", approved: true }]);
  const context = { systemPrompt: "", messages: answered, tools: [pay(ran)] };
  const config = {
    ...{ model: MODEL, sessionId: "chat", middleware },
    convertToLlm: (list: AgentMessage[]) => list as Message[],
  };
  await agentLoopContinue(context, config, undefined, scripted(text("Done.")).streamFn).result();
  expect(ran).toEqual(_place === "first" ? [5, 5] : []);
});

test("20,000 calls of one id, and of ids that look like new ones, are told apart in linear time", () => {
  const calls = Array.from({ length: 10_000 }, (_, index) => call(`1~${index}`, "pay", {}));
  const same = Array.from({ length: 10_000 }, () => call("1", "pay", {}));
  const { state } = new Agent({ initialState: { model: MODEL, messages: [response([...calls, ...same])] } });
  const [message] = state.messages;
  const ids =
    message?.role === "assistant" ? message.content.map((block) => (block.type === "toolCall" ? block.id : "")) : [];
  expect(new Set(ids).size).toBe(20_000);
});
