import { calculateCost, getModel, getModels, type ModelCost, type Usage } from "pi-ai";
import { afterEach, describe, expect, test, vi } from "vitest";

afterEach(() => {
  vi.useRealTimers();
});

function usageOf(counts: Partial<Usage>): Usage {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost, ...counts };
}

const BASE: ModelCost = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const TIERED: ModelCost = {
  ...BASE,
  tiers: [
    { inputTokensAbove: 200_000, input: 6, output: 22.5, cacheRead: 0.6, cacheWrite: 7.5 },
    { inputTokensAbove: 500_000, input: 12, output: 45, cacheRead: 1.2, cacheWrite: 15 },
  ],
};

test("prices are dollars per million tokens, and the cost is stored and returned", () => {
  const usage = usageOf({ input: 1_000_000, output: 100_000, cacheRead: 2_000_000, cacheWrite: 400_000 });
  const cost = calculateCost({ cost: BASE }, usage);
  expect(cost).toEqual({ input: 3, output: 1.5, cacheRead: 0.6, cacheWrite: 1.5, total: 6.6 });
  expect(usage.cost).toBe(cost);
});

test("no tokens cost nothing, and an earlier cost is replaced", () => {
  const usage = usageOf({ cost: { input: 9, output: 9, cacheRead: 9, cacheWrite: 9, total: 9 } });
  expect(calculateCost({ cost: BASE }, usage)).toEqual({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 });
});

test.each([
  ["at the first bound", { input: 200_000 }, 0.6],
  ["one above the first bound", { input: 200_001 }, 1.200006],
  ["at the second bound", { input: 500_000 }, 3],
  ["one above the second bound", { input: 500_001 }, 6.000012],
])("a prompt %s is charged at its tier", (_name, counts, expected) => {
  expect(calculateCost({ cost: TIERED }, usageOf(counts)).input).toBeCloseTo(expected, 10);
});

test("cached tokens count for the tier, generated ones do not, and the tier applies to all prices", () => {
  const cached = calculateCost(
    { cost: TIERED },
    usageOf({ input: 1, cacheRead: 100_000, cacheWrite: 100_000, output: 100_000 }),
  );
  expect(cached.input).toBeCloseTo(0.000006, 12);
  expect(cached.output).toBeCloseTo(2.25, 12);
  expect(cached.cacheRead).toBeCloseTo(0.06, 12);
  expect(cached.cacheWrite).toBeCloseTo(0.75, 12);
  expect(calculateCost({ cost: TIERED }, usageOf({ input: 1_000, output: 900_000 })).output).toBeCloseTo(13.5, 12);
});

test("the order of the tiers does not matter", () => {
  const reversed = { ...TIERED, tiers: TIERED.tiers?.toReversed() ?? [] };
  const usage = { input: 600_000 };
  expect(calculateCost({ cost: reversed }, usageOf(usage)).input).toBeCloseTo(7.2, 10);
  expect(calculateCost({ cost: TIERED }, usageOf(usage)).input).toBeCloseTo(7.2, 10);
});

test("a one-hour cache write costs twice the input price, for no more tokens than were written", () => {
  const usage = { cacheWrite: 300_000, cacheWrite1h: 100_000 };
  expect(calculateCost({ cost: BASE }, usageOf(usage)).cacheWrite).toBeCloseTo(0.75 + 0.6, 12);
  const tooMany = { cacheWrite: 100_000, cacheWrite1h: 400_000 };
  expect(calculateCost({ cost: BASE }, usageOf(tooMany)).cacheWrite).toBeCloseTo(0.6, 12);
});

test("a service tier's factor multiplies every price", () => {
  const usage = usageOf({ input: 1_000_000, output: 1_000_000, cacheRead: 1_000_000, cacheWrite: 1_000_000 });
  const cost = calculateCost({ cost: BASE }, usage, 0.5);
  expect(cost).toEqual({ input: 1.5, output: 7.5, cacheRead: 0.15, cacheWrite: 1.875, total: 11.025 });
});

describe("prices with a date", () => {
  const dated = {
    cost: {
      ...BASE,
      changes: [
        { ...BASE, from: "2026-12-01", input: 6 },
        { ...BASE, from: "2027-01-01", input: 9, tiers: [{ ...BASE, inputTokensAbove: 10, input: 90 }] },
      ],
    },
  };
  const at = (day: string): number => Date.parse(day);
  const inputCost = (tokens: number, timestamp: number): number =>
    calculateCost(dated, usageOf({ input: tokens }), { timestamp }).input;

  test("are those of the message's time, from midnight UTC on", () => {
    expect(inputCost(1_000_000, 0)).toBe(3);
    expect(inputCost(1_000_000, at("2026-11-30T23:59:59.999Z"))).toBe(3);
    expect(inputCost(1_000_000, at("2026-12-01"))).toBe(6);
    expect(inputCost(10, at("2027-01-01"))).toBe(90e-6);
    expect(inputCost(1_000_000, at("2031-01-01"))).toBe(90);
  });

  test("without a time are those of now", () => {
    vi.useFakeTimers({ now: at("2026-12-24") });
    expect(calculateCost(dated, usageOf({ input: 1_000_000 }), 0.5).input).toBe(3);
    expect(inputCost(1_000_000, Number.NaN)).toBe(6);
  });

  test.each([
    [[{ ...BASE, from: "soon" }], 'changes[0].from must be a day such as 2026-12-01, not "soon"'],
    [
      [
        { ...BASE, from: "2026-12-01" },
        { ...BASE, from: "2026-12-01" },
      ],
      'changes[1].from must be a day after 2026-12-01, not "2026-12-01"',
    ],
  ])("with a wrong date are refused", (changes, text) => {
    const usage = usageOf({ input: 1_000_000 });
    expect(() => calculateCost({ cost: { ...BASE, changes } }, usage)).toThrow(
      new TypeError(`calculateCost needs a model with prices, but model.cost.${text}`),
    );
  });

  test("golden: Gemini 4 Argon doubles its price on 1 December 2026", () => {
    vi.useFakeTimers({ now: at("2026-11-28") });
    expect(getModel("google", "gemini-4-argon").cost).toMatchObject({ input: 2, output: 10, cacheRead: 0.1 });
    vi.setSystemTime(at("2026-12-01"));
    for (const provider of ["google", "google-vertex"] as const) {
      const model = getModel(provider, "gemini-4-argon");
      expect(model.cost).toMatchObject({ input: 4, output: 20, cacheRead: 0.2 });
      expect(getModels(provider).find(({ id }) => id === model.id)).toBe(model);
    }
  });
});

test("golden: Claude Haiku 5.5 on Bedrock is charged more above 100,000 tokens", () => {
  const model = getModel("amazon-bedrock", "anthropic.claude-haiku-5-5");
  expect(calculateCost(model, usageOf({ input: 100_000, output: 1_000 })).total).toBeCloseTo(0.01155, 12);
  expect(calculateCost(model, usageOf({ input: 100_001, output: 1_000 })).total).toBeCloseTo(0.05775055, 12);
});
