import { Agent, type AgentEvent, type AgentOptions, type StreamFn } from "pi-agent";
import { Budget, type BudgetOptions, type LimitsOptions, limits } from "pi-agent/limits";
import type { AssistantMessage, Model } from "pi-ai";
import { expect, test } from "vitest";
import { createRandom } from "../../../../../test/support/random.js";
import { budget as sizeOf } from "../../../../../test/support/suite.js";
import { describeEvents } from "../../../test/event-list.js";
import {
  call,
  eventsOf,
  MODEL,
  response,
  scripted,
  streamOf,
  stuckAfter,
  text,
} from "../../../test/scripted-stream.js";
import { result, tool } from "../../../test/scripted-tool.js";

const PRICED: Model = {
  ...MODEL,
  maxTokens: 100,
  cost: { input: 1000, output: 1000, cacheRead: 100, cacheWrite: 1000 },
};

/** A response that used the given tokens; at the model's prices each costs a tenth of a cent. */
function using(tokens: number, content: AssistantMessage["content"] = [call("1", "look")]): AssistantMessage {
  const usd = tokens / 1000;
  const usage = { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: tokens };
  return response(content, {
    usage: { ...usage, cost: { input: usd, output: 0, cacheRead: 0, cacheWrite: 0, total: usd } },
  });
}

function create(options: LimitsOptions, streamFn: StreamFn, more: AgentOptions = {}) {
  let looks = 0;
  const look = tool("look", async () => result(`view ${++looks}`));
  const initialState = { model: PRICED, tools: [look], ...more.initialState };
  const agent = new Agent({ ...more, streamFn, initialState, middleware: [limits(options)] });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => void events.push(event));
  return { agent, events, count: (type: AgentEvent["type"]) => events.filter((event) => event.type === type).length };
}

test("a budget of dollars says once that the model has no prices", async () => {
  const notesOf = async (options: BudgetOptions, model: Model): Promise<unknown[]> => {
    const script = scripted(response([call("1", "look")]), text("Done"));
    const { agent } = create({ budget: options }, script.streamFn, { initialState: { model } });
    await agent.prompt("Hi");
    return agent.state.messages.flatMap((message) => (message.role === "assistant" ? (message.diagnostics ?? []) : []));
  };
  const free = { ...PRICED, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } };
  expect(await notesOf({ usd: 1 }, free)).toMatchObject([
    { type: "budget_without_prices", details: { provider: free.provider, model: free.id, missing: "model.cost" } },
  ]);
  expect(await notesOf({ usd: 1 }, PRICED)).toEqual([]);
  expect(await notesOf({ turns: 9 }, free)).toEqual([]);
});

test("a request that does not fit is not sent", async () => {
  const script = scripted(using(400), using(500), using(200));
  const { agent, events } = create({ budget: { tokens: 1000 } }, script.streamFn);
  await agent.prompt("Hi");
  // 900 are used, and the next prompt has more than 700.
  expect(script.calls).toHaveLength(2);
  expect(agent.state.stopped).toEqual({ by: "budget", limit: "tokens", used: 900, most: 1000, estimated: 511 });
  expect(agent.state.errorMessage).toBe(
    "The run was ended: its budget of 1000 tokens is used up (900 used; the next request needs about 511, 411 too many)",
  );
  expect(events.filter(({ type }) => type === "budget_warning")).toEqual([
    { type: "budget_warning", limit: "tokens", used: 900, most: 1000 },
  ]);
  expect(
    describeEvents(events).endsWith(
      "TE(toolUse;[1]) WARN(tokens) TS MS(a) ME(a:error) TE(error;[]) STOP(tokens) AE[uarara]",
    ),
  ).toBe(true);
});

test("a budget in dollars uses the prices of the catalogue", async () => {
  const script = scripted(using(400), using(590), using(5, [{ type: "text", text: "done" }]));
  const { agent } = create({ budget: { usd: 1 } }, script.streamFn);
  await agent.prompt("Hi");
  expect(script.calls).toHaveLength(2);
  expect(agent.state.stopped).toMatchObject({ limit: "usd", most: 1 });
});

test("the part of a prompt that was sent before is priced as read from the cache", async () => {
  const cached = using(400);
  cached.usage.cacheRead = 300;
  cached.usage.input = 100;
  const { agent } = create({ budget: { usd: 0.5 } }, scripted(cached, using(5, [])).streamFn);
  await agent.prompt("Hi");
  // 400 used and 400 at a tenth of the price fit; at the full price they would not.
  expect(agent.state.stopped).toBeUndefined();
});

