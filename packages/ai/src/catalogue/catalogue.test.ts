import { readFileSync } from "node:fs";
import { afterEach, expect, test, vi } from "vitest";
import type { Model } from "../types/model.js";
import { catalogueModels, catalogueProviders } from "./catalogue.js";
import { addressOf, allAccounts } from "./compat/host-rows.js";
import { findModelFault } from "./find-model-fault.js";

const accounts = allAccounts();
/** A model without an address has its account's. */
const data = readFileSync(new URL("../../data/models.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => {
    const { baseUrl, ...model }: Model = JSON.parse(line);
    const account = accounts.get(model.provider);
    return { ...model, baseUrl: baseUrl ?? (account && addressOf(account, model.api)) };
  });

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.resetModules();
});

test("importing parses nothing, and a lookup parses only its provider, once", async () => {
  vi.resetModules();
  const parse = vi.spyOn(JSON, "parse");
  const models = await import("../models.js");
  expect(parse).not.toHaveBeenCalled();
  expect(models.getProviders()).toContain("groq");
  expect(parse).not.toHaveBeenCalled();
  models.getModel("groq", "openai/gpt-oss-120b");
  models.getModels("groq");
  const texts = parse.mock.calls.map(([text]) => text);
  // One parse for the shared values, one for the provider.
  expect(texts).toHaveLength(2);
  expect(texts[1]).toContain("openai/gpt-oss-120b");
  expect(texts.join("").length).toBeLessThan(30_000);
});

test("unpacking restores the exact data", () => {
  // Later, prices with a date stand in place of the earlier ones.
  vi.useFakeTimers({ now: Date.parse("2026-11-28") });
  const unpacked = catalogueProviders().flatMap((provider) => [...catalogueModels(provider).values()]);
  expect(unpacked).toEqual(data);
});

test("the data is valid and sorted by provider and id", () => {
  for (const model of data) expect.soft(findModelFault(model), `${model.provider}/${model.id}`).toBeUndefined();
  const keys = data.map(({ provider, id }) => `${provider}\0${id}`);
  expect(keys).toEqual([...new Set(keys)].toSorted());
});
