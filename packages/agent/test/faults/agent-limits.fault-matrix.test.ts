/** The agent under faults of truncated responses, sizes, durations and listeners. */

import type { AgentEvent } from "pi-agent";
import type { AssistantMessage } from "pi-ai";
import { expect, test, vi } from "vitest";
import { turns } from "../../../../test/support/patience.js";
import { budget } from "../../../../test/support/suite.js";
import { call, MODEL, response, user } from "../scripted-stream.js";
import { never, result } from "../scripted-tool.js";
import {
  createAgent,
  expectDone,
  expectNextPromptWorks,
  expectToolError,
  READ,
  readTool,
  resultsOf,
  runTool,
  shown,
} from "./agent-under-fault.js";

const MEGABYTES_5 = 5_000_000;
/** The longest text of a failed tool call, and the note on what was cut. */
const MAX_ERROR_CHARACTERS = 2200;
const DAYS_30 = 30 * 24 * 60 * 60 * 1000;
const CALLS = budget({ quick: 500, all: 8000 });
const STEERED = budget({ quick: 20_000, all: 200_000 });

test("#180 a response that was cut off by its output limit holds a tool call", async () => {
  let ran = false;
  const execute = async () => {
    ran = true;
    return result("");
  };
  const truncated: AssistantMessage = response([call("c1", "read", { path: "a.txt" })], { stopReason: "length" });
  const under = createAgent([truncated], { initialState: { model: MODEL, tools: [readTool(execute)] } });
  await under.agent.prompt("hi");
  expect(ran).toBe(false);
  expectToolError(under, /output limit/);
  await expectNextPromptWorks(under);
});

test.each([Number.POSITIVE_INFINITY, DAYS_30])("#184 toolTimeoutMs of %d", async (toolTimeoutMs) => {
  const under = await runTool(async () => result("content"), { toolTimeoutMs });
  expectDone(under);
  expect(resultsOf(under)[0]?.isError).toBe(false);
});

test.each([-1, Number.NaN])("#184 toolTimeoutMs of %d", async (toolTimeoutMs) => {
  expect(() => createAgent([READ], { toolTimeoutMs })).toThrow(/toolTimeoutMs/);
});

test("#185 tool arguments of 5 MB that fail validation", async () => {
  const under = createAgent([response([call("c1", "read", { path: ["x".repeat(MEGABYTES_5)] })])]);
  await under.agent.prompt("hi");
  expectToolError(under, /path/);
  expect(shown(resultsOf(under)[0]).length).toBeLessThan(MAX_ERROR_CHARACTERS);
});

test("#185 a tool throws 5 MB", async () => {
  for (const thrown of [new Error(`head ${"x".repeat(MEGABYTES_5)} tail`), "x".repeat(MEGABYTES_5)]) {
    const under = await runTool(() => Promise.reject(thrown));
    expectToolError(under);
    expect(shown(resultsOf(under)[0]).length).toBeLessThan(MAX_ERROR_CHARACTERS);
  }
});

test("#185 a tool throws an object that holds an authorization header", async () => {
  const key = "sk-planted-canary-0123456789";
  const request = { headers: { authorization: `Bearer ${key}` }, body: "x".repeat(MEGABYTES_5) };
  for (const thrown of [
    Object.assign(new Error("refused"), { request }),
    { message: "refused", request },
    { request },
  ]) {
    const under = await runTool(() => Promise.reject(thrown));
    expectToolError(under);
    expect(JSON.stringify([under.events, under.agent.state.messages])).not.toContain(key);
  }
});

test("#187 8,000 parallel calls", async () => {
  const many = Array.from({ length: CALLS }, (_, index) => call(`c${index}`, "read", { path: `${index}` }));
  const execute = async (_id: string, { path }: Record<string, unknown>) => result(String(path));
  const under = createAgent([response(many)], { initialState: { model: MODEL, tools: [readTool(execute)] } });
  await under.agent.prompt("hi");
  expectDone(under);
  expect(resultsOf(under).map(shown)).toEqual(many.map((_, index) => `${index}`));
});

test("#187 200,000 queued steering messages", async () => {
  const under = createAgent([READ], { steeringMode: "all" });
  const seen: string[] = [];
  under.agent.subscribe((event) => {
    if (event.type === "message_end" && event.message.role === "user") seen.push(String(event.message.content));
  });
  for (let index = 0; index < STEERED; index++) under.agent.steer(user(`steered ${index}`));
  await under.agent.prompt("hi");
  expectDone(under);
  const steered = seen.filter((text) => text.startsWith("steered"));
  expect(steered).toHaveLength(STEERED);
  expect(steered.findIndex((text, index) => text !== `steered ${index}`)).toBe(-1);
  expect(under.agent.hasQueuedMessages()).toBe(false);
});

test("#188 a tool changes the content that it has returned", async () => {
  const block = { type: "text" as const, text: "content" };
  const returned = { content: [block], details: {} };
  const under = await runTool(async () => returned);
  const before = JSON.stringify([under.agent.state.messages, under.events]);
  block.text = "changed";
  returned.content.push({ type: "text", text: "more" });
  expect(JSON.stringify([under.agent.state.messages, under.events])).toBe(before);
  await expectNextPromptWorks(under);
  expect(JSON.stringify(under.stream.calls.at(-1)?.context.messages)).not.toMatch(/changed|more/);
});

test("#189 a slow listener of agent_end, while another part of the program calls waitForIdle()", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
  try {
    const { agent } = createAgent([]);
    const order: string[] = [];
    agent.subscribe(async (event) => {
      if (event.type !== "agent_end") return;
      await new Promise((resolve) => setTimeout(resolve, 5000));
      order.push("saved");
    });
    const prompted = agent.prompt("hi").then(() => order.push("prompt"));
    await turns();
    const idle = agent.waitForIdle().then(() => order.push("idle"));
    await vi.advanceTimersByTimeAsync(4999);
    expect(order).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await Promise.all([prompted, idle]);
    expect(order[0]).toBe("saved");
    expect(order.slice(1).sort()).toEqual(["idle", "prompt"]);
  } finally {
    vi.useRealTimers();
  }
});

test("#190 a listener queues its events and prints them when prompt() has settled", async () => {
  const { agent, events } = createAgent([READ]);
  const printed: AgentEvent["type"][] = [];
  let queue: Promise<unknown> = Promise.resolve();
  agent.subscribe((event) => {
    queue = queue.then(() => printed.push(event.type));
  });
  await agent.prompt("hi");
  expect(printed).toEqual(events.map(({ type }) => type));
  expect(printed.at(-1)).toBe("agent_end");
});

test("#184 a tool bound of Infinity ends no tool, and abort() does", async () => {
  const tools = [readTool(() => never())];
  const { agent } = createAgent([READ], {
    initialState: { model: MODEL, tools },
    toolTimeoutMs: Number.POSITIVE_INFINITY,
  });
  const prompted = agent.prompt("hi");
  await turns();
  expect(agent.state.pendingToolCalls.size).toBe(1);
  agent.abort();
  await prompted;
  expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "aborted" });
});
