/** A new provider is one command. Tests the scaffold in a copy of the package, and the command in one of the repository. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { PATIENCE_MS } from "../../../test/support/patience.js";
import { copyRepository } from "../../../test/support/repository-copy.js";
import { parseModelWords } from "./described-models.ts";
import { createProvider, type NewProvider } from "./new-provider.ts";
import { PackageCopy } from "./package-copy.ts";

const AARDVARK: NewProvider = {
  provider: "aardvark",
  api: "openai-completions",
  baseUrl: "https://api.aardvark.test/v1",
  keys: ["AARDVARK_API_KEY"],
  source: "aardvark-ai",
  models: [
    {
      id: "aardvark-1",
      name: "Aardvark 1",
      reasoning: true,
      input: ["text", "image"],
      cost: { input: 1, output: 2 },
      contextWindow: 128_000,
      maxTokens: 8_192,
    },
    { id: "aardvark-unlimited", name: "Aardvark", reasoning: false, input: ["text"], cost: {} },
  ],
};

const copy = new PackageCopy();
afterAll(() => copy[Symbol.dispose]());

function runTests(...args: string[]): void {
  copy.run("vitest", "run", "--maxWorkers", "1", "--reporter", "dot", ...args);
}

describe("a scaffolded provider", () => {
  test("consists of a row and its models, and passes the tests of the catalogue", { timeout: 120_000 }, () => {
    const before = copy.readTree();
    const written = createProvider(copy.folder, AARDVARK);
    expect(written.toSorted()).toEqual(copy.differingFrom(before));
    expect(written.toSorted()).toEqual([
      "data/models.jsonl",
      "src/catalogue/compat/hosts.ts",
      "src/catalogue/env/key-variables.generated.ts",
      "src/catalogue/model-ids.generated.ts",
      "src/models.generated.ts",
    ]);
    runTests("catalogue-requests", "--update");
    runTests("src/models", "src/catalogue", "env-api-keys", "catalogue", "update-models");
    // The page of the providers, outside the package, changes too.
    expect(copy.differingFrom(before).filter((path) => !/\.generated\.|^data\/|hosts/.test(path))).toEqual([
      "test/catalogue/requests/aardvark.txt",
    ]);
  });

  test("has a row, and the models with limits", () => {
    const tree = copy.readTree();
    expect(tree.get("src/catalogue/compat/hosts.ts")).toContain(
      '{"accounts":{"aardvark":{"keys":["AARDVARK_API_KEY"],"url":"https://api.aardvark.test/v1","listing":"aardvark-ai"}},"hosts":["api.aardvark.test"],"chat":{"supportsLongCacheRetention":false}},\n',
    );
    expect(tree.get("data/models.jsonl")).not.toContain("api.aardvark.test");
    expect(tree.get("src/catalogue/env/key-variables.generated.ts")).toContain('"aardvark": ["AARDVARK_API_KEY"]');
    expect(tree.get("src/catalogue/model-ids.generated.ts")).toContain('  "aardvark": "aardvark-1";\n');
  });

  test.each<[string, NewProvider, string]>([
    ["a provider that has a row", { ...AARDVARK, provider: "groq" }, "has a row for groq"],
    ["an unknown api", { ...AARDVARK, provider: "other", api: "smoke-signals" }, "Not a built-in api: smoke-signals"],
    [
      "models without limits",
      { ...AARDVARK, provider: "other", models: AARDVARK.models.slice(1) },
      "No model of other has",
    ],
    ["a bad address", { ...AARDVARK, provider: "other", baseUrl: "nowhere" }, "Not an address: nowhere"],
    [
      "two models with one id",
      { ...AARDVARK, provider: "other", models: AARDVARK.models.concat(AARDVARK.models) },
      "Two models have the id aardvark-1",
    ],
    ["an unknown flag", { ...AARDVARK, provider: "other", flags: { color: "red" } }, "A host has no fact color"],
    [
      "flags of an api without any",
      { ...AARDVARK, provider: "other", api: "google-vertex", flags: { a: 1 } },
      "The table of hosts has no flags of google-vertex",
    ],
    ["another name", { ...AARDVARK, provider: "Other Inc." }, "Not a name in kebab-case"],
  ])("rejects %s", (_name, added, message) => {
    const before = copy.readTree();
    expect(() => createProvider(copy.folder, added)).toThrow(message);
    expect(copy.differingFrom(before)).toEqual([]);
  });
});

const PROGRAM = `
  import { getModel, getEnvApiKey, streamSimple } from "pi-ai";
  const bodies = [];
  const fetch = async (_, { body }) => (bodies.push(JSON.parse(body)), new Response("no", { status: 400 }));
  for (const id of ["aardvark-1", "aardvark-2", "aardvark-3"]) {
    const model = getModel("aardvark", id);
    const options = { apiKey: "key-of-a-test", fetch, reasoning: model.reasoning ? "high" : undefined, maxTokens: 7 };
    await streamSimple(model, { messages: [{ role: "user", content: "Hi", timestamp: 1 }] }, options).result();
  }
  console.log(JSON.stringify({ models: ["aardvark-1", "aardvark-2", "aardvark-3"].map((id) => getModel("aardvark", id)), key: getEnvApiKey("aardvark"), bodies }));
`;

test("npm run task new:provider adds several models, and the row of the host", {
  timeout: PATIENCE_MS * 3,
}, async () => {
  const repository = await copyRepository();
  onTestFinished(() => repository.remove());
  const run = (command: string, ...words: string[]): string =>
    execFileSync(command, words, {
      cwd: repository.folder,
      encoding: "utf8",
      env: { ...process.env, AARDVARK_API_KEY: "k" },
    });
  writeFileSync(
    join(repository.folder, "models.json"),
    JSON.stringify([{ id: "aardvark-3", name: "Aardvark 3", cost: { input: 3 }, input: ["text", "image"] }]),
  );
  const options = [
    "--base-url",
    "https://api.aardvark.test/v1",
    "--key",
    "AARDVARK_API_KEY",
    "--models",
    "models.json",
  ];
  const models = [
    "aardvark-1, name=Aardvark 1, max-tokens=100, price=1/2/0.5/1.5, reasoning, inputs=text+image, levels=high:deep+off:null",
    "aardvark-2, context=9000",
  ].flatMap((words) => ["--model", words]);
  const limits = ["--context", "8000", "--max-tokens", "500", "--flag", "maxTokensField=max_tokens"];
  const printed = run(
    "npm",
    "run",
    "--silent",
    "--ignore-scripts",
    "task",
    "new:provider",
    "--",
    "aardvark",
    ...options,
    ...models,
    ...limits,
  );
  expect(printed).toContain("written: packages/ai/src/catalogue/compat/hosts.ts\n");
  expect(printed).toContain("\n# aardvark-1\nthinking on: {\n  model: '<model>',\n");
  expect(printed).toContain("reasoning_effort: 'deep'\n}\n");
  // Both get the same request.
  expect(printed).toContain("\n# aardvark-2, aardvark-3\ncannot think: {\n");
  expect(printed).toContain("so cached tokens will cost 0: aardvark-2, aardvark-3\n");
  expect(printed).toContain("\nNext: read what is sent");
  const read = (path: string): string => readFileSync(join(repository.folder, path), "utf8");
  expect(read("packages/ai/test/catalogue/requests/aardvark.txt")).toContain("/chat/completions  [all]");
  expect(read(".changeset/provider-aardvark.md")).toBe(
    '---\n"pi-ai": minor\n---\n\n' +
      "The provider `aardvark`, with the models `aardvark-1`, `aardvark-2`, `aardvark-3`. Its key is in `AARDVARK_API_KEY`.\n",
  );
  expect(read("docs/providers.md")).toMatch(/^\| `aardvark` +\|.*`AARDVARK_API_KEY`/m);

  writeFileSync(join(repository.folder, "program.mjs"), PROGRAM);
  const result = JSON.parse(
    run(process.execPath, "--no-warnings", "--import", "./scripts/resolve-sources.ts", "program.mjs"),
  );
  const common = { api: "openai-completions", provider: "aardvark", baseUrl: "https://api.aardvark.test/v1" };
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  expect(result.models).toMatchObject([
    {
      ...common,
      name: "Aardvark 1",
      reasoning: true,
      input: ["text", "image"],
      cost: { input: 1, output: 2, cacheRead: 0.5, cacheWrite: 1.5 },
      thinkingLevelMap: { high: "deep", off: null },
      contextWindow: 8000,
      maxTokens: 100,
    },
    {
      ...common,
      name: "aardvark-2",
      reasoning: false,
      input: ["text"],
      cost: none,
      contextWindow: 9000,
      maxTokens: 500,
    },
    { ...common, name: "Aardvark 3", input: ["text", "image"], cost: { ...none, input: 3 }, maxTokens: 500 },
  ]);
  expect(result.key).toBe("k");
  expect(result.bodies).toMatchObject([{ max_tokens: 7, reasoning_effort: "deep" }, { max_tokens: 7 }, {}]);
});

test.each([
  ["aardvark-1, colour=red", "The model aardvark-1: not a known word: colour"],
  ["aardvark-1", 'The model "aardvark-1": context (contextWindow) must be'],
  ["aardvark-1, context=many, max-tokens=1", "must be a number of tokens"],
  [
    "aardvark-1, context=1, max-tokens=1, price=1/2/3/4/5",
    "prices are numbers of input, output, cacheRead, cacheWrite",
  ],
  ["aardvark-1, context=1, max-tokens=1, price=-1", "prices are numbers of"],
  ["aardvark-1, context=1, max-tokens=1, inputs=image", "inputs are text, or text+image"],
  ["aardvark-1, context=1, max-tokens=1, reasoning, levels=huge:x", "levels are off, minimal"],
  ["aardvark-1, context=1, max-tokens=1, levels=high:x", "only a model with reasoning has levels"],
  ["aardvark-1, context=1, max-tokens=1, reasoning=perhaps", "reasoning must be true or false"],
  ["aardvark 1, context=1, max-tokens=1", "an id has 1 to 200"],
])("rejects the model %j", (words, message) => {
  expect(() => parseModelWords(words)).toThrow(message);
});
