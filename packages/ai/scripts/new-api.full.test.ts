/** A new api is one folder, one row and one folder of tests. Tests the scaffold in a copy of the package. */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApi } from "./new-api.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const BIN = join(ROOT, "node_modules/.bin");
const COPIED = ["data", "scripts", "src", "test", "package.json", "README.md", "tsconfig.json", "vitest.config.ts"];

let root: string;
let folder: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "new-api-"));
  folder = join(root, "packages/ai");
  for (const name of COPIED) cpSync(join(ROOT, "packages/ai", name), join(folder, name), { recursive: true });
  for (const name of ["package.json", "tsconfig.base.json", "biome.json"]) cpSync(join(ROOT, name), join(root, name));
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

function run(command: string, ...args: string[]): string {
  return execFileSync(join(BIN, command), args, { cwd: folder, encoding: "utf8", stdio: "pipe" });
}

describe("a scaffolded api", () => {
  test("changes no hand-written file but the rows", () => {
    const before = readTree();
    const { created, changed } = createApi(folder, { api: "acme-chat", title: "Acme's chat API" });
    const after = readTree();
    const differing = [...after].filter(([path, text]) => before.get(path) !== text).map(([path]) => path);
    expect(differing.sort()).toEqual([...created, ...changed].sort());
    expect([...before.keys()].filter((path) => !after.has(path))).toEqual([]);
    expect(created.filter((path) => !/^(src\/providers|test\/protocols)\/acme-chat\//.test(path))).toEqual([
      "src/entries/acme-chat.ts",
    ]);
    expect(created).toHaveLength(14);
    expect(changed.filter((path) => !path.includes(".generated."))).toEqual([
      "data/apis.jsonl",
      // The generator owns a part of each of these.
      "src/index.ts",
      "README.md",
      "package.json",
    ]);
  });

  test("contains its own name and not that of the template", () => {
    const texts = [...readTree()].filter(([path]) => /\/acme-chat[./]/.test(path)).map(([, text]) => text);
    expect(texts.join("\n")).toContain("Acme's chat API");
    expect(texts.filter((text) => /example/i.test(text.replaceAll(/[eE]xample-test|Example Test/g, "")))).toEqual([]);
  });

  test("compiles", { timeout: 120_000 }, () => {
    const { status, stdout } = spawnSync(join(BIN, "tsc"), ["-p", "."], { cwd: folder, encoding: "utf8" });
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
  });

  test("passes its own suites and the one of the options that it sends", { timeout: 120_000 }, () => {
    const own = ["conformance.test.ts", "validator.test.ts"].map((file) => `protocols/acme-chat/${file}`);
    const files = [...own, "test/sent-options.test.ts"];
    const output = join(root, "report.json");
    run("vitest", "run", "--maxWorkers", "1", "--reporter", "json", "--outputFile", output, ...files);
    const report = JSON.parse(readFileSync(output, "utf8"));
    expect(report).toMatchObject({ success: true, numFailedTests: 0 });
    expect(report.testResults).toHaveLength(files.length);
    expect(report.numPassedTests).toBeGreaterThan(50);
  });

  test("rejects a name that is taken or not in kebab-case", () => {
    expect(() => createApi(folder, { api: "acme-chat" })).toThrow("src/providers/acme-chat exists already");
    expect(() => createApi(folder, { api: "AcmeChat" })).toThrow("Not a name in kebab-case: AcmeChat");
  });
});
