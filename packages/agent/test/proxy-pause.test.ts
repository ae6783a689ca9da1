/** An agent in a page that pauses, whose requests go through a relay. */
import { Agent, type AgentMessage, streamProxy } from "pi-agent";
import { approvals, pendingRequests } from "pi-agent/approvals";
import { type Message, Type } from "pi-ai";
import { createProxyHandler } from "pi-ai/proxy-server";
import { expect, test } from "vitest";
import { call, eventsOf, MODEL, response, streamOf, text } from "./scripted-stream.js";

const TOKEN = "token-of-the-client";

test("the page keeps the pause, and the relay sees calls and results only", async () => {
  const bodies: string[] = [];
  const seen: Message[][] = [];
  const responses = [response([call("1", "look"), call("2", "pay"), call("3", "pay")]), text("Done.")];
  const handler = createProxyHandler({
    authorize: TOKEN,
    allowModels: () => true,
    getModel: () => MODEL,
    streamFn: (_model, { messages }) => {
      const next = responses[seen.length];
      seen.push(messages);
      return streamOf(next ? eventsOf(next) : []);
    },
  });
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const request = new Request(url, init);
    bodies.push(await request.clone().text());
    return handler(request);
  };
  const ran: string[] = [];
  const tools = ["look", "pay"].map((name) => ({
    name,
    description: name,
    parameters: Type.Object({}),
    execute: async (id: string) => {
      ran.push(`${name} ${id}`);
      return `${name} is done`;
    },
  }));
  /** A page that was loaded again has nothing but the messages. */
  const load = (messages: readonly AgentMessage[]): Agent =>
    new Agent({
      initialState: { model: MODEL, tools, messages: JSON.parse(JSON.stringify(messages)) as AgentMessage[] },
      middleware: [approvals({ when: ({ tool }) => tool.name === "pay", pause: true })],
      streamFn: (model, context, options) =>
        streamProxy(model, context, { ...options, authToken: TOKEN, proxyUrl: "https://relay.test", fetch }),
    });

  const first = load([]);
  await first.prompt("Go.");
  expect(first.state.errorMessage).toBeUndefined();
  expect(pendingRequests(first.state.messages).map(({ id }) => id)).toEqual(["2", "3"]);
  const page = load(first.state.messages);
  await page.answer([
    { id: "2", approved: true },
    { id: "3", approved: false, reason: "Too dear" },
  ]);
  await page.continue();
  expect(ran).toEqual(["look 1", "pay 2"]);
  expect(page.state.messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "stop" });
  expect(seen[1]?.map((message) => (message.role === "toolResult" ? message.toolCallId : message.role))).toEqual([
    "user",
    "assistant",
    "1",
    "2",
    "3",
  ]);
  expect(JSON.stringify(seen[1])).toContain("was declined: Too dear");
  expect(bodies).toHaveLength(2);
  for (const body of bodies) expect(body).not.toMatch(/"pause"|waits for an answer/);
});