test("a run sends no more requests than its budget has turns", async () => {
  const script = scripted(...Array.from({ length: 9 }, () => using(1)));
  const { agent } = create({ budget: { turns: 3 } }, script.streamFn);
  await agent.prompt("Hi");
  expect(script.calls).toHaveLength(3);
  expect(agent.state.stopped).toEqual({ by: "budget", limit: "turns", used: 3, most: 3 });
  await agent.prompt("Again");
  expect(script.calls).toHaveLength(6);
});

test("a call above the limit is refused, and the model may respond to the last one within it", async () => {
  const three = using(
    1,
    ["1", "2", "3"].map((id) => call(id, "look")),
  );
  const script = scripted(three, using(1), using(1));
  const { agent, events } = create({ budget: { toolCalls: 2 } }, script.streamFn);
  await agent.prompt("Hi");
  const ends = events.filter((event) => event.type === "tool_execution_end");
  expect(ends.map(({ isError }) => isError).sort()).toEqual([false, false, true]);
  expect(script.calls).toHaveLength(1);
  expect(agent.state.stopped).toMatchObject({ limit: "toolCalls", used: 2 });
  const enough = create({ budget: { toolCalls: 2 } }, scripted(using(1), using(1), text("done")).streamFn);
  await enough.agent.prompt("Hi");
  expect(enough.agent.state.stopped).toBeUndefined();
});

test("time is checked before each request", async () => {
  let now = 0;
  const script = scripted(...Array.from({ length: 9 }, () => using(1)));
  const slow = tool("look", async () => {
    now += 40;
    return result(String(now));
  });
  const agent = new Agent({
    streamFn: script.streamFn,
    initialState: { model: PRICED, tools: [slow] },
    middleware: [limits({ budget: { ms: 100 } })],
    now: () => now,
  });
  await agent.prompt("Hi");
  expect(script.calls).toHaveLength(3);
  expect(agent.state.stopped).toEqual({ by: "budget", limit: "ms", used: 120, most: 100 });
});

test("the last response that fits comes without tools", async () => {
  const script = scripted(using(350), using(1, [{ type: "text", text: "As far as I can see" }]));
  const { agent, events } = create({ budget: { tokens: 1000 }, lastResponse: true }, script.streamFn);
  agent.followUp("And now?");
  await agent.prompt("Hi");
  expect(script.calls.map(({ options }) => options.toolChoice)).toEqual([undefined, "none"]);
  expect(agent.state.errorMessage).toBeUndefined();
  expect(agent.state.stopped).toEqual({ by: "budget", limit: "tokens", used: 351, most: 1000 });
  expect(agent.hasQueuedMessages()).toBe(true);
  expect(describeEvents(events)).toMatch(/TE\(stop;\[\]\) STOP\(tokens\) AE/);
});

test("a tool call in the last response is refused, although it was requested without tools", async () => {
  const { agent, events } = create({ budget: { turns: 2 }, lastResponse: true }, scripted(using(1), using(1)).streamFn);
  await agent.prompt("Hi");
  const ends = events.filter((event) => event.type === "tool_execution_end");
  expect(ends.map(({ isError }) => isError)).toEqual([false, true]);
  expect(agent.state.stopped).toMatchObject({ limit: "turns", used: 2 });
});

test("a response without usage is estimated", async () => {
  const script = scripted(
    ...Array.from({ length: 9 }, () => ({ ...using(0, [{ type: "text", text: "x".repeat(400) }]) })),
  );
  const shared = new Budget({ tokens: 250 });
  const { agent } = create({ budget: shared }, script.streamFn);
  await agent.prompt("Hi");
  expect(shared.used.tokens).toBeGreaterThanOrEqual(100);
  await agent.prompt("Hi");
  await agent.prompt("Hi");
  expect(agent.state.stopped).toMatchObject({ limit: "tokens" });
});

test("two agents that share a budget exceed it by one response at most, and one waits for the other", async () => {
  const shared = new Budget({ tokens: 250 });
  let release = (): void => {};
  const slow = scripted(() => {
    const stream = streamOf([]);
    release = () => {
      for (const event of eventsOf(using(100, [{ type: "text", text: "a" }]))) stream.push(event);
    };
    return stream;
  });
  const other = scripted(using(100, [{ type: "text", text: "b" }]));
  const one = create({ budget: shared }, slow.streamFn, { initialState: { model: { ...PRICED, maxTokens: 249 } } });
  const two = create({ budget: shared }, other.streamFn);
  const first = one.agent.prompt("Hi");
  await expect.poll(() => slow.calls.length).toBe(1);
  const second = two.agent.prompt("Hi");
  await new Promise((resolve) => setImmediate(resolve));
  expect(other.calls).toHaveLength(0);
  release();
  await Promise.all([first, second]);
  expect(other.calls).toHaveLength(1);
  expect(shared.used).toMatchObject({ tokens: 200, turns: 2 });
});

