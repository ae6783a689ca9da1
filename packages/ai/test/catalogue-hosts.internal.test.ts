/**
 * The catalogue holds what differs between the models of a host; what its models have in common stands in its row, and what
 * a model demands at every host in the row of its family: for every api.
 */
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { getModels, getProviders, type KnownApi, type Model } from "pi-ai";
import { expect, test } from "vitest";
import { type Compat, FLAG_TABLES, findFlagFaults, flagTableOf } from "../scripts/flag-tables.ts";
import { addressOf, allAccounts } from "../src/catalogue/compat/host-rows.js";
import { type CompatRow, type ModelMatch, matchesModel } from "../src/catalogue/compat/match.js";

const MODELS: Model[] = getProviders().flatMap((provider) => getModels(provider));

/** The flags of a model that its host's row states, too: with the same value, or with another one. */
function faultsOf(model: Model): string[] {
  return findFlagFaults(model).map(({ flag, kind }) => {
    const place = `${model.provider}/${model.id}: ${flag}`;
    return kind === "repeats"
      ? `${place} repeats what is known without it`
      : `${place} contradicts its host: state it in the host's row, under only`;
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
function repeatedFacts(row: CompatRow<object>, models: readonly Model[], facts: Compat["facts"]): string[] {
  const own = models.filter((model) => matchesModel(model, row.when));
  return Object.entries(row.flags).flatMap(([flag, value]) => {
    const isKnown = (model: Model): boolean =>
      isDeepStrictEqual(new Map<string, unknown>(Object.entries(facts(model))).get(flag), value);
    return own.length > 0 && own.every(isKnown) ? [`${JSON.stringify(row.when)} repeats ${flag}`] : [];
  });
}

test.each(Object.entries(FLAG_TABLES))(
  "no row of a host repeats what the family of its models states: %s",
  (api, compat) => {
    const models = MODELS.filter((model) => model.api === api);
    expect(compat.rows.flatMap((row) => repeatedFacts(row, models, compat.facts))).toEqual([]);
  },
);

test.each<[KnownApi, ModelMatch, object, isRepeated: boolean]>([
  ["openai-completions", { providers: ["deepseek"] }, { requiresReasoningContentOnAssistantMessages: true }, true],
  ["openai-completions", { ids: ["kimi-k3"] }, { requiresReasoningContentOnAssistantMessages: true }, true],
  ["openai-completions", { providers: ["openrouter"] }, { requiresReasoningContentOnAssistantMessages: true }, false],
  ["openai-completions", { providers: ["deepseek"] }, { missingThinking: " " }, false],
  ["openai-responses", { providers: ["xai"] }, { alwaysThinks: true }, false],
  ["openai-responses", { providers: ["xai"], ids: ["grok-4.7"] }, { alwaysThinks: true }, true],
  ["anthropic-messages", { providers: ["anthropic"] }, { signsThinking: true }, true],
  ["anthropic-messages", { providers: ["anthropic"] }, { supportsTemperature: false }, false],
  ["anthropic-messages", { ids: ["claude-opus-5"] }, { supportsTemperature: false }, true],
  ["anthropic-messages", { ids: ["claude-opus-5"] }, { supportsTemperature: true }, false],
  ["bedrock-converse-stream", { ids: ["claude-opus-5-5"] }, { supportsBlockBinding: true }, true],
  ["bedrock-converse-stream", { ids: ["claude-"] }, { supportsBlockBinding: true }, false],
  ["google-generative-ai", { ids: ["gemini-3"] }, { requiresCallSignature: true }, true],
  ["google-generative-ai", { ids: ["gemini-"] }, { requiresCallSignature: true }, false],
  ["google-vertex", { ids: ["gemini-2"] }, { imagesInFunctionResponse: false }, true],
])("finds a fact that a row repeats: %s, %j, %j: %s", (api, when, flags, isRepeated) => {
  const models = MODELS.filter((model) => model.api === api);
  expect(models.some((model) => matchesModel(model, when))).toBe(true);
  expect(repeatedFacts({ when, flags }, models, flagTableOf(api)?.facts ?? (() => ({})))).toHaveLength(
    isRepeated ? 1 : 0,
  );
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
