/** Every request that an agent causes counts: what a server was asked equals what the budget and `sumUsage` count. */
import { Agent, type AgentMiddleware, type AgentOptions, type AnyAgentTool, type StreamFn } from "pi-agent";
import { compact, isCompactionMessage } from "pi-agent/compact";
import { durable } from "pi-agent/durable";
import { agentTool, Budget, limits, sumUsage } from "pi-agent/limits";
import {
  type AssistantMessage,
  type Context,
  fauxAssistantMessage,
  fauxToolCall,
  type Model,
  Type,
  type Usage,
} from "pi-ai";
import { describe, expect, test, vi } from "vitest";
import { isSummary } from "./compact-script.js";
import { MemoryEngine } from "./durable/memory-engine.js";
import { eventsOf, MODEL, streamOf, terminalEvent } from "./scripted-stream.js";

const model: Model = { ...MODEL, contextWindow: 1000 };
const long = `Hello ${"word ".repeat(400)}`;

/** A server that gives every request a price of its own, and adds up what it was asked. */
function createServer(respond: (context: Context, index: number) => AssistantMessage) {
  const ledger = { requests: 0, tokens: 0, usd: 0, summaries: 0 };
  const streamFn: StreamFn = (_model, context) => {
    const index = ledger.requests++;
    const asks = isSummary(context);
    if (asks) ledger.summaries++;
    const cents = asks ? 425 : 1 + index;
    const usage: Usage = {
      input: cents,
      output: 1,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: cents + 1,
      cost: { input: cents / 100, output: 0, cacheRead: 0, cacheWrite: 0, total: cents / 100 },
    };
    ledger.tokens += usage.totalTokens;
    ledger.usd += usage.cost.total;
    const message = { ...respond(context, index), usage };
    return streamOf(message.stopReason === "error" ? [terminalEvent(message)] : eventsOf(message));
  };
  return { ledger, streamFn };
}

const say = (text: string): AssistantMessage => fauxAssistantMessage(text);
const failed = (errorMessage: string): AssistantMessage => ({
  ...fauxAssistantMessage("", { stopReason: "error" }),
  content: [],
  errorMessage,
  error: { kind: "overloaded" },
});
const callWork = (index: number): AssistantMessage => fauxAssistantMessage(fauxToolCall("work", { n: index }));

const work: AnyAgentTool = {
  name: "work",
  description: "Works",
  parameters: Type.Object({ n: Type.Number() }),
  replay: "safe",
  execute: async (_id, { n }) => ({ content: [{ type: "text", text: `result ${n} ${"x ".repeat(300)}` }] }),
};

function check(budget: Budget, ledger: ReturnType<typeof createServer>["ledger"], agent: Agent): void {
  const { cost, totalTokens } = sumUsage(agent.state.messages);
  expect({ usd: cost.total.toFixed(6), tokens: totalTokens }).toEqual({
    usd: ledger.usd.toFixed(6),
    tokens: ledger.tokens,
  });
  const { usd, tokens, turns } = budget.used;
  expect({ usd: usd.toFixed(6), tokens, turns }).toEqual({
    usd: ledger.usd.toFixed(6),
    tokens: ledger.tokens,
    turns: ledger.requests,
  });
}

function withBudget(budget: Budget, options: AgentOptions): Agent {
  return new Agent({ ...options, middleware: [...(options.middleware ?? []), limits({ budget, loops: false })] });
}

/** The options of an agent that compacts after each few responses. */
function compacting(streamFn: StreamFn, at = 0.4): AgentOptions {
  return {
    streamFn,
    middleware: [compact({ at, keep: 20, clearToolResults: false })],
    initialState: { model, tools: [work] },
  };
}

