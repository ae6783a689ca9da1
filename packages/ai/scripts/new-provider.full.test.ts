/** A new provider is one command. Tests the scaffold in a copy of the package. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createProvider, type NewProvider } from "./new-provider.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const BIN = join(ROOT, "node_modules/.bin");
const COPIED = ["data", "scripts", "src", "test", "package.json", "tsconfig.json", "vitest.config.ts"];
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

let root: string;
let folder: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "new-provider-"));
  folder = join(root, "packages/ai");
  for (const name of COPIED) cpSync(join(ROOT, "packages/ai", name), join(folder, name), { recursive: true });
  for (const name of ["package.json", "tsconfig.base.json"]) cpSync(join(ROOT, name), join(root, name));
  // The configuration of the runner, and shared test code.
  cpSync(join(ROOT, "test/support"), join(root, "test/support"), { recursive: true });
  for (const name of ["node_modules", "packages/ai/node_modules"]) symlinkSync(join(ROOT, name), join(root, name));
});
afterAll(() => rmSync(root, { recursive: true }));

/** The text of each file. */
function readTree(): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name));
  // The runner stores its cache among the packages.
  const own = paths.filter((path) => !path.includes("node_modules"));
  return new Map(own.map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")]));
}

function differingFrom(before: ReadonlyMap<string, string>): string[] {
  return [...readTree()].flatMap(([path, text]) => (before.get(path) === text ? [] : [path])).sort();
}

function runTests(...args: string[]): void {
  const all = ["run", "--maxWorkers", "1", "--reporter", "dot", ...args];
  execFileSync(join(BIN, "vitest"), all, { cwd: folder, encoding: "utf8", stdio: "pipe", env: withoutRunner() });
}

/** The runner does not write a snapshot if it detects CI. */
function withoutRunner(): NodeJS.ProcessEnv {
  const { CI: _ci, ...rest } = process.env;
  return rest;
}

describe("a scaffolded provider", () => {
  test("is two rows of data, and passes the tests of the catalogue", { timeout: 120_000 }, () => {
    const before = readTree();
    createProvider(folder, ACME);
    expect(differingFrom(before)).toEqual([
      "data/models.jsonl",
      "data/providers.jsonl",
      "src/env/key-variables.generated.ts",
      "src/models.generated.ts",
      "src/models/model-ids.generated.ts",
    ]);
    runTests("catalogue-requests", "--update");
    runTests("src/models", "env-api-keys", "catalogue", "update-models");
    // The page of the providers, outside the package, changes too.
    expect(differingFrom(before).filter((path) => !/\.generated\.|^data\//.test(path))).toEqual([
      "test/catalogue/requests.snapshot.txt",
    ]);
  });

  test("has a row, and the models with limits", () => {
    const tree = readTree();
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
    const before = readTree();
    expect(() => createProvider(folder, added)).toThrow(message);
    expect(differingFrom(before)).toEqual([]);
  });
});
