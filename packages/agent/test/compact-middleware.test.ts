/** `compact` as middleware: what it shares with the rest of a run, and what it leaves in the conversation. */
import { Agent, type AgentMiddleware, type AgentOptions, type StreamFn } from "pi-agent";
import { type Compaction, type CompactOptions, compact, isCompactionMessage } from "pi-agent/compact";
import { durable } from "pi-agent/durable";
import { Budget, limits, sumUsage } from "pi-agent/limits";
import type { AssistantMessage, Context, Model, SimpleStreamOptions } from "pi-ai";
import { describe, expect, test } from "vitest";
import { history, isSummary, model, noUsage, overflow } from "./compact-script.js";
import { MemoryEngine, type MemoryProcess } from "./durable/memory-engine.js";
import { call, eventsOf, response, streamOf, terminalEvent, text } from "./scripted-stream.js";
import { result, tool } from "./scripted-tool.js";

interface Sent {
  model: Model;
  context: Context;
  options: SimpleStreamOptions | undefined;
  isSummary: boolean;
}

/** Responds to requests of turns with the script, and to those for a summary with a text. */
function createServer(...script: AssistantMessage[]) {
  const sent: Sent[] = [];
  const streamFn: StreamFn = (asked, context, options) => {
    const kind = isSummary(context);
    sent.push({ model: asked, context: { ...context }, options, isSummary: kind });
    if (kind) return streamOf(eventsOf(text("They counted.", { usage: usage(10) })));
    const turns = sent.filter((each) => !each.isSummary).length;
    const next = script[Math.min(turns, script.length) - 1] ?? text("Yes");
    return streamOf(next === overflow ? [terminalEvent(next)] : eventsOf({ ...next, usage: usage(10) }));
  };
  return { sent, streamFn, turns: () => sent.filter((each) => !each.isSummary) };
}

const usage = (totalTokens: number): AssistantMessage["usage"] => ({
  ...noUsage.usage,
  input: totalTokens,
  totalTokens,
});
const summaryModel = { ...model, contextWindow: 10_000 };
const options: CompactOptions = { summaryModel, at: 0.5, keep: 100 };

function create(streamFn: StreamFn, middleware: AgentMiddleware[], more: AgentOptions = {}): Agent {
  return new Agent({ streamFn, middleware, initialState: { model, messages: history(8) }, ...more });
}

const counting = (name: string, seen: (string | undefined)[]): AgentMiddleware => ({
  name,
  begin: () => ({
    wrapModelCall: (request, send) => {
      seen.push(request.origin);
      return send(request);
    },
  }),
});

const places: [string, (compaction: Compaction, other: AgentMiddleware) => AgentMiddleware[]][] = [
  ["outside", (compaction, other) => [other, compaction]],
  ["inside", (compaction, other) => [compaction, other]],
];

describe.each(places)("other middleware %s of it", (place, order) => {
  test("sees each request once: of turns, for summaries, and after an overflow", async () => {
    const { sent, streamFn } = createServer(overflow, text("Yes"));
    const seen: (string | undefined)[] = [];
    const agent = create(streamFn, order(compact({ ...options, at: 1 }), counting("count", seen)));
    await agent.prompt("Go on");
    expect(agent.state.errorMessage).toBeUndefined();
    expect(seen).toEqual([undefined, "compact", undefined]);
    expect(sent.map((each) => each.isSummary)).toEqual([false, true, false]);
  });

  test("counts what summaries use", async () => {
    const { sent, streamFn } = createServer(text("Yes"));
    const budget = new Budget({ tokens: 100_000 });
    const agent = create(streamFn, order(compact(options), limits({ budget, loops: false })));
    await agent.prompt("Go on");
    expect(sent).toHaveLength(2);
    expect(budget.used).toMatchObject({ turns: 2, tokens: 20 });
    expect(sumUsage(agent.state.messages).totalTokens).toBe(20);
  });

  test("may drop messages, and the conversation is compacted nevertheless", async () => {
    const { turns, streamFn } = createServer(text("Yes"));
    const window: AgentMiddleware = {
      name: "window",
      begin: () => ({ transformContext: async (messages) => messages.slice(-3) }),
    };
    const agent = create(streamFn, order(compact(options), window));
    await agent.prompt("Go on");
    const record = agent.state.messages.find(isCompactionMessage);
    expect(record?.compaction.replaced).toBe(6);
    const shown = turns()[0]?.context.messages ?? [];
    expect(shown.at(-1)).toMatchObject({ content: [{ text: "Go on" }] });
    // Inside of it, the window moves over what it has left, and takes the record for a message like others.
    expect(JSON.stringify(shown).includes("They counted.")).toBe(place === "outside");
    expect(shown).toHaveLength(3);
  });

  test("may add messages and copy others", async () => {
    const { turns, streamFn } = createServer(text("Yes"));
    const note = { role: "user", content: "Be brief.", timestamp: 0 } as const;
    const adding: AgentMiddleware = {
      name: "add",
      begin: () => ({
        transformContext: async (messages) => [note, ...messages.map((message) => ({ ...message }))],
      }),
    };
    const agent = create(streamFn, order(compact(options), adding));
    await agent.prompt("Go on");
    expect(turns()[0]?.context.messages).toMatchObject([
      { content: "Be brief." },
      { content: expect.stringContaining("They counted.") },
      { content: expect.stringContaining("6 x") },
      { content: [{ text: expect.stringContaining("7 x") }] },
      { content: [{ text: "Go on" }] },
    ]);
  });
});