describe("the budget and sumUsage count", () => {
  test("summaries", async () => {
    const { ledger, streamFn } = createServer((context, index) =>
      isSummary(context) ? say("Summary") : index < 6 ? callWork(index) : say("Done"),
    );
    const budget = new Budget({ usd: 1000 });
    const agent = withBudget(budget, compacting(streamFn));
    await agent.prompt(long);
    expect(agent.state.errorMessage).toBeUndefined();
    expect(ledger.summaries).toBeGreaterThan(0);
    expect(agent.state.messages.some(isCompactionMessage)).toBe(true);
    check(budget, ledger, agent);
  });

  test("summaries that fail, in runs that go on", async () => {
    const { ledger, streamFn } = createServer((context, index) =>
      isSummary(context) ? failed("busy") : index < 6 ? callWork(index) : say("Done"),
    );
    const budget = new Budget({ usd: 1000 });
    const agent = withBudget(budget, compacting(streamFn));
    await agent.prompt(long);
    expect(ledger.summaries).toBeGreaterThan(0);
    expect(agent.state.messages.some(isCompactionMessage)).toBe(false);
    check(budget, ledger, agent);
    await agent.prompt("Go on");
    check(budget, ledger, agent);
  });

  test("a summary after an overflow in the last request of a run, and responses that wrapModelCall drops", async () => {
    const overflow = {
      ...failed("prompt is too long: 1200 tokens > 1000 maximum"),
      error: { kind: "context_overflow" as const },
    };
    const { ledger, streamFn } = createServer((context, index) =>
      isSummary(context) ? say("Summary") : index === 2 ? overflow : say("Done"),
    );
    const budget = new Budget({ usd: 1000 });
    const agent = withBudget(budget, compacting(streamFn, 1));
    await agent.prompt("One");
    await agent.prompt(long);
    await agent.prompt("Three");
    expect(agent.state.errorMessage).toBeUndefined();
    expect(ledger.summaries).toBeGreaterThan(0);
    check(budget, ledger, agent);
  });

  test("retries, and what a hook asks before it throws", async () => {
    const { ledger, streamFn } = createServer((_context, index) => (index % 3 === 2 ? say("Done") : failed("busy")));
    const budget = new Budget({ usd: 1000 });
    let throws = false;
    const agent = withBudget(budget, {
      streamFn,
      wrapModelCall: async (request, send) => {
        let response = await send(request);
        while (response.stopReason === "error") response = await send(request);
        if (throws) throw new Error("no more");
        // A copy of the response is still that response.
        return structuredClone(response);
      },
      initialState: { model },
    });
    await agent.prompt("Hi");
    check(budget, ledger, agent);
    expect(agent.state.messages.at(-1)).toMatchObject({
      diagnostics: [{ type: "side_requests", details: { usages: [{ totalTokens: 2 }, { totalTokens: 3 }] } }],
    });
    throws = true;
    await agent.prompt("Hi");
    expect(ledger.requests).toBe(6);
    expect(agent.state.errorMessage).toBe("no more");
    check(budget, ledger, agent);
  });

  test("repairs of a typed output", async () => {
    const { ledger, streamFn } = createServer((_context, index) => say(index === 0 ? "{}" : '{"city":"Oslo"}'));
    const budget = new Budget({ usd: 1000 });
    const output = { schema: Type.Object({ city: Type.String() }) };
    const agent = withBudget(budget, { streamFn, initialState: { model, output } });
    await agent.prompt("Where?");
    expect(ledger.requests).toBeGreaterThan(1);
    check(budget, ledger, agent);
  });

  test("children with summaries of their own", async () => {
    const { ledger, streamFn } = createServer((context, index) => {
      if (isSummary(context)) return say("Summary");
      if (context.systemPrompt !== "child")
        return index === 0 ? fauxAssistantMessage(fauxToolCall("ask", { q: long })) : say("Done");
      return index < 6 ? callWork(index) : say("Found");
    });
    const budget = new Budget({ usd: 1000 });
    const ask = agentTool({
      name: "ask",
      description: "Asks",
      parameters: Type.Object({ q: Type.String() }),
      agent: () => {
        const options = compacting(streamFn);
        return new Agent({ ...options, initialState: { ...options.initialState, systemPrompt: "child" } });
      },
    });
    const agent = withBudget(budget, { streamFn, initialState: { model, tools: [ask] } });
    await agent.prompt("Hi");
    expect(agent.state.errorMessage).toBeUndefined();
    expect(ledger.summaries).toBeGreaterThan(0);
    check(budget, ledger, agent);
  });

  test.each(["timeout", "abort"])("children of calls that end by %s", async (end) => {
    vi.useFakeTimers();
    try {
      const { ledger, streamFn } = createServer((context) =>
        context.systemPrompt === "child"
          ? callWork(1)
          : ledger.requests > 1
            ? say("Done")
            : fauxAssistantMessage(fauxToolCall("ask", { q: "?" })),
      );
      const budget = new Budget({ usd: 1000 });
      const stuck: AnyAgentTool = { ...work, execute: () => new Promise<never>(() => {}) };
      const ask = agentTool({
        name: "ask",
        description: "Asks",
        parameters: Type.Object({ q: Type.String() }),
        toolTimeoutMs: end === "timeout" ? 1000 : 0,
        agent: () => new Agent({ streamFn, initialState: { model, systemPrompt: "child", tools: [stuck] } }),
      });
      const agent = withBudget(budget, { streamFn, initialState: { model, tools: [ask] } });
      const running = agent.prompt("Hi");
      await vi.waitUntil(() => ledger.requests === 2, { interval: 0 });
      await vi.advanceTimersByTimeAsync(500);
      if (end === "abort") agent.abort();
      await vi.advanceTimersByTimeAsync(1000);
      await running;
      expect(ledger.requests).toBe(end === "abort" ? 2 : 3);
      check(budget, ledger, agent);
    } finally {
      vi.useRealTimers();
    }
  });

  test.each(["a hook fails", "a person has declined"])("children that were about to wait when %s", async (how) => {
    const { ledger, streamFn } = createServer((context) =>
      fauxAssistantMessage(fauxToolCall(context.systemPrompt === "child" ? "question" : "ask", { n: ledger.requests })),
    );
    const question: AnyAgentTool = {
      ...work,
      name: "question",
      execute: async (_id, _args, _signal, _onUpdate, context) => String(await context?.ask?.({ message: "Which?" })),
    };
    const ask: AnyAgentTool = agentTool({
      name: "ask",
      description: "Asks",
      parameters: work.parameters,
      agent: () => new Agent({ streamFn, initialState: { model, systemPrompt: "child", tools: [question] } }),
    });
    const budget = new Budget({ usd: 1000 });
    let fails = how === "a hook fails";
    const failing: AgentMiddleware = {
      name: "failing",
      begin: () => ({
        beforePause: async (requests) => {
          if (fails) throw new Error("no");
          return requests;
        },
      }),
    };
    const agent = withBudget(budget, {
      streamFn,
      middleware: [failing],
      initialState: { model, tools: [ask] },
      onNewMessage: "decline",
    });
    await agent.prompt("Hi");
    if (!fails) {
      const [request] = agent.state.pause?.requests ?? [];
      await agent.answer([{ id: request?.id ?? "", approved: true }]);
      fails = true;
      await agent.prompt("Another thing");
    }
    expect(ledger.requests).toBeGreaterThan(1);
    expect(agent.state.pause).toBeUndefined();
    check(budget, ledger, agent);
  });

  test("children that need longer for their end than the run waits after an abort", async () => {
    vi.useFakeTimers();
    try {
      const { ledger, streamFn } = createServer((context) =>
        context.systemPrompt === "child" ? callWork(1) : fauxAssistantMessage(fauxToolCall("ask", { n: 1 })),
      );
      const started = Promise.withResolvers<void>();
      const ask = agentTool({
        name: "ask",
        description: "Asks",
        parameters: work.parameters,
        agent: () => {
          const child = new Agent({ streamFn, initialState: { model, systemPrompt: "child", tools: [work] } });
          child.subscribe((event) => {
            if (event.type === "tool_execution_start") started.resolve();
            return event.type.startsWith("tool_") ? new Promise(() => {}) : undefined;
          });
          return child;
        },
      });
      const budget = new Budget({ usd: 1000 });
      const agent = withBudget(budget, { streamFn, initialState: { model, tools: [ask] } });
      const running = agent.prompt("Hi");
      await started.promise;
      agent.abort();
      await vi.advanceTimersByTimeAsync(1000);
      await running;
      check(budget, ledger, agent);
    } finally {
      vi.useRealTimers();
    }
  });

  test("what a durable run has paid before it is repeated", async () => {
    const engine = new MemoryEngine();
    const { ledger, streamFn } = createServer((context, index) =>
      isSummary(context) ? say("Summary") : index < 6 ? callWork(index) : say("Done"),
    );
    const spent = async (): Promise<Budget> => {
      const budget = new Budget({ usd: 1000 });
      const steps = durable(engine.start());
      const options = compacting(streamFn);
      const middleware = [limits({ budget, loops: false }), ...(options.middleware ?? [])];
      const agent = new Agent({ ...options, steps, middleware });
      await agent.prompt(long);
      check(budget, ledger, agent);
      return budget;
    };
    const first = await spent();
    const { requests } = ledger;
    const second = await spent();
    expect(ledger.requests).toBe(requests);
    expect(second.used.usd).toBeCloseTo(first.used.usd, 9);
    expect(second.used).toMatchObject({ tokens: first.used.tokens, turns: first.used.turns });
  });

  test("a record that was made outside a run", async () => {
    const { ledger, streamFn } = createServer(() => say("Summary"));
    const messages = Array.from({ length: 6 }, (_, index) => ({
      role: "user" as const,
      content: long,
      timestamp: index,
    }));
    const record = await compact({ keep: 20 }).compact(messages, { model, streamFn });
    expect(record).toBeDefined();
    expect(sumUsage(record ? [...messages, record] : messages).cost.total).toBeCloseTo(ledger.usd, 9);
  });
});

test("a budget refuses a summary that does not fit, and the run ends with the budget", async () => {
  const { ledger, streamFn } = createServer((context, index) =>
    isSummary(context) ? say("Summary") : index < 50 ? callWork(index) : say("Done"),
  );
  const options = compacting(streamFn);
  const middleware = [...(options.middleware ?? []), limits({ budget: { usd: 9 }, loops: false })];
  const agent = new Agent({ ...options, middleware });
  await agent.prompt(long);
  expect(agent.state.stopped).toMatchObject({ by: "budget", limit: "usd" });
  expect(ledger.summaries).toBeGreaterThan(0);
  // At most one response beyond the budget.
  expect(ledger.usd).toBeLessThan(9 + 4.25);
});
