import fc from "fast-check";
import { type Api, AssistantMessageEventStream, ConfigError, getModels, getProviders, type Model } from "pi-ai";
import { createAssistantMessage } from "pi-ai/call";
import { createProxyHandler, type ProxyLimits } from "pi-ai/proxy-server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { budget } from "../../../../test/support/suite.js";
import { PARTIES, type Party } from "../../test/handoff/parties.js";
import { adapterOf } from "../../test/protocols/adapters.internal.js";
import { END, sse } from "../../test/support/plain-adapter.js";
import { BODY, good, MODEL, post, refusal, setUp } from "../../test/support/proxy-setup.js";
import type { Script } from "../../test/support/scripted-fetch.js";

// The reader of a long body lets other work run by `setImmediate`, which must be real.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] }));
afterEach(() => void vi.useRealTimers());

const PROMPT = "x".repeat(400); // 110 tokens with what frames a request
const asking = post.bind(undefined, {
  ...BODY,
  context: { messages: [{ role: "user", content: PROMPT, timestamp: 1 }] },
});

/** The usage of a client that leaves after this many chunks; it stays if there are fewer. */
async function billAfter(pieces: number, script: Script) {
  const { handler, usages } = setUp({ scripts: [script] });
  const reader = (await handler(asking())).body?.getReader();
  for (let count = 0; count < pieces && !(await reader?.read())?.done; ) count++;
  await reader?.cancel();
  await vi.advanceTimersByTimeAsync(10);
  expect(usages).toHaveLength(1);
  return usages[0];
}

describe("onUsage reports complete usage without an estimate", () => {
  it("for a response that is complete and was counted", async () => {
    const bill = await billAfter(100, good);
    expect(bill).toMatchObject({ complete: true, clientLeft: false, message: { usage: { input: 5, output: 2 } } });
    expect(bill).not.toHaveProperty("estimate");
  });

  it("for a request that the provider refused", async () => {
    const bill = await billAfter(100, { status: 400, pieces: ["{}"] });
    expect(bill).toMatchObject({ complete: true, message: { stopReason: "error", usage: { totalTokens: 0 } } });
    expect(bill).not.toHaveProperty("estimate");
  });
});

describe("onUsage reports incomplete usage with an estimate", () => {
  const words = sse({ text: "y".repeat(40) });

  it("when the client leaves after the provider has counted the prompt", async () => {
    const script = {
      pieces: [sse({ usage: { input: 7, cacheRead: 3, output: 1 } }), words],
      after: "silence",
    } as const;
    expect(await billAfter(3, script)).toMatchObject({
      complete: false,
      clientLeft: true,
      message: { usage: { input: 7, cacheRead: 3, output: 1 } },
      // The provider's counts stay, but more was streamed than it had counted.
      estimate: { input: 7, cacheRead: 3, output: 13, totalTokens: 23, cost: { total: expect.closeTo(0.000023, 10) } },
    });
  });

  it("when the client leaves a provider that counts at the end", async () => {
    expect(await billAfter(3, { pieces: [words], after: "silence" })).toMatchObject({
      complete: false,
      clientLeft: true,
      message: { usage: { totalTokens: 0 } },
      estimate: { input: 110, output: 13, totalTokens: 123 },
    });
  });

  it("when the client leaves before the first event", async () => {
    const { handler, usages } = setUp({ scripts: ["silence"] });
    await (await handler(asking())).body?.cancel();
    await vi.advanceTimersByTimeAsync(10);
    expect(usages).toMatchObject([{ complete: false, clientLeft: true, estimate: { input: 110, output: 0 } }]);
  });

  it("when the response breaks off", async () => {
    const script = { pieces: [sse({ usage: { input: 7 } }), words, new Error("reset")] };
    expect(await billAfter(100, script)).toMatchObject({
      complete: false,
      clientLeft: false,
      estimate: { input: 7, output: 13 },
    });
  });

  it("when the provider sends no counts", async () => {
    expect(await billAfter(100, { pieces: [words, END] })).toMatchObject({
      complete: false,
      clientLeft: false,
      message: { stopReason: "stop" },
      estimate: { input: 110, output: 13 },
    });
  });
});

it("ignores the counts in a client's conversation", async () => {
  const counted = {
    role: "assistant",
    content: [{ type: "text", text: PROMPT }],
    api: "plain",
    provider: "test-provider",
    model: "m",
    stopReason: "stop",
    timestamp: 1,
  };
  for (const usage of [undefined, null, { totalTokens: 1 }, { totalTokens: -500 }, { totalTokens: "no" }]) {
    const { handler, usages } = setUp({ scripts: ["silence"] });
    const messages = [{ role: "user", content: PROMPT, timestamp: 1 }, { ...counted, usage }, ...BODY.context.messages];
    const response = await handler(post({ ...BODY, context: { systemPrompt: PROMPT, messages } }));
    await response.body?.cancel();
    await vi.advanceTimersByTimeAsync(10);
    expect(usages).toMatchObject([{ estimate: { input: 330 } }]);
  }
});

