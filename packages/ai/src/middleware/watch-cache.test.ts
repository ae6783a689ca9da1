import {
  type AssistantMessage,
  type AssistantMessageEvent,
  AssistantMessageEventStream,
  type Context,
  calculateCost,
  fauxAssistantMessage,
  type Message,
  type Model,
  type SimpleStreamOptions,
  streamSimple,
  type Tool,
  type Usage,
} from "pi-ai";
import { type CacheBreak, findCacheBreak, reportCache, watchCache } from "pi-ai/cache";
import { assertStableCache, createScriptedStreamFn } from "pi-ai/testing";
import { describe, expect, it } from "vitest";
import { turns } from "../../../../test/support/patience.js";

const tool = (name: string): Tool => ({
  name,
  description: `The tool ${name}`,
  parameters: { type: "object", properties: {} },
});
const user = (content: string, timestamp = 1): Message => ({ role: "user", content, timestamp });
const context: Context = {
  systemPrompt: "Be brief.",
  messages: [user("One"), user("Two")],
  tools: [tool("a"), tool("b")],
};
const model: Model = {
  id: "m",
  name: "M",
  api: "scripted",
  provider: "test",
  baseUrl: "https://example.invalid",
  reasoning: false,
  input: ["text"],
  cost: { input: 10, output: 20, cacheRead: 1, cacheWrite: 12.5 },
  contextWindow: 1000,
  maxTokens: 100,
};

describe("the first difference", () => {
  const cases: [string, Partial<Context>, Partial<CacheBreak>][] = [
    ["a tool in another place", { tools: [tool("b"), tool("a")] }, { part: "tools", index: 0 }],
    ["a new tool", { tools: [tool("a"), tool("b"), tool("c")] }, { part: "tools", index: 2 }],
    [
      "another system prompt",
      { systemPrompt: "Be long." },
      { part: "systemPrompt", index: 3, before: "brief.", after: "long." },
    ],
    ["an earlier message", { messages: [user("Uno"), user("Two"), user("Three")] }, { part: "messages", index: 0 }],
    ["a missing message", { messages: [user("One")] }, { part: "messages", index: 1 }],
  ];
  it.each(cases)("is %s", (_name, change, expected) => {
    expect(findCacheBreak(context, { ...context, ...change })).toMatchObject(expected);
  });

  it("is none where messages were only added, or only their times differ", () => {
    const messages = [user("One", 5), user("Two"), user("Three")];
    expect(findCacheBreak(context, { ...context, messages })).toBeUndefined();
  });
});

describe("a watched stream function", () => {
  it("notes a break on the response, and only there", async () => {
    const breaks: CacheBreak[] = [];
    const scripted = createScriptedStreamFn([
      fauxAssistantMessage("a"),
      fauxAssistantMessage("b"),
      fauxAssistantMessage("c"),
    ]);
    const streamFn = watchCache(scripted, { onBreak: (found) => breaks.push(found) });
    const longer = { ...context, messages: [...context.messages, user("Three")] };
    const first = await streamFn(model, context).result();
    const second = await streamFn(model, longer).result();
    const third = await streamFn(model, { ...longer, systemPrompt: "It is 12:01." }).result();
    expect([first.diagnostics, second.diagnostics]).toEqual([undefined, undefined]);
    expect(third.diagnostics).toMatchObject([{ type: "cache_broken", details: { part: "systemPrompt", index: 0 } }]);
    expect(third.content).toMatchObject([{ text: "c" }]);
    expect(breaks).toHaveLength(1);
    expect(reportCache([first, second, third], () => model).broken).toBe(1);
  });

  it("says what a break costs: what the request before has cached and this one reads anew", async () => {
    const streamFn = watchCache(createScriptedStreamFn([fauxAssistantMessage("a"), fauxAssistantMessage("b")]));
    const answer = await streamFn(model, context).result();
    const first = { ...answer, usage: { ...answer.usage, input: 20, cacheRead: 0, cacheWrite: 20 } };
    const messages = [...context.messages, first, user("Three")];
    const second = await streamFn(model, { ...context, messages, systemPrompt: "It is 12:01." }).result();
    expect(second.usage).toMatchObject({ cacheRead: 0, cacheWrite: 0 });
    expect(second.usage.input).toBeGreaterThan(40);
    expect(second.diagnostics?.[0]?.details).toMatchObject({
      part: "systemPrompt",
      rereadTokens: 40,
      dollars: (40 * (10 - 1)) / 1e6,
    });
  });

  it("notices a message that was changed in place, keeps sessions apart, and forgets the oldest", async () => {
    const breaks: CacheBreak[] = [];
    const scripted = createScriptedStreamFn(Array.from({ length: 6 }, () => fauxAssistantMessage("a")));
    const streamFn = watchCache(scripted, { onBreak: (found) => breaks.push(found), maxSessions: 2 });
    const own: Context = { messages: [user("One")] };
    await streamFn(model, own, { sessionId: "1" }).result();
    await streamFn(model, { messages: [user("Other")] }, { sessionId: "2" }).result();
    expect(breaks).toEqual([]);
    own.messages[0] = Object.assign(own.messages[0] ?? user(""), { content: "Changed" });
    await streamFn(model, own, { sessionId: "1" }).result();
    expect(breaks).toHaveLength(1);
    await streamFn(model, own, { sessionId: "3" }).result();
    await streamFn(model, { messages: [user("New")] }, { sessionId: "2" }).result();
    await streamFn(model, { messages: [] }, { sessionId: "2", cacheRetention: "none" }).result();
    expect(breaks).toHaveLength(1);
  });
});

