/** A new provider is one command. Tests the scaffold in a copy of the package. */
import { afterAll, describe, expect, test } from "vitest";
import { createProvider, type NewProvider } from "./new-provider.ts";
import { PackageCopy } from "./package-copy.ts";

const ACME: NewProvider = {
  provider: "acme",
  api: "openai-completions",
  baseUrl: "https://api.acme.test/v1",
  keys: ["ACME_API_KEY"],
  source: "acme-ai",
  models: [
    {
      id: "acme-1",
      name: "Acme 1",
      reasoning: true,
      readsImages: true,
      cost: { input: 1, output: 2 },
      contextWindow: 128_000,
      maxTokens: 8_192,
    },
    { id: "acme-unlimited", name: "Acme", reasoning: false, readsImages: false, cost: {} },
  ],
};

const copy = new PackageCopy();
afterAll(() => copy[Symbol.dispose]());

function runTests(...args: string[]): void {
  copy.run("vitest", "run", "--maxWorkers", "1", "--reporter", "dot", ...args);
}

describe("a scaffolded provider", () => {
  test("consists of two rows of data, and passes the tests of the catalogue", { timeout: 120_000 }, () => {
    const before = copy.readTree();
    createProvider(copy.folder, ACME);
    expect(copy.differingFrom(before)).toEqual([
      "data/models.jsonl",
      "data/providers.jsonl",
      "src/env/key-variables.generated.ts",
      "src/models.generated.ts",
      "src/models/model-ids.generated.ts",
    ]);
    runTests("catalogue-requests", "--update");
    runTests("src/models", "env-api-keys", "catalogue", "update-models");
    // The page of the providers, outside the package, changes too.
    expect(copy.differingFrom(before).filter((path) => !/\.generated\.|^data\//.test(path))).toEqual([
      "test/catalogue/requests.snapshot.txt",
    ]);
  });

  test("has a row, and the models with limits", () => {
    const tree = copy.readTree();
    expect(tree.get("data/providers.jsonl")).toContain(
      '{"provider":"acme","keys":["ACME_API_KEY"],"source":"acme-ai"}\n',
    );
    expect(tree.get("src/env/key-variables.generated.ts")).toContain('"acme": ["ACME_API_KEY"]');
    expect(tree.get("src/models/model-ids.generated.ts")).toContain('  "acme": "acme-1";\n');
  });

  test.each<[string, NewProvider, string]>([
    ["a provider that has a row", { ...ACME, provider: "groq" }, "has a row for groq"],
    ["an unknown api", { ...ACME, provider: "other", api: "smoke-signals" }, "Not a built-in api: smoke-signals"],
    ["models without limits", { ...ACME, provider: "other", models: ACME.models.slice(1) }, "No model of other has"],
    ["a bad address", { ...ACME, provider: "other", baseUrl: "nowhere" }, "Not an address: nowhere"],
    ["another name", { ...ACME, provider: "Other Inc." }, "Not a name in kebab-case"],
  ])("rejects %s", (_name, added, message) => {
    const before = copy.readTree();
    expect(() => createProvider(copy.folder, added)).toThrow(message);
    expect(copy.differingFrom(before)).toEqual([]);
  });
});