it("reports a response in full that completed while the client left", async () => {
  const { handler, usages } = setUp();
  const reader = (await handler(post())).body?.getReader();
  await reader?.read();
  await vi.advanceTimersByTimeAsync(10);
  await reader?.cancel();
  await vi.advanceTimersByTimeAsync(10);
  expect(usages).toMatchObject([{ clientLeft: true, complete: true, message: { usage: { totalTokens: 7 } } }]);
});

it.each([
  ["ends without an event of its own", (stream: AssistantMessageEventStream) => stream.end()],
  [
    "breaks",
    (stream: AssistantMessageEventStream) => {
      stream.result = () => Promise.reject(new Error("The event stream ended without a result"));
      stream.end();
    },
  ],
])("reports a stream that %s, and ends the client's stream with an error", async (_, finish) => {
  const partial = { role: "assistant", content: [], usage: { input: 5, output: 0, cacheRead: 0, cacheWrite: 0 } };
  const stream = new AssistantMessageEventStream();
  stream.push({ type: "start", partial: partial as never }); // the fields that are read
  finish(stream);
  const kept: Promise<unknown>[] = [];
  const { handler, usages } = setUp({ streamFn: () => stream });
  const response = await handler(post(), { waitUntil: (promise) => void kept.push(promise) });
  expect(await response.text()).toContain('"errorMessage":"The event stream ended without a result"');
  await Promise.all(kept);
  expect(usages).toMatchObject([{ complete: false, message: { stopReason: "error", usage: { input: 5 } } }]);
  expect(vi.getTimerCount()).toBe(0);
});

it("accepts a stream that ends with a result and no terminal event", async () => {
  const { handler, usages } = setUp({
    streamFn: () => {
      const stream = new AssistantMessageEventStream();
      stream.end({
        role: "assistant",
        content: [],
        api: "plain",
        provider: "test-provider",
        model: "m",
        stopReason: "length",
        usage: {
          input: 1,
          output: 1,
          cacheRead: 0,
          cacheWrite: 0,
          totalTokens: 2,
          cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
        },
        timestamp: 1,
      });
      return stream;
    },
  });
  expect(await (await handler(post())).text()).toMatch(/^data: \{"type":"done","reason":"length"/);
  expect(usages).toMatchObject([{ complete: true, model: MODEL }]);
});

/** What throws at once, and what rejects. */
const FAILING = [
  () => {
    throw new Error("no");
  },
  () => Promise.reject(new Error("no")),
];

it.each(FAILING)("lets a worker go when onUsage and onError fail, and prints why: %s", async (fails) => {
  const print = vi.spyOn(console, "error").mockReturnValue();
  const kept: Promise<unknown>[] = [];
  const { handler } = setUp({ onUsage: fails, onError: fails });
  await (await handler(post(), { waitUntil: (promise) => void kept.push(promise) })).text();
  await Promise.all(kept);
  expect(kept).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(0);
  expect(print.mock.calls).toEqual([[new Error("no")]]);
  print.mockRestore();
});

/** Fields that bound the output, anywhere in a body. */
const CEILINGS = new Set(["max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens", "maxTokens"]);
/** Fields that bound the reasoning. */
const BUDGETS = new Set(["budget_tokens", "thinkingBudget", "thinking_budget"]);

const PARTY_OF = new Map<Api, Party>(PARTIES.map((party) => [party.api, party]));
const PARTY_MODELS = PARTIES.flatMap((party) => party.targets);
const CATALOGUE: Model[] = getProviders().flatMap((provider) => getModels(provider));
const HAND_WRITTEN: Model[] = PARTY_MODELS.map((model) => ({ ...model, provider: "own", maxTokens: 0 }));
const BUDGETED: Model[] = PARTY_MODELS.filter(({ api }) => api === "openai-completions").map((model) => ({
  ...model,
  reasoning: true,
  compat: { ...model.compat, thinkingTokenBudgetField: "thinking_budget" },
}));

interface Sent {
  status: number;
  ceilings: number[];
  budgets: number[];
}

/** Sends options through a relay and finds every bound in the body that the model's own adapter builds. */
async function send(model: Model, options: object, limits: ProxyLimits): Promise<Sent> {
  let body: unknown;
  const { handler } = setUp({
    limits,
    allowModels: () => true,
    getModel: () => model,
    streamFn: (called, context, given) => {
      const party = PARTY_OF.get(called.api);
      if (!party) throw new Error(`No adapter for ${called.api}`);
      const { apiKey } = party;
      const adapter = adapterOf(party.api);
      const baseUrl = called.baseUrl || "https://resource.openai.azure.com/openai/v1";
      const request = { model: { ...called, baseUrl }, context, options: adapter.simpleOptions(called, given), apiKey };
      ({ body } = adapter.buildRequest({ ...request, keyIsBearer: false }));
      const stream = new AssistantMessageEventStream();
      stream.push({ type: "done", reason: "stop", message: createAssistantMessage(called) });
      return stream;
    },
  });
  const context = { messages: [{ role: "user", content: "Hi", timestamp: 1 }] };
  const response = await handler(post({ model: { provider: "p", id: "m" }, context, options }));
  await response.text();
  return { status: response.status, ceilings: findNumbers(body, CEILINGS), budgets: findNumbers(body, BUDGETS) };
}

function findNumbers(value: unknown, names: ReadonlySet<string>): number[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    // Codex passes the choice on as it is; no number in it is a bound.
    if (name === "tool_choice") return [];
    return names.has(name) && typeof inner === "number" ? [inner] : findNumbers(inner, names);
  });
}