describe("a setting that costs the cache", () => {
  const claude: Model = {
    ...model,
    id: "claude-opus-4-6",
    provider: "anthropic",
    api: "anthropic-messages",
    baseUrl: "https://example.invalid",
    reasoning: true,
  };
  const newest: Model = { ...claude, id: "claude-opus-5-5", baseUrl: "https://api.anthropic.com" };
  const gpt: Model = { ...claude, id: "gpt-5.5", provider: "openai", api: "openai-responses" };
  const chat: Model = { ...gpt, api: "openai-completions" };
  const picture: Message = {
    role: "user",
    content: [{ type: "image", data: "aGk=", mimeType: "image/png" }],
    timestamp: 1,
  };

  async function breakOf(
    asked: Model,
    { first, next, messages }: { first?: SimpleStreamOptions; next?: SimpleStreamOptions; messages?: Message[] },
  ): Promise<unknown> {
    const scripted = createScriptedStreamFn([
      { ...fauxAssistantMessage("a"), usage: usageOf(1000) },
      { ...fauxAssistantMessage("b"), usage: usageOf(1200) },
    ]);
    const streamFn = watchCache(scripted);
    const answer = await streamFn(asked, context, { sessionId: "s", ...first }).result();
    const longer = { ...context, messages: [...context.messages, answer, ...(messages ?? [user("Three")])] };
    const { diagnostics } = await streamFn(asked, longer, { sessionId: "s", ...next }).result();
    return diagnostics?.find(({ type }) => type === "cache_broken")?.details;
  }

  const usageOf = (input: number): Usage => ({ ...fauxAssistantMessage("").usage, input, totalTokens: input });

  it("is named with its values, and what it cost", async () => {
    expect(await breakOf(claude, { first: { reasoning: "low" }, next: { reasoning: "high" } })).toEqual({
      ...{ part: "settings", index: 0, name: "reasoning", before: '"low"', after: '"high"' },
      ...{ rereadTokens: 1000, dollars: (1000 * (10 - 1)) / 1e6 },
    });
    const changes = [{ ...claude.cost, from: "2020-01-01", input: 30 }];
    const dated = { ...claude, cost: { ...claude.cost, changes } };
    const later = await breakOf(dated, { next: { reasoning: "high" } });
    expect(later, "at the prices of its day").toMatchObject({ dollars: (1000 * (30 - 1)) / 1e6 });
    expect(await breakOf(claude, { next: { toolChoice: "required" } })).toMatchObject({ name: "toolChoice" });
    expect(await breakOf(claude, { messages: [picture] })).toMatchObject({ name: "images", after: "true" });
    expect(await breakOf(gpt, { next: { verbosity: "high" } })).toMatchObject({ name: "verbosity" });
    expect(await breakOf(gpt, { next: { outputFormat: { schema: {} } } })).toMatchObject({ name: "outputFormat" });
  });

  it("is none where the vendor's cache does not depend on it, or the level is the same to the model", async () => {
    expect(await breakOf(gpt, { messages: [picture] })).toBeUndefined();
    expect(await breakOf(chat, { next: { verbosity: "high", reasoning: "high" } })).toBeUndefined();
    expect(await breakOf(claude, { next: { verbosity: "high" } })).toBeUndefined();
    const level = { thinkingLevel: "high" as const };
    const change: Message = {
      role: "system",
      content: "",
      ...level,
      base: { systemPrompt: "Be brief.", tools: [], thinkingLevel: "low" },
      timestamp: 1,
    };
    const messages = [user("Three"), change];
    expect(
      await breakOf(newest, { first: { reasoning: "low" }, next: { reasoning: "high" }, messages }),
    ).toBeUndefined();
  });
});