test("an abort ends a run whose request waits for others, and uses nothing of the budget", async () => {
  const shared = new Budget({ tokens: 250 });
  const stuck = scripted(stuckAfter([]));
  const one = create({ budget: shared }, stuck.streamFn, { initialState: { model: { ...PRICED, maxTokens: 249 } } });
  const other = scripted();
  const two = create({ budget: shared }, other.streamFn);
  const first = one.agent.prompt("Hi");
  await expect.poll(() => stuck.calls.length).toBe(1);
  const second = two.agent.prompt("Hi");
  await new Promise((resolve) => setImmediate(resolve));
  two.agent.abort();
  await second;
  one.agent.abort();
  await first;
  expect(other.calls).toHaveLength(0);
  expect(shared.used.tokens).toBe(0);
  const third = create({ budget: shared }, scripted(using(10, [])).streamFn);
  await third.agent.prompt("Hi");
  expect(third.agent.state.stopped).toBeUndefined();
});

test("an agent with limits still calls the hooks of the application", async () => {
  const script = scripted(using(1), text("done"));
  const seen: string[] = [];
  const { agent } = create({ budget: { turns: 9 } }, script.streamFn, {
    wrapModelCall: (request, send) => {
      seen.push("model");
      return send(request);
    },
    beforeToolCall: async () => void seen.push("before"),
  });
  await agent.prompt("Hi");
  expect(seen).toEqual(["model", "before", "model"]);
});

test.each([{ usd: -1 }, { tokens: Number.NaN }, { warnAt: -1 }])("the budget %j is refused", (budget) => {
  expect(() => limits({ budget })).toThrow(/^budget\.\w+ must be a number of 0 or more, not /);
});

test("a misspelled limit is refused", () => {
  expect(() => limits({ budget: { dollars: 1 } as BudgetOptions })).toThrow(
    'Unknown option "budget.dollars": did you mean "budget.usd"?',
  );
  expect(() => limits({ budget: { people: 1 } as BudgetOptions })).toThrow(
    'Unknown option "budget.people". The options are usd, tokens, toolCalls, turns, ms, warnAt.',
  );
  expect(() => limits({ loops: { action: "halt" as "stop" } })).toThrow(
    'loops.action must be one of "nudge", "stop", "none", not "halt"',
  );
});

test("a loop must have at least two occurrences", () => {
  expect(() => limits({ loops: { repeats: 1 } })).toThrow("loops.repeats must be 2 or more");
});

test("random runs never exceed their budget by more than one response", async () => {
  for (let seed = 1; seed <= sizeOf({ quick: 60, all: 1000 }); seed++) {
    const random = createRandom(seed);
    const most = { tokens: 200 + random.below(3000), usd: 0.2 + random.below(3000) / 1000 };
    const shared = new Budget({ ...most, turns: 1 + random.below(30), toolCalls: random.below(30) });
    let largest = 0;
    const streamFn: StreamFn = async (model, context) => {
      for (let turns = random.below(4); turns > 0; turns--) await undefined;
      const prompt = context.messages.length;
      // The estimate is right: the prompt is not larger than estimated, and the output is within the maximum.
      const tokens = prompt + random.below(model.maxTokens);
      largest = Math.max(largest, tokens);
      const calls = Array.from({ length: random.below(4) }, (_, index) => call(String(index), "look"));
      const message = using(tokens, calls.length > 0 ? calls : [{ type: "text", text: "done" }]);
      const isFailed = random.chance(0.1);
      return streamOf(eventsOf(isFailed ? { ...message, stopReason: "error", errorMessage: "no" } : message));
    };
    const lastResponse = random.chance(0.5);
    const agents = Array.from(
      { length: 1 + random.below(4) },
      () => create({ budget: shared, lastResponse }, streamFn).agent,
    );
    await Promise.all(
      agents.map(async (agent) => {
        for (let prompts = 0; prompts < 5; prompts++) await agent.prompt("Hi");
      }),
    );
    const { used } = shared;
    const context = `seed ${seed}: ${JSON.stringify({ used, most, largest })}`;
    expect(used.tokens, context).toBeLessThanOrEqual(most.tokens + largest);
    expect(used.usd, context).toBeLessThanOrEqual(most.usd + largest / 1000 + 1e-9);
    const responses = agents.flatMap(({ state }) => state.messages).filter((message) => message.role === "assistant");
    const billed = responses.reduce((sum, message) => sum + message.usage.totalTokens, 0);
    expect(billed, context).toBe(used.tokens);
  }
});