const tokens = fc.oneof(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 2 ** 40 }));
const options = fc.record(
  {
    temperature: fc.double({ min: 0, max: 10, noNaN: true }),
    maxTokens: tokens,
    reasoning: fc.constantFrom("minimal", "low", "medium", "high", "xhigh", "max"),
    thinkingBudgets: fc.dictionary(fc.constantFrom("minimal", "low", "medium", "high", "xhigh", "max"), tokens),
    toolChoice: fc.oneof(fc.string(), fc.dictionary(fc.constantFrom(...CEILINGS, "type", "name"), tokens)),
    metadata: fc.dictionary(fc.constantFrom(...CEILINGS, "user_id"), tokens),
    headers: fc.dictionary(fc.string(), fc.string()),
    sessionId: fc.constantFrom("s-1", "max_tokens"),
    cacheRetention: fc.constantFrom("none", "short", "long"),
    transport: fc.constantFrom("sse", "websocket", "websocket-cached", "auto"),
    maxRetryDelayMs: fc.nat(),
    foreignThinking: fc.constantFrom("text", "drop"),
    // These are not options of a client, so nothing reads them.
    max_tokens: tokens,
    limits: fc.constant({ maxTokens: 2 ** 40 }),
  },
  { requiredKeys: [] },
);

describe("limits.maxTokens", () => {
  it.each(PARTY_MODELS.map((model) => [`${model.api} ${model.id}`, model] as const))(
    "bounds %s with a thinking budget far above it",
    async (_, model) => {
      const asked = { reasoning: "high", thinkingBudgets: { high: 50_000 } };
      const { status, ceilings, budgets } = await send({ ...model, reasoning: true }, asked, { maxTokens: 1000 });
      expect(status).toBe(200);
      expect({ ceilings, tooLarge: budgets.filter((budget) => budget > 1000) }).toEqual({
        ceilings: [1000],
        tooLarge: [],
      });
    },
  );

  it("is never exceeded by any client request, on every api", async () => {
    const seen = new Set<Api>();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.constantFrom(...PARTY_MODELS),
          fc.constantFrom(...HAND_WRITTEN),
          fc.constantFrom(...BUDGETED),
          fc.constantFrom(...CATALOGUE),
        ),
        // Some Gemini families reject budgets below 512.
        fc.integer({ min: 512, max: 200_000 }),
        options,
        async (model, limit, asked) => {
          const { status, ceilings, budgets } = await send(model, asked, { maxTokens: limit });
          seen.add(model.api);
          expect(status).toBe(200);
          expect(ceilings).toHaveLength(1);
          expect(Math.max(...ceilings, ...budgets)).toBeLessThanOrEqual(limit);
        },
      ),
      { numRuns: budget({ quick: 300, all: 3000 }), seed: 11 },
    );
    expect([...seen].sort()).toEqual([...PARTY_OF.keys()].sort());
  });

  it.each([16, 100, 1024, 2047, 2048, 2049])(
    "of %d leaves Claude an acceptable thinking budget, or none",
    async (limit) => {
      const model = PARTY_MODELS.find(({ id }) => id === "claude-sonnet-4-5");
      if (!model) throw new Error("The catalogue lost its Claude");
      const { ceilings, budgets } = await send(model, { reasoning: "low" }, { maxTokens: limit });
      expect(ceilings).toEqual([limit]);
      expect(budgets).toEqual(limit < 2048 ? [] : [limit === 2049 ? 2048 : 1024]);
    },
  );

  it("rejects a model whose server takes no limit, with the reason", async () => {
    const codex = PARTY_MODELS.find(({ api }) => api === "openai-codex-responses");
    const model = codex && { ...codex, compat: { supportsMaxOutputTokens: false } };
    const { handler } = setUp({ limits: { maxTokens: 1000 }, allowModels: () => true, getModel: () => model });
    expect(await refusal(await handler(post()))).toEqual([
      403,
      `The model ${model?.provider}/${model?.id} has no output limit, and this server requires one`,
    ]);
  });

  it("reports the catalogue's model to onUsage, not the limited one", async () => {
    const { handler, usages } = setUp({ limits: { maxTokens: 16 } });
    await (await handler(post())).text();
    expect(usages[0]?.model.maxTokens).toBeGreaterThan(16);
  });

  it.each([0, 15, -1, 100.5, Number.NaN])("of %d is rejected when the handler is created", (maxTokens) => {
    const options = { authorize: "t", allowModels: [], limits: { maxTokens } };
    expect(() => createProxyHandler(options)).toThrow(
      new ConfigError(`limits.maxTokens must be an integer of at least 16, got ${maxTokens}`),
    );
  });
});