describe("a stream whose cache is broken", () => {
  const text = fauxAssistantMessage("a");

  /** The second of two requests, which breaks the cache, and a provider that sends until it is aborted. */
  async function breakCache(events: number) {
    const source = { pushed: 0, isAborted: false };
    const streamFn = watchCache(() => {
      const stream = new AssistantMessageEventStream({
        onAbandoned: () => {
          source.isAborted = true;
        },
      });
      source.pushed = 0;
      const send = async (): Promise<void> => {
        while (source.pushed < events && !source.isAborted) {
          stream.push({ type: "text_delta", contentIndex: 0, delta: "a", partial: text });
          source.pushed++;
          await stream.whenReadable(64);
        }
        stream.push({ type: "done", reason: "stop", message: text });
      };
      void send();
      return stream;
    });
    await streamFn(model, context, { sessionId: "1" }).result();
    return { source, stream: streamFn(model, { ...context, systemPrompt: "New" }, { sessionId: "1" }) };
  }

  it("aborts the request when its reader leaves", async () => {
    const { source, stream } = await breakCache(100_000);
    for await (const event of stream) if (event.type === "text_delta") break;
    expect(source.isAborted).toBe(true);
    expect(source.pushed).toBeLessThan(1000);
  });

  it("waits for a slow reader, and then gives it everything", async () => {
    const { source, stream } = await breakCache(5000);
    const reader = stream[Symbol.asyncIterator]();
    await reader.next();
    await turns(50);
    expect(source.pushed).toBeLessThan(1000);
    let count = 1;
    let last: AssistantMessageEvent | undefined;
    for (let next = await reader.next(); !next.done; next = await reader.next()) {
      count++;
      last = next.value;
    }
    expect(count).toBe(5001);
    expect(last).toMatchObject({ type: "done", message: { diagnostics: [{ type: "cache_broken" }] } });
  });

  it("does not wait if only its result is asked for", async () => {
    const { stream } = await breakCache(5000);
    expect((await stream.result()).diagnostics).toMatchObject([{ type: "cache_broken" }]);
  });
});

describe("without a session id", () => {
  it("tells conversations apart by their first message", async () => {
    const scripted = createScriptedStreamFn(Array.from({ length: 4 }, () => fauxAssistantMessage("a")));
    const streamFn = watchCache(scripted);
    const ask = (systemPrompt: string, ...texts: string[]): Promise<AssistantMessage> =>
      streamFn(model, { systemPrompt, messages: texts.map((text) => user(text)) }).result();
    expect((await ask("S", "One")).diagnostics).toBeUndefined();
    expect((await ask("S", "Other")).diagnostics).toBeUndefined();
    expect((await ask("S", "One", "Two")).diagnostics).toBeUndefined();
    expect((await ask("T", "Other")).diagnostics).toMatchObject([{ details: { part: "systemPrompt" } }]);
  });
});

it("a mark for the cache does not break it", () => {
  const text = { type: "text", text: "One" } as const;
  const before: Message[] = [{ role: "user", content: [{ ...text, cache: "long" }], timestamp: 1 }];
  const after: Message[] = [{ role: "user", content: [text], timestamp: 1 }, user("Two")];
  expect(findCacheBreak({ messages: before }, { messages: after })).toBeUndefined();
  const tool = { name: "read", description: "Reads", parameters: { type: "object" } };
  const tools = [{ ...tool, cache: "long" as const }];
  expect(findCacheBreak({ messages: after, tools }, { messages: after, tools: [tool] })).toBeUndefined();
});

describe("the test helper", () => {
  it("accepts a conversation that grows, and names what breaks the cache", () => {
    const longer = { ...context, messages: [...context.messages, user("Three")] };
    expect(() => assertStableCache([context, longer])).not.toThrow();
    expect(() => assertStableCache([{ context }, { context: { ...longer, tools: [] } }])).toThrow(
      "Request 2 breaks the cache: tools differ from position 0",
    );
  });
});

