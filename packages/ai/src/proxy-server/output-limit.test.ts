import fc from "fast-check";
import { type Api, AssistantMessageEventStream, ConfigError, getModels, getProviders, type Model } from "pi-ai";
import { createAssistantMessage } from "pi-ai/call";
import { createProxyHandler, type ProxyLimits } from "pi-ai/proxy-server";
import { describe, expect, it } from "vitest";
import { budget } from "../../../../test/support/suite.js";
import { PARTIES, type Party } from "../../test/handoff/parties.js";
import { adapterOf } from "../../test/protocols/adapters.internal.js";
import { post, refusal, setUp } from "../../test/support/proxy-setup.js";

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
  return Object.entries(value).flatMap(([name, inner]) =>
    names.has(name) && typeof inner === "number" ? [inner] : findNumbers(inner, names),
  );
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
      if (model.api === "openai-codex-responses") expect(status).toBe(403);
      else
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
          if (model.api === "openai-codex-responses") {
            expect(status).toBe(403);
            return;
          }
          expect(status).toBe(200);
          expect(ceilings).toHaveLength(1);
          expect(Math.max(...ceilings, ...budgets)).toBeLessThanOrEqual(limit);
        },
      ),
      { numRuns: budget({ quick: 300, all: 3000 }), seed: 11 },
    );
    expect([...seen].sort()).toEqual([...PARTY_OF.keys()].sort());
  }, 60_000);

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

  it("rejects a model whose api has no field for the limit, with the reason", async () => {
    const model = PARTY_MODELS.find(({ api }) => api === "openai-codex-responses");
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
