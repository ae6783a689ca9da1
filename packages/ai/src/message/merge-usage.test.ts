import { describe, expect, it } from "vitest";
import { createToolCallId } from "./blocks.js";
import { tokenCount } from "./cost.js";
import { createAssistantMessage, emptyUsage } from "./empty-message.js";
import { mergeUsage } from "./merge-usage.js";

const model = { cost: { input: 1_000_000, output: 2_000_000, cacheRead: 0, cacheWrite: 0 } };

describe("mergeUsage", () => {
  it("replaces the given counts, keeps the others, and recomputes total and cost", () => {
    const first = mergeUsage(model, emptyUsage(), { input: 3, cacheRead: 5 });
    const second = mergeUsage(model, first, { output: 2, cacheRead: 4, cacheWrite1h: 0 });
    expect(second).toMatchObject({ input: 3, output: 2, cacheRead: 4, cacheWrite: 0, cacheWrite1h: 0, totalTokens: 9 });
    expect(second.cost).toMatchObject({ input: 3, output: 4, total: 7 });
    expect(second).not.toHaveProperty("reasoning");
  });

  it("keeps the counts of the prompt if later ones are all 0", () => {
    const first = mergeUsage(model, emptyUsage(), { input: 3, cacheRead: 5, output: 1 });
    const zeros = { input: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 };
    expect(mergeUsage(model, first, { ...zeros, output: 7 })).toMatchObject({ input: 3, cacheRead: 5, output: 7 });
    expect(mergeUsage(model, first, { ...zeros, cacheRead: 8 })).toMatchObject({ input: 0, cacheRead: 8, output: 1 });
    expect(mergeUsage(model, emptyUsage(), zeros)).toMatchObject({ ...zeros, totalTokens: 0 });
    expect(mergeUsage(model, first, { ...zeros, output: 0 })).toMatchObject({ input: 3, cacheRead: 5, output: 1 });
    expect(mergeUsage(model, first, { output: 0 })).toMatchObject({ input: 3, cacheRead: 5, output: 0 });
  });

  it("does not change what it returned before", () => {
    const before = Object.freeze(mergeUsage(model, emptyUsage(), { input: 3 }));
    Object.freeze(before.cost);
    mergeUsage(model, before, { input: 9 });
    expect(before).toMatchObject({ input: 3, totalTokens: 3, cost: { input: 3 } });
  });

  it("keeps charges other than tokens in the total", () => {
    const first = mergeUsage(model, emptyUsage(), { input: 3, extraCost: 0.02 });
    const second = mergeUsage(model, first, { output: 2 });
    expect(second.cost).toMatchObject({ input: 3, output: 4 });
    expect(second.cost.total).toBeCloseTo(7.02, 9);
    expect(mergeUsage(model, second, { extraCost: 0.03 }).cost.total).toBeCloseTo(7.03, 9);
  });

  it("limits reasoning to the output", () => {
    expect(mergeUsage(model, emptyUsage(), { output: 16, reasoning: 19 }).reasoning).toBe(16);
  });

  it("multiplies the cost by the factor of a service tier", () => {
    expect(mergeUsage(model, emptyUsage(), { input: 3, costFactor: 0.5 }).cost.total).toBe(1.5);
  });
});

describe("tokenCount", () => {
  it.each([0, 1, 1.5, Number.MAX_SAFE_INTEGER])("accepts %d", (value) => expect(tokenCount(value)).toBe(value));

  it.each([undefined, null, "5", -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60, {}, [], true])(
    "refuses %j",
    (value) => expect(tokenCount(value)).toBeUndefined(),
  );
});

describe("createCallId", () => {
  it("creates distinct ids that every provider accepts", () => {
    const ids = Array.from({ length: 10_000 }, createToolCallId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z0-9]{9,40}$/);
  });
});

describe("createAssistantMessage", () => {
  it("is empty, and shares no object with another message", () => {
    const asked = { api: "a", provider: "p", id: "m" };
    const [one, other] = [createAssistantMessage(asked, 5), createAssistantMessage(asked, 5)];
    expect(one).toMatchObject({ role: "assistant", content: [], api: "a", provider: "p", model: "m", timestamp: 5 });
    one.usage.cost.total = 9;
    expect(other.usage).toEqual(emptyUsage());
  });
});
