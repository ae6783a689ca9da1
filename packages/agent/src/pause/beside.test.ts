/** The pause beside everything else that a run can have. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, type AgentEvent, type AgentMessage, type AgentOptions } from "pi-agent";
import { approvals, pendingRequests } from "pi-agent/approvals";
import { compact, isCompactionMessage } from "pi-agent/compact";
import { durable } from "pi-agent/durable";
import { agentTool, limits, sumUsage } from "pi-agent/limits";
import { createSessionLog, loadSession } from "pi-agent/session";
import { Type } from "pi-ai";
import { beforeEach, describe, expect, test } from "vitest";
import { callWithResult, history, isSummary } from "../../test/compact-script.js";
import { MemoryEngine } from "../../test/durable/memory-engine.js";
import { calls, eventsOf, MODEL, scripted, streamOf, text } from "../../test/scripted-stream.js";

let ran: string[] = [];
beforeEach(() => {
  ran = [];
});

const tool = (name: string) => ({
  name,
  description: name,
  parameters: Type.Object({}),
  execute: async (id: string) => {
    ran.push(`${name} ${id}`);
    return `${name} is done`;
  },
});
const tools = [tool("look"), tool("pay")];
const isPay = ({ tool: { name } }: { tool: { name: string } }) => name === "pay";
const asking = () => approvals({ when: isPay, pause: true });

function create(messages: readonly AgentMessage[], more: AgentOptions): Agent {
  const copy = JSON.parse(JSON.stringify(messages)) as AgentMessage[];
  return new Agent({
    middleware: [asking()],
    ...more,
    initialState: { model: MODEL, tools, ...more.initialState, messages: copy },
  });
}

const textsOf = (messages: readonly AgentMessage[] = []) =>
  messages.flatMap((message) =>
    message.role === "toolResult" ? message.content.map((block) => (block.type === "text" ? block.text : "")) : [],
  );

describe("agents that tools run", () => {
  /** A parent whose two calls run a child each, which has the responses of its process. */
  const parent = (messages: readonly AgentMessage[], responses: { own: string[]; child: string[][] }) => {
    let started = 0;
    const toResponses = (names: string[]) => names.map((name) => (name.includes(" ") ? text(name) : calls(name)));
    const run = agentTool({
      name: "run",
      description: "Runs a child",
      parameters: Type.Object({}),
      agent: () => {
        const { streamFn } = scripted(...toResponses(responses.child[started++] ?? []));
        return new Agent({ initialState: { model: MODEL, tools }, streamFn, middleware: [asking()] });
      },
    });
    const own = responses.own.map((name) => (name === "run" ? calls("run", "run") : text(name)));
    const { streamFn, calls: requests } = scripted(...own);
    return { agent: create(messages, { initialState: { tools: [run] }, streamFn }), requests };
  };

  test("pass their requests on with a path, and go on from the conversation of the parent", async () => {
    const first = parent([], { own: ["run"], child: [["pay"], ["look", "All fine"]] });
    await first.agent.prompt("Go.");
    expect(ran).toEqual(["look 1"]);
    expect(first.agent.state.pause?.requests).toEqual([
      { id: "1/1", kind: "approval", toolCallId: "1", toolName: "pay", arguments: {}, path: ["1"] },
    ]);
    const next = parent(first.agent.state.messages, { own: ["All paid"], child: [["Paid it"]] });
    await next.agent.answer([{ id: "1/1", approved: true }]);
    await next.agent.continue();
    expect(ran).toEqual(["look 1", "pay 1"]);
    expect(textsOf(next.requests[0]?.context.messages)).toEqual(["Paid it", "All fine"]);
    // Two responses of each agent.
    expect(sumUsage(next.agent.state.messages).totalTokens).toBe(60);
  });

  test("pause once more, and are declined", async () => {
    const first = parent([], { own: ["run"], child: [["pay"], ["pay"]] });
    await first.agent.prompt("Go.");
    expect(first.agent.state.pause?.requests.map(({ id }) => id)).toEqual(["1/1", "2/1"]);
    const second = parent(first.agent.state.messages, { own: [], child: [["pay"]] });
    await second.agent.answer([{ id: "1/1", approved: true }]);
    await second.agent.continue();
    expect(ran).toEqual(["pay 1"]);
    expect(second.agent.state.pause?.requests.map(({ id }) => id)).toEqual(["1/1~2", "2/1"]);
    const third = parent(second.agent.state.messages, { own: ["Too bad"], child: [["No more"], ["Not at all"]] });
    third.agent.declineAll("Enough");
    await third.agent.continue();
    expect(ran).toEqual(["pay 1"]);
    expect(textsOf(third.requests[0]?.context.messages)).toEqual(["No more", "Not at all"]);
  });

  test("fail if they cannot go on", async () => {
    const run = agentTool({
      name: "run",
      description: "Runs a child",
      parameters: Type.Object({}),
      agent: () => {
        const child = new Agent({
          initialState: { model: MODEL, tools },
          streamFn: scripted(calls("pay")).streamFn,
          middleware: [asking()],
        });
        return {
          subscribe: (listener) => child.subscribe(listener),
          prompt: (input) => child.prompt(input),
          abort: () => child.abort(),
          state: child.state,
        };
      },
    });
    const { agent } = {
      agent: create([], { initialState: { tools: [run] }, streamFn: scripted(calls("run"), text("Done.")).streamFn }),
    };
    await agent.prompt("Go.");
    expect(agent.state.pause).toBeUndefined();
    expect(textsOf(agent.state.messages)[0]).toContain("it has no method continue");
  });
});

