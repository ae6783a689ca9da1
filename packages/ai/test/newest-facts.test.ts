/** What the newest models cost from a day on, which of them there are, and under which names their keys stand. */
import { calculateCost, getEnvApiKey, getModel, type Usage } from "pi-ai";
import { afterEach, describe, expect, it, vi } from "vitest";

afterEach(() => {
  vi.unstubAllEnvs();
});

const MILLION = 1_000_000;
const usage = (): Usage => ({
  ...{ input: MILLION, output: MILLION, cacheRead: MILLION, cacheWrite: 0, totalTokens: 3 * MILLION },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
});

it.each<[provider: string, id: string]>([
  ["openai", "gpt-6.2-sol"],
  ["openai", "gpt-6.2-astra"],
  ["google", "gemini-4-argon"],
  ["google", "gemini-4-carbon"],
  ["google", "gemini-4-hydrogen"],
  ["google", "gemini-4-neon"],
  ["anthropic", "claude-sonnet-5-5"],
  ["anthropic", "claude-fable-5-2"],
  ["moonshotai", "kimi-k3.1-pro"],
  ["openrouter", "qwen/qwen4-max"],
])("knows %s %s, with a price and limits", (provider, id) => {
  const model = getModel(provider, id);
  expect(model).toMatchObject({ provider, id });
  expect(model?.cost.input).toBeGreaterThan(0);
  expect(model?.cost.output).toBeGreaterThan(0);
  expect(model?.contextWindow).toBeGreaterThan(0);
});

describe("prices with a date (in dollars per million: input, output, read from the cache)", () => {
  it.each<[id: string, day: string, total: number]>([
    ["gemini-4-argon", "2026-11-30T23:59:59.999Z", 2 + 10 + 0.1],
    ["gemini-4-argon", "2026-12-01T00:00:00.000Z", 4 + 20 + 0.2],
    ["gemini-4-carbon", "2026-11-30T23:59:59.999Z", 2 + 10 + 0.1],
    ["gemini-4-carbon", "2026-12-01T00:00:00.000Z", 4 + 20 + 0.2],
    ["gemini-4-hydrogen", "2026-11-30T00:00:00.000Z", 1.5 + 7.5 + 0.075],
    ["gemini-4-hydrogen", "2027-06-01T00:00:00.000Z", 1.5 + 7.5 + 0.075],
  ])("%s at %s", (id, day, total) => {
    const model = getModel("google", id);
    if (!model) throw new Error(`The catalogue lacks ${id}`);
    const cost = calculateCost(model, usage(), { timestamp: Date.parse(day) });
    expect(cost.total).toBeCloseTo(total, 9);
  });
});

describe("keys of Qwen's token plans", () => {
  it.each([
    ["QWEN_TOKEN_PLAN_TEAM_API_KEY", "qwen-token-plan"],
    ["QWEN_TOKEN_PLAN_TEAM_CN_API_KEY", "qwen-token-plan-cn"],
    ["QWEN_TOKEN_PLAN_INDIVIDUAL_API_KEY", "qwen-token-plan-individual"],
    ["QWEN_TOKEN_PLAN_INDIVIDUAL_CN_API_KEY", "qwen-token-plan-individual-cn"],
  ])("%s is for %s alone", (variable, provider) => {
    vi.stubEnv(variable, "test-key");
    const plans = ["", "-cn", "-individual", "-individual-cn"].map((end) => `qwen-token-plan${end}`);
    expect(plans.filter((plan) => getEnvApiKey(plan) === "test-key")).toEqual([provider]);
  });
});