test("the window is that of the run's model, also after it has changed", async () => {
  const { turns, streamFn } = createServer(response([call("1", "look")]), text("Yes"));
  const small = { ...model, id: "small", contextWindow: 300 };
  const agent = create(streamFn, [compact({ summaryModel, keep: 50 })], {
    initialState: { model: { ...model, contextWindow: 100_000 }, messages: history(8), tools: [tool("look")] },
    prepareNextTurn: () => ({ model: small }),
  });
  await agent.prompt("Go on");
  expect(turns().map((each) => each.model.id)).toEqual(["scripted-1", "small"]);
  expect(agent.state.messages.filter(isCompactionMessage)).toHaveLength(1);
  expect(turns()[1]?.context.messages[0]).toMatchObject({ content: expect.stringContaining("They counted.") });
});

test("a record says by whom, and comes before the response", async () => {
  const { streamFn } = createServer(text("Yes"));
  const agent = create(streamFn, [compact(options)]);
  await agent.prompt("Go on");
  expect(agent.state.messages.slice(-2)).toMatchObject([{ role: "user", origin: "compact" }, { role: "assistant" }]);
});

test("an overflow in the last request of a run leaves its record in the conversation, so that it is paid once", async () => {
  const { sent, streamFn } = createServer(overflow, text("Yes"));
  const agent = create(streamFn, [compact({ ...options, at: 1 })]);
  await agent.prompt("Go on");
  expect(agent.state.messages.filter(isCompactionMessage)).toHaveLength(1);
  const { messages } = agent.state;
  await create(streamFn, [compact({ ...options, at: 1 })], { initialState: { model, messages } }).prompt("And on");
  expect(sent.filter((each) => each.isSummary)).toHaveLength(1);
});

test("one compaction serves several agents at once", async () => {
  const compaction = compact(options);
  const servers = [createServer(text("One")), createServer(text("Two"))];
  const agents = servers.map(({ streamFn }, index) =>
    create(streamFn, [compaction], {
      initialState: { model, messages: history(8).map((each) => ({ ...each, timestamp: each.timestamp + index })) },
    }),
  );
  await Promise.all(agents.map((agent) => agent.prompt("Go on")));
  for (const [index, agent] of agents.entries()) {
    expect(agent.state.messages.filter(isCompactionMessage)).toHaveLength(1);
    expect(servers[index]?.sent.map((each) => each.isSummary)).toEqual([true, false]);
  }
});

describe("in a durable run", () => {
  const look = tool("look", async () => result("z".repeat(1600)), { replay: "safe" });
  const calls = Array.from({ length: 3 }, (_, index) => response([call(String(index), "look")]));

  async function run(steps: MemoryProcess, streamFn: StreamFn, compaction: Compaction) {
    const budget = new Budget({});
    const middleware = [limits({ budget, loops: false }), compaction];
    const initialState = { model, tools: [look] };
    const agent = new Agent({ streamFn, middleware, initialState, steps: durable(steps) });
    await Promise.race([agent.prompt("Go on"), steps.died]);
    return { messages: agent.state.messages, budget };
  }

  test.each<[string, AssistantMessage[], CompactOptions]>([
    ["before a request", [...calls, text("Done")], { ...options, clearToolResults: false }],
    ["after an overflow", [...calls, overflow, text("Done")], { ...options, at: 1, clearToolResults: false }],
  ])("a record that is made %s is stored, also if the process dies", async (when, script, more) => {
    const whole = createServer(...script);
    const process = new MemoryEngine().start();
    const first = await run(process, whole.streamFn, compact(more));
    const records = first.messages.filter(isCompactionMessage).length;
    expect(records).toBeGreaterThan(0);
    let lost = 0;
    for (let step = 0; step < process.count; step++) {
      const engine = new MemoryEngine();
      const server = createServer(...script);
      await run(engine.start({ step, moment: "after" }), server.streamFn, compact(more));
      const again = await run(engine.start(), server.streamFn, compact(more));
      const kept = again.messages.filter(isCompactionMessage).length;
      if (kept < records) lost++;
      else expect(again.messages.map(({ role }) => role)).toEqual(first.messages.map(({ role }) => role));
      expect(server.sent).toHaveLength(whole.sent.length);
      expect(again.budget.used).toEqual({ ...first.budget.used, ms: again.budget.used.ms });
      expect(sumUsage(again.messages)).toEqual(sumUsage(first.messages));
    }
    // A step holds a response only, so the process that dies right after it takes the record of an overflow along.
    expect(lost).toBe(when === "after an overflow" ? 1 : 0);
  });
});
