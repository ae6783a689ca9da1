/** Pages and examples name the models of one list, and no older ones. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { getModel, getModels, getProviders, type Model } from "pi-ai";
import { describe, expect, it } from "vitest";
import { EXAMPLE_MODELS, EXCEPTIONS } from "./list.ts";
import { listPages, mapWords, ROOT, readingsOf, replaceModels } from "./pages.ts";

const models: Model[] = getProviders().flatMap((provider) => getModels(provider));
/** Ids that are words of the language as well, such as `auto`, say nothing. */
const catalogue = new Set(models.map(({ id }) => id).filter((id) => /\d/.test(id) && /[-/]/.test(id)));
const listed = new Set(EXAMPLE_MODELS.map(({ id }) => id));
const read = (page: string): string => readFileSync(join(ROOT, page), "utf8");

/** Ids of the catalogue in a page that the list does not have. */
function findOthers(page: string, text: string): string[] {
  const others: string[] = [];
  mapWords(page, text, (word) => {
    const readings = readingsOf(word);
    if (!readings.some((id) => listed.has(id))) others.push(...readings.filter((id) => catalogue.has(id)));
    return word;
  });
  return others;
}

describe("the list", () => {
  it.each(EXAMPLE_MODELS)("has $id, a model of the catalogue and of its own kind", ({ id, providers, kind }) => {
    for (const provider of providers) expect(getModel(provider as "openai", id as "gpt-6-sol")?.id).toBe(id);
    expect(id).toMatch(kind);
    expect(EXAMPLE_MODELS.filter((other) => other.kind.test(id))).toHaveLength(1);
  });

  it.each(EXCEPTIONS)("excepts $page, which names other models", ({ page }) => {
    expect(findOthers(page, read(page))).not.toEqual([]);
  });
});

describe("pages, examples and doc comments", () => {
  const pages = listPages();

  it("name models of the list only", () => {
    expect(pages.length).toBeGreaterThan(300);
    const others = pages.map((page) => [page, findOthers(page, read(page))] as const);
    expect(others.filter(([, ids]) => ids.length > 0)).toEqual([]);
  });

  it("name the newest of each kind: `npm run task docs:models` writes it", () => {
    expect(pages.filter((page) => replaceModels(page, read(page)) !== read(page))).toEqual([]);
  });

  it("give a model that they write out the name and the price of the catalogue", () => {
    const written = pages.flatMap((page) => [
      ...read(page).matchAll(/\bid: "([^"]+)",\s+name: "([^"]+)",[^}]*?provider: "([^"]+)",[^}]*?cost: (\{[^}]*\})/g),
    ]);
    const known = written.flatMap(([, id, name, provider, cost = ""]) => {
      const model = models.find((each) => each.id === id && each.provider === provider);
      return model === undefined ? [] : [{ name, cost, model }];
    });
    expect(known).not.toEqual([]);
    for (const { name, cost, model } of known) {
      const { input, output, cacheRead, cacheWrite } = model.cost;
      expect(name).toBe(model.name);
      expect(cost).toBe(`{ input: ${input}, output: ${output}, cacheRead: ${cacheRead}, cacheWrite: ${cacheWrite} }`);
    }
  });
});

it.each([
  ["a.md", 'getModel("openai", "gpt-5.4")', 'getModel("openai", "gpt-6.2-sol")'],
  ["a.md", "anthropic/claude-sonnet-4-6, or", "anthropic/claude-sonnet-5-5, or"],
  ["a.md", "anthropic/claude-sonnet-4.6.", "anthropic/claude-sonnet-5.5."],
  ["a.md", "gpt-5.4=our-gpt,gpt-5.4-mini=our-small", "gpt-6.2-sol=our-gpt,gpt-6-luna=our-small"],
  ["a.md", "global.anthropic.claude-sonnet-4-5-20250929-v1:0", "us.anthropic.claude-sonnet-5-5"],
  ["a.md", "claude-sonnet-4-6-tuned gpt-oss grok-code", "claude-sonnet-4-6-tuned gpt-oss grok-code"],
  ["packages/ai/src/a.ts", ' * `gpt-5.4`\nconst old = "gpt-5.4";', ' * `gpt-6.2-sol`\nconst old = "gpt-5.4";'],
])("replaces ids in %s: %s", (page, text, replaced) => {
  expect(replaceModels(page, text)).toBe(replaced);
});