describe("compaction", () => {
  const options = { at: 0.5, keep: 100, summaryModel: { ...MODEL, contextWindow: 10_000 } };

  test("never separates a result from its call, after a pause", async () => {
    const requests: AgentMessage[][] = [];
    const responses = [calls("look", "pay"), text("Paid."), text("Yes.")];
    const streamFn: AgentOptions["streamFn"] = (_model, context) => {
      if (isSummary(context)) return streamOf(eventsOf(text("They counted.")));
      requests.push([...context.messages]);
      return streamOf(eventsOf(responses[requests.length - 1] ?? text("Yes.")));
    };
    const more = { streamFn, middleware: [compact(options), asking()] };
    const first = create(history(4), more);
    await first.prompt("Go.");
    const later = create(first.state.messages, more);
    await later.answer([{ id: "2", approved: true }]);
    await later.continue();
    later.state.messages = [...later.state.messages, ...history(6)];
    await later.prompt("And now?");
    expect(later.state.messages.some(isCompactionMessage)).toBe(true);
    for (const messages of requests) {
      const called = messages.flatMap((message) =>
        message.role === "assistant"
          ? message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []))
          : [],
      );
      const results = messages.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : []));
      expect(results).toEqual(called);
    }
  });

  test("never cuts at an open call", async () => {
    const agent = create(history(4), { streamFn: scripted(calls("look", "pay")).streamFn });
    await agent.prompt("Go.");
    const open = pendingRequests(agent.state.messages);
    const streamFn = () => streamOf(eventsOf(text("They counted.")));
    const record = await compact({ keep: 1 }).compact(agent.state.messages, { model: MODEL, streamFn });
    expect(record?.compaction.replaced).toBeLessThanOrEqual(5);
    expect(pendingRequests([...agent.state.messages, ...(record ? [record] : [])])).toEqual(open);
    expect(callWithResult("1", 1)).toHaveLength(2);
  });
});

test("a budget goes on after the pause", async () => {
  const middleware = [limits({ budget: { turns: 2 } }), asking()];
  const first = create([], { middleware, streamFn: scripted(calls("pay")).streamFn });
  await first.prompt("Go.");
  const later = create(first.state.messages, { middleware, streamFn: scripted(calls("look"), text("Done.")).streamFn });
  await later.answer([{ id: "1", approved: true }]);
  await later.continue();
  expect(later.state.stopped).toMatchObject({ by: "budget", limit: "turns", used: 2 });
});

