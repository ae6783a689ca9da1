import { expect, test } from "vitest";
import { findModelFault } from "./find-model-fault.js";

const MODEL = {
  id: "m",
  name: "M",
  api: "openai-completions",
  provider: "p",
  baseUrl: "",
  reasoning: true,
  thinkingLevelMap: { off: null, high: "high" },
  input: ["text", "image"],
  cost: {
    input: 0,
    output: 0.5,
    cacheRead: 0,
    cacheWrite: 0,
    tiers: [{ inputTokensAbove: 1, input: 0, output: 1, cacheRead: 0, cacheWrite: 0 }],
  },
  contextWindow: 10,
  maxTokens: 5,
  headers: { "x-team": "a" },
  compat: { supportsStore: false },
};

const TIER = MODEL.cost.tiers[0];
const CHANGE = { ...TIER, from: "2026-12-01" };

test("a complete model has no fault, with or without its optional fields", () => {
  const { thinkingLevelMap: _map, headers: _headers, compat: _compat, ...needed } = MODEL;
  expect(findModelFault(MODEL)).toBeUndefined();
  expect(findModelFault(needed)).toBeUndefined();
});

test.each([
  [{ id: "" }, 'id must be a non-empty string, not ""'],
  [{ name: undefined }, "name must be a non-empty string, not undefined"],
  [{ api: 3 }, "api must be a non-empty string, not 3"],
  [{ provider: " " }, 'provider must be a non-empty string, not " "'],
  [{ baseUrl: undefined }, "baseUrl must be a string, not undefined"],
  [{ reasoning: "yes" }, 'reasoning must be true or false, not "yes"'],
  [{ input: [] }, 'input must be a list of "text" and "image", not an empty list'],
  [{ input: ["audio"] }, 'input must be a list of "text" and "image", not a list of other values'],
  [{ contextWindow: 1.5 }, "contextWindow must be a whole number above 0, not 1.5"],
  [{ maxTokens: "5" }, 'maxTokens must be a whole number above 0, not "5"'],
  [
    { thinkingLevelMap: { off: 1 } },
    "thinkingLevelMap must be an object of strings and nulls, not an object with other values",
  ],
  [{ headers: { authorization: 7 } }, "headers must be an object of strings, not an object with other values"],
  [{ compat: null }, "compat must be an object, not null"],
  [{ cost: undefined }, "cost must be an object, not undefined"],
  [{ cost: { ...MODEL.cost, input: -1 } }, "cost.input must be a number of 0 or more, not -1"],
  [{ cost: { ...MODEL.cost, output: "3" } }, 'cost.output must be a number of 0 or more, not "3"'],
  [{ cost: { ...MODEL.cost, cacheRead: Number.NaN } }, "cost.cacheRead must be a number of 0 or more, not NaN"],
  [{ cost: { ...MODEL.cost, tiers: {} } }, "cost.tiers must be a list, not an object with other values"],
  [{ cost: { ...MODEL.cost, tiers: [TIER, 1] } }, "cost.tiers[1] must be an object, not 1"],
  [
    { cost: { ...MODEL.cost, tiers: [{ ...TIER, inputTokensAbove: 0 }] } },
    "cost.tiers[0].inputTokensAbove must be a whole number above 0, not 0",
  ],
  [
    { cost: { ...MODEL.cost, changes: [{ ...TIER, from: "2026-02-30" }] } },
    'cost.changes[0].from must be a day such as 2026-12-01, not "2026-02-30"',
  ],
  [
    { cost: { ...MODEL.cost, changes: [{ ...TIER, from: "soon" }] } },
    'cost.changes[0].from must be a day such as 2026-12-01, not "soon"',
  ],
  [{ cost: { ...MODEL.cost, changes: "soon" } }, 'cost.changes must be a list, not "soon"'],
  [
    { cost: { ...MODEL.cost, changes: [{ ...TIER, from: "2026-12-01", output: -1 }] } },
    "cost.changes[0].output must be a number of 0 or more, not -1",
  ],
  [
    { cost: { ...MODEL.cost, changes: [CHANGE, CHANGE] } },
    'cost.changes[1].from must be a day after 2026-12-01, not "2026-12-01"',
  ],
  [
    { cost: { ...MODEL.cost, changes: [CHANGE, { ...CHANGE, from: "2026-11-30" }] } },
    'cost.changes[1].from must be a day after 2026-12-01, not "2026-11-30"',
  ],
  [
    { cost: { ...MODEL.cost, changes: [{ ...CHANGE, tiers: [1] }] } },
    "cost.changes[0].tiers[0] must be an object, not 1",
  ],
  [{ lifecycle: { status: "gone" } }, 'lifecycle.status must be "active", "deprecated" or "retired", not "gone"'],
  [
    { lifecycle: { status: "retired", endsAt: "2026-13-01" } },
    'lifecycle.endsAt must be a day such as 2026-12-01, not "2026-13-01"',
  ],
  [{ lifecycle: { status: "retired", replacement: "" } }, 'lifecycle.replacement must be a non-empty string, not ""'],
])("reports the field for %j", (change, fault) => {
  expect(findModelFault({ ...MODEL, ...change })).toBe(fault);
});

test.each([undefined, null, [], "model"])("%j is not a model", (value) => {
  expect(findModelFault(value)).toMatch(/^the model must be an object, not /);
});

test("a fault does not show header values, which may be secrets", () => {
  expect(findModelFault({ ...MODEL, headers: ["secret"] })).not.toContain("secret");
});