describe("limits.maxInputTokens", () => {
  const file = (fields: object): object => ({ type: "file", mimeType: "text/plain", ...fields });
  const ask = (content: unknown, more: object = {}, options: object = {}) =>
    post({ ...BODY, options, context: { messages: [{ role: "user", content, timestamp: 1 }], ...more } });
  const large = "many words ".repeat(1000);
  const data = Buffer.from(large).toString("base64");
  const tool = { name: "t", description: large, parameters: {} };
  const schema = { type: "object", description: large };
  const counted = { role: "assistant", content: [], api: MODEL.api, provider: MODEL.provider, model: MODEL.id };
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 };

  it.each<[string, Request]>([
    ["a text", ask(large)],
    ["a text file", ask([file({ data })])],
    ["a PDF", ask([file({ mimeType: "application/pdf", data })])],
    ["a file of unknown size", ask([file({ url: "https://a.example/a.txt" })])],
    ["a system prompt", ask("Hi", { systemPrompt: large })],
    ["a tool", ask("Hi", { tools: [tool] })],
    ["a schema", ask("Hi", {}, { outputFormat: { schema } })],
    [
      "a text before forged counts",
      post({
        ...BODY,
        context: {
          messages: [
            { role: "user", content: large, timestamp: 1 },
            { ...counted, usage, stopReason: "stop", timestamp: 1 },
            { role: "user", content: "Hi", timestamp: 1 },
          ],
        },
      }),
    ],
  ])("refuses %s that is too large, before anything is sent", async (_, request) => {
    const { handler, requests, usages } = setUp({ limits: { maxInputTokens: 900 } });
    const [status, text] = await refusal(await handler(request));
    expect([status, text]).toEqual([
      413,
      expect.stringMatching(/^The prompt has about \d{4} tokens; this server allows 900$/),
    ]);
    expect([requests, usages]).toEqual([[], []]);
  });

  it("lets others pass", async () => {
    const { handler } = setUp({ limits: { maxInputTokens: 10_000 } });
    expect((await handler(ask([file({ data })], { tools: [tool], systemPrompt: large }))).status).toBe(200);
  });

  it("is a number above 0", () => {
    for (const maxInputTokens of [0, -1, Number.NaN])
      expect(() => setUp({ limits: { maxInputTokens } })).toThrow("limits.maxInputTokens must be a number above 0");
  });
});

it.each<[string, object, number]>([
  [
    "a text file by its text",
    { mimeType: "text/plain", data: Buffer.from("many words ".repeat(10_000)).toString("base64") },
    18_000,
  ],
  ["a PDF by its size", { mimeType: "application/pdf", data: "AAAA".repeat(250_000) }, 30_000],
  ["a file of unknown size as the context window", { mimeType: "text/plain", fileId: "f" }, MODEL.contextWindow],
])("bills a client that leaves early for %s", async (_, fields, least) => {
  const { handler, usages } = setUp({
    scripts: [{ pieces: [sse({ text: "Hello" })], after: "silence" }],
    allowFile: () => true,
  });
  const content = [{ type: "file", ...fields }];
  const body = { ...BODY, context: { messages: [{ role: "user", content, timestamp: 1 }] } };
  const reader = (await handler(post(body))).body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await vi.advanceTimersByTimeAsync(10);
  expect(usages[0]?.estimate?.input).toBeGreaterThanOrEqual(least);
});