test("a budget of tool calls counts those that ran after the pause", async () => {
  const middleware = [limits({ budget: { toolCalls: 2 } }), asking()];
  const first = create([], { middleware, streamFn: scripted(calls("pay", "look")).streamFn });
  await first.prompt("Go.");
  const { streamFn } = scripted(calls("look"), text("Done."));
  const later = create(first.state.messages, { middleware, streamFn });
  await later.answer([{ id: "1", approved: true }]);
  await later.continue();
  expect(ran).toEqual(["look 2", "pay 1"]);
  expect(textsOf(later.state.messages).at(-1)).toContain("The budget of tool calls is used up");
});

test("each fork of a conversation has its own answers", async () => {
  const agent = create([], { streamFn: scripted(calls("pay")).streamFn });
  await agent.prompt("Go.");
  for (const approved of [true, false, true]) {
    const fork = create(agent.state.messages, { streamFn: scripted(text("Done.")).streamFn });
    await fork.answer([{ id: "1", approved }]);
    await fork.continue();
  }
  expect(ran).toEqual(["pay 1", "pay 1"]);
  expect(agent.state.pause?.requests).toHaveLength(1);
});

test("a session holds what is open, what was answered and what has begun", async () => {
  const folder = await mkdtemp(join(tmpdir(), "pause-"));
  const file = join(folder, "chat.jsonl");
  try {
    const turn = async (work: (agent: Agent) => Promise<void>, ...responses: ReturnType<typeof text>[]) => {
      const log = await createSessionLog(file);
      const { messages, notices } = await loadSession(file);
      expect(notices).toEqual([]);
      const agent = create(messages, { streamFn: scripted(...responses).streamFn, middleware: [log, asking()] });
      await work(agent);
      await log.close();
    };
    await turn((agent) => agent.prompt("Go."), calls("pay", "pay"));
    await turn(async (agent) => {
      await agent.answer([{ id: "2", approved: true }]);
      await agent.continue();
    });
    expect(ran).toEqual(["pay 2"]);
    await turn(async (agent) => {
      expect(agent.state.pause?.requests.map(({ id }) => id)).toEqual(["1"]);
      await agent.answer([{ id: "1", approved: false }]);
      await agent.continue();
    }, text("Done."));
    const { messages } = await loadSession(file);
    expect(pendingRequests(messages)).toEqual([]);
    expect(messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "stop" });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("a durable run has the same requests and takes the same answers", async () => {
  const engine = new MemoryEngine();
  const events: AgentEvent[] = [];
  // Each process repeats all steps from the beginning.
  for (let process = 0; process < 3; process++) {
    const responses = process === 0 ? scripted(calls("look", "pay")) : scripted(text("Done."));
    const agent = create([], { steps: durable(engine.start()), streamFn: responses.streamFn });
    agent.subscribe((event) => void events.push(event));
    await agent.prompt({ role: "user", content: "Go.", timestamp: 1 });
    expect(agent.state.pause?.requests).toEqual([
      { id: "2", kind: "approval", toolCallId: "2", toolName: "pay", arguments: {} },
    ]);
    if (process === 0) continue;
    await agent.answer([{ id: "2", approved: true }]);
    await agent.continue();
    expect(agent.state.messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "stop" });
    expect(responses.calls).toHaveLength(process === 1 ? 1 : 0);
  }
  expect(ran).toEqual(["look 1", "pay 2"]);
});

test("the end of each run tells listeners that nothing is open any more, or what is", async () => {
  const events: AgentEvent[] = [];
  const agent = create([], { streamFn: scripted(calls("pay"), text("Done.")).streamFn });
  agent.subscribe((event) => void events.push(event));
  await agent.prompt("Go.");
  await agent.answer([{ id: "1", approved: true }]);
  await agent.continue();
  const ends = events.flatMap((event) => (event.type === "agent_end" ? [event.pause?.requests.length] : []));
  expect(ends).toEqual([1, undefined]);
});
