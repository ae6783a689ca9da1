/**
 * The catalogue holds what differs between the models of a host; what its models have in common stands in its row:
 * for the apis of OpenAI, whose servers have rows in the table of hosts.
 */
import { readFileSync } from "node:fs";
import { getModels, getProviders, type Model } from "pi-ai";
import { expect, test } from "vitest";
import { factsOf } from "../src/catalogue/compat/families.js";
import { addressOf, allAccounts, hostRows } from "../src/catalogue/compat/host-rows.js";
import { type CompatRow, matchesModel } from "../src/catalogue/compat/match.js";
import { resolveCompletionsFlags } from "../src/catalogue/compat/openai-completions.js";
import { resolveResponsesFlags } from "../src/catalogue/compat/openai-responses.js";

interface Compat {
  resolve: (model: Model) => object;
  rows: readonly CompatRow<object>[];
}

const RESPONSES: Compat = { resolve: resolveResponsesFlags, rows: hostRows("responses") };
/** The apis whose flags stand in the table. */
const APIS: Readonly<Record<string, Compat>> = {
  "openai-completions": { resolve: resolveCompletionsFlags, rows: hostRows("chat") },
  "openai-responses": RESPONSES,
  "azure-openai-responses": RESPONSES,
  "openai-codex-responses": RESPONSES,
};

const MODELS: Model[] = getProviders().flatMap((provider) => getModels(provider));

/** The flags of a model that its host's row states, too: with the same value, or with another one. */
function faultsOf(model: Model): string[] {
  const api = APIS[model.api];
  if (!api || !model.compat) return [];
  const { compat, ...bare } = model;
  const known = new Map(Object.entries(api.resolve(bare)));
  const stated = api.rows.filter(({ when }) => matchesModel(model, when)).flatMap(({ flags }) => Object.keys(flags));
  return Object.entries(compat).flatMap(([flag, value]) => {
    const place = `${model.provider}/${model.id}: ${flag}`;
    if (JSON.stringify(known.get(flag)) === JSON.stringify(value)) return [`${place} repeats what is known without it`];
    return stated.includes(flag) ? [`${place} contradicts its host: state it in the host's row, under only`] : [];
  });
}

test("no model of the catalogue repeats or contradicts a flag of its host", () => {
  expect(MODELS.flatMap(faultsOf)).toEqual([]);
});

test("a repeated flag and a contradiction are found", () => {
  const [model] = getModels("moonshotai").filter(({ id }) => id === "kimi-k2.6");
  if (!model) throw new Error("the catalogue has this model");
  expect(faultsOf({ ...model, compat: { maxTokensField: "max_tokens" } })).toEqual([
    expect.stringContaining("repeats"),
  ]);
  expect(faultsOf({ ...model, compat: { supportsStore: true } })).toEqual([expect.stringContaining("contradicts")]);
  expect(faultsOf({ ...model, compat: { requiresToolResultName: true } })).toEqual([]);
});

/** The flags of a host's row that the families of all models to which it applies state, too, with the same value. */
function repeatedFacts({ when, flags }: CompatRow<object>, models: readonly Model[]): string[] {
  const own = models.filter((model) => matchesModel(model, when));
  return Object.entries(flags).flatMap(([flag, value]) => {
    const isKnown = (model: Model): boolean =>
      new Map<string, unknown>(Object.entries(factsOf(model))).get(flag) === value;
    return own.length > 0 && own.every(isKnown) ? [`${JSON.stringify(when)} repeats ${flag}`] : [];
  });
}

test("no row of a host repeats what the family of its models states", () => {
  for (const [api, rows] of [
    ["openai-completions", hostRows("chat")],
    ["openai-responses", hostRows("responses")],
  ] as const) {
    const models = MODELS.filter((model) => model.api === api);
    expect(rows.flatMap((row) => repeatedFacts(row, models))).toEqual([]);
  }
});

test("a fact that a host's row repeats is found", () => {
  const flags = { requiresReasoningContentOnAssistantMessages: true };
  const models = MODELS.filter(({ api }) => api === "openai-completions");
  const row = { when: { providers: ["deepseek"] }, flags };
  expect(repeatedFacts(row, models)).toEqual([expect.stringContaining("repeats requiresReasoningContent")]);
  expect(repeatedFacts({ when: { providers: ["fireworks"], ids: ["kimi-k3"] }, flags }, models)).toHaveLength(1);
  expect(repeatedFacts({ when: { providers: ["openrouter"] }, flags }, models)).toEqual([]);
  expect(repeatedFacts({ ...row, flags: { missingThinking: " " } }, models)).toEqual([]);
});

test("the data names an address only where a model's differs from its account's", () => {
  const accounts = allAccounts();
  const lines = readFileSync(new URL("../data/models.jsonl", import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
  const repeated = lines.filter((line) => {
    const { provider, api, baseUrl }: Model = JSON.parse(line);
    const account = accounts.get(provider);
    return baseUrl !== undefined && account !== undefined && addressOf(account, api) === baseUrl;
  });
  expect(lines.length).toBeGreaterThan(1600);
  expect(repeated).toEqual([]);
});

test("each row of the table names the source and the date of its facts", () => {
  const table = readFileSync(new URL("../src/catalogue/compat/hosts.ts", import.meta.url), "utf8");
  const [, rows = ""] = /^export const HOSTS: .*?\[\n(.*?)^\];/ms.exec(table) ?? [];
  const starts = [...rows.matchAll(/^((?: {2}\/\/ .*\n)*) {2}\{/gm)];
  expect(starts.length).toBeGreaterThan(30);
  expect(starts.filter(([, comment = ""]) => !/\b20\d\d-\d\d\b/.test(comment))).toEqual([]);
});