describe("the report", () => {
  const respond = (counts: Partial<Usage>): AssistantMessage => {
    const usage = { ...fauxAssistantMessage("").usage, ...counts };
    const { input, output, cacheRead, cacheWrite } = usage;
    return { ...fauxAssistantMessage("a"), usage: { ...usage, totalTokens: input + output + cacheRead + cacheWrite } };
  };

  it("charges each write at the price of its lifetime", () => {
    const short = respond({ cacheWrite: 1_000_000 });
    // 10 dollars of input, 12.50 for five minutes.
    expect(reportCache([short], () => model)).toMatchObject({ writtenTokens: 1_000_000, savedDollars: -2.5 });
    const long = respond({ cacheWrite: 1_000_000, cacheWrite1h: 1_000_000 });
    // 20 dollars for an hour: twice the price of input.
    expect(reportCache([long], () => model).savedDollars).toBeCloseTo(-10);
    const mixed = respond({ cacheWrite: 1_000_000, cacheWrite1h: 400_000, cacheRead: 500_000 });
    // 15 dollars of input, less 0.6 * 12.50, 0.4 * 20 and 0.5 * 1.
    expect(reportCache([mixed], () => model).savedDollars).toBeCloseTo(15 - 7.5 - 8 - 0.5);
  });

  it("compares within the price tier of the whole prompt", () => {
    const above = { inputTokensAbove: 200_000, input: 20, output: 40, cacheRead: 2, cacheWrite: 25 };
    const tiered = { ...model, cost: { ...model.cost, tiers: [above] } };
    const message = respond({ input: 100_000, cacheRead: 900_000 });
    expect(reportCache([message], () => tiered).savedDollars).toBeCloseTo(20 - 2 - 1.8);
  });

  it("agrees with the cost of the responses over a run", () => {
    const run = [
      respond({ cacheWrite: 5000, output: 100 }),
      respond({ input: 20, cacheRead: 5000, cacheWrite: 700, output: 90 }),
      respond({ input: 10, cacheRead: 5700, cacheWrite: 80, cacheWrite1h: 30, output: 10 }),
    ];
    const paid = run.map(({ usage }) => calculateCost(model, { ...usage, cost: { ...usage.cost } }).total);
    const prompts = run.map(({ usage }) => usage.totalTokens - usage.output);
    const full = run.map(({ usage }, index) => ((prompts[index] ?? 0) * 10 + usage.output * 20) / 1_000_000);
    const sum = (list: number[]): number => list.reduce((total, value) => total + value, 0);
    expect(reportCache(run, () => model).savedDollars).toBeCloseTo(sum(full) - sum(paid), 10);
    expect(reportCache(run, () => model)).toMatchObject({ responses: 3, hits: 2, writtenTokens: 5780 });
    expect(reportCache(run, () => undefined).savedDollars).toBe(0);
  });
});

it("the report says what was saved", () => {
  const usage = { ...fauxAssistantMessage("").usage, input: 100_000, cacheRead: 900_000, totalTokens: 1_000_000 };
  const report = reportCache([user("One"), { ...fauxAssistantMessage("a"), usage }], () => model);
  expect(report).toMatchObject({ responses: 1, hits: 1, promptTokens: 1_000_000, cachedTokens: 900_000, hitRate: 0.9 });
  // 1 million tokens at 10 dollars, less 100,000 at 10 and 900,000 at 1.
  expect(report.savedDollars).toBeCloseTo(10 - 1 - 0.9);
  expect(reportCache([], () => model)).toMatchObject({ responses: 0, hitRate: 0 });
});

describe("an argument of another type", () => {
  // As JavaScript callers pass them.
  const untyped = (of: unknown) => of as (...args: unknown[]) => unknown;

  it.each<[string, () => unknown, string]>([
    ["no stream function", () => untyped(watchCache)(), "watchCache needs a stream function, such as streamSimple"],
    ["a client", () => untyped(watchCache)({}), "watchCache needs a stream function, such as streamSimple"],
    [
      "no conversation to remember",
      () => watchCache(createScriptedStreamFn([]), { maxSessions: 0 }),
      "maxSessions must be at least 1, got 0",
    ],
    [
      "a limit that is not a number",
      () => watchCache(createScriptedStreamFn([]), { maxSessions: Number.NaN }),
      "maxSessions must be a whole number that is not negative (Infinity means no limit), got NaN",
    ],
    ["no messages", () => untyped(reportCache)(), "reportCache needs a list of messages"],
    ["a model for a function", () => untyped(reportCache)([], model), "such as () => model"],
    ["a stream function for its calls", () => untyped(assertStableCache)(() => {}), "such as the calls of"],
  ])("is refused: %s", (_name, run, words) => {
    expect(run).toThrow(words);
  });

  it("is skipped in a stored transcript", () => {
    const messages = [null, undefined, "Hi", { role: "assistant", usage: null }];
    expect(untyped(reportCache)(messages, () => model)).toMatchObject({ responses: 0, hitRate: 0 });
  });
});

describe("a provider that compares its caches", () => {
  const gpt: Model = {
    ...model,
    id: "gpt-7",
    api: "openai-responses",
    provider: "openai",
    baseUrl: "https://api.openai.com/v1",
  };
  const MISS = {
    type: "cache_miss",
    cache_missed_tokens: 900,
    comparison_reusable_tokens: 100,
    reason: "tools_changed",
  };

  /** A server whose answers have ids, and a reason from the second one on. */
  function serve(bodies: Record<string, unknown>[]): typeof globalThis.fetch {
    return async (_input, init) => {
      bodies.push(JSON.parse(String(init?.body)));
      const diagnostics = bodies.length > 1 ? { prompt_cache_diagnostics: MISS } : {};
      const response = { id: `r${bodies.length}`, status: "completed", output: [], ...diagnostics };
      const text = `data: ${JSON.stringify({ type: "response.completed", response })}\n\n`;
      return new Response(text, { headers: { "content-type": "text/event-stream" } });
    };
  }

  it("is asked to compare with the previous response, and its reason is passed on", async () => {
    const bodies: Record<string, unknown>[] = [];
    const misses: unknown[] = [];
    const streamFn = watchCache(streamSimple, { onMiss: (miss) => misses.push(miss) });
    const options = { apiKey: "key", sessionId: "s", cacheRetention: "long", fetch: serve(bodies) } as const;
    const first = await streamFn(gpt, context, options).result();
    const seen: unknown[] = [];
    const second = await streamFn(gpt, context, { ...options, onPayload: (body) => void seen.push(body) }).result();
    expect(bodies.map((body) => body["prompt_cache_options"])).toEqual([
      { ttl: "12h" },
      { comparison_response_id: "r1", ttl: "12h" },
    ]);
    expect(seen).toHaveLength(1);
    expect(first.diagnostics).toBeUndefined();
    const details = { reason: "tools_changed", missedTokens: 900, reusableTokens: 100 };
    expect(second.diagnostics).toMatchObject([{ type: "cache_miss", details }]);
    expect(misses).toEqual([details]);
  });

  const claude: Model = {
    ...model,
    api: "anthropic-messages",
    provider: "anthropic",
    baseUrl: "https://api.anthropic.com",
  };

  /** A server of Anthropic's api, whose answers from the second one on have a reason. */
  function serveClaude(bodies: Record<string, unknown>[], reason: object | null): typeof globalThis.fetch {
    return async (_input, init) => {
      bodies.push(JSON.parse(String(init?.body)));
      const diagnostics = bodies.length > 1 ? { diagnostics: { cache_miss_reason: reason } } : {};
      const message = { id: `msg_${bodies.length}`, role: "assistant", content: [], usage: {}, ...diagnostics };
      const events = [
        { type: "message_start", message },
        { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: {} },
        { type: "message_stop" },
      ];
      const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
      return new Response(text, { headers: { "content-type": "text/event-stream" } });
    };
  }

  it.each([
    [
      "a reason",
      { type: "tools_changed", cache_missed_input_tokens: 900 },
      [{ reason: "tools_changed", missedTokens: 900 }],
    ],
    ["a response that is not known any more", { type: "previous_message_not_found" }, []],
    ["no answer yet", null, []],
  ])("is asked at Anthropic, too: %s", async (_name, reason, expected) => {
    const bodies: Record<string, unknown>[] = [];
    const misses: unknown[] = [];
    const streamFn = watchCache(streamSimple, { onMiss: (miss) => misses.push(miss) });
    const options = { apiKey: "key", sessionId: "s", fetch: serveClaude(bodies, reason) } as const;
    for (let count = 0; count < 2; count++) await streamFn(claude, context, options).result();
    await streamFn({ ...claude, baseUrl: "https://example.invalid" }, context, {
      ...options,
      sessionId: "other",
    }).result();
    const asked = [{ previous_message_id: null }, { previous_message_id: "msg_1" }, undefined];
    expect(bodies.map((body) => body["diagnostics"])).toEqual(asked);
    expect(misses).toEqual(expected);
  });

  it.each([
    ["an older model", { id: "gpt-5.5" }],
    ["another host", { provider: "mine", baseUrl: "https://example.invalid/v1" }],
  ])("is not asked: %s", async (_, fields) => {
    const bodies: Record<string, unknown>[] = [];
    const streamFn = watchCache(streamSimple);
    const options = { apiKey: "key", sessionId: "s", fetch: serve(bodies) };
    for (let count = 0; count < 2; count++) await streamFn({ ...gpt, ...fields }, context, options).result();
    expect(bodies).toHaveLength(2);
    for (const body of bodies) expect(body).not.toHaveProperty("prompt_cache_options");
  });
});
