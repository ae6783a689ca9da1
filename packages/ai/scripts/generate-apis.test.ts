import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ApiRow, appendApiRow, readApiRows } from "./api-rows.ts";
import { generateApis } from "./generate-apis.ts";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const ROW: ApiRow = {
  api: "aardvark-chat",
  name: "AardvarkChat",
  entry: "aardvark",
  title: "Aardvark's chat API",
  adapter: { name: "aardvarkAdapter", module: "aardvark/adapter" },
  options: { name: "AardvarkOptions", module: "aardvark/options", types: ["AardvarkMood"] },
  compat: "AardvarkCompat",
};

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "apis-"));
  for (const name of ["data/apis.jsonl", "src", "README.md", "package.json"])
    cpSync(join(PACKAGE, name), join(folder, name), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

function read(name: string): string {
  return readFileSync(join(folder, name), "utf8");
}

test("the generated files match the rows", () => {
  expect(generateApis(PACKAGE, { dryRun: true })).toEqual([]);
});

test("a new row adds names, loader, functions, entry, export and documentation", () => {
  appendApiRow(folder, ROW);
  expect(generateApis(folder).sort()).toEqual([
    "README.md",
    "package.json",
    "src/index.ts",
    "src/providers/aardvark/index.ts",
    "src/providers/built-in-apis.generated.ts",
    "src/providers/named-streams.generated.ts",
    "src/providers/options-by-api.generated.ts",
    "src/types/known-api.generated.ts",
  ]);
  expect(read("src/types/known-api.generated.ts")).toContain('  | "aardvark-chat"');
  expect(read("src/types/known-api.generated.ts")).toContain('  "aardvark-chat": AardvarkCompat;');
  expect(read("src/providers/built-in-apis.generated.ts")).toContain('import("./aardvark/adapter.js")');
  expect(read("src/index.ts")).toContain("  type AardvarkMood,\n  type AardvarkOptions,\n");
  expect(read("src/index.ts")).toContain("  streamSimpleAardvarkChat,\n");
  expect(JSON.parse(read("package.json")).exports["./aardvark"].default).toBe("./dist/aardvark.js");
  expect(read("README.md")).toMatch(
    /\| `pi-ai\/aardvark` +\| `aardvark-chat` +\| `streamAardvarkChat`, `streamSimpleAardvarkChat` +\|/,
  );
});

test("a removed row removes its entry", () => {
  appendApiRow(folder, ROW);
  generateApis(folder);
  writeFileSync(join(folder, "data/apis.jsonl"), readFileSync(join(PACKAGE, "data/apis.jsonl")));
  expect(generateApis(folder)).toContain("src/providers/aardvark/index.ts");
  expect(existsSync(join(folder, "src/providers/aardvark/index.ts"))).toBe(false);
  expect(read("package.json")).toBe(readFileSync(join(PACKAGE, "package.json"), "utf8"));
});

test("rejects two rows with the same entry", () => {
  appendApiRow(folder, { ...ROW, entry: "google" });
  expect(() => readApiRows(folder)).toThrow("two rows have the entry google");
});

test("rejects a row without a required field", () => {
  const { title: _, ...row } = ROW;
  expect(() => appendApiRow(folder, row as ApiRow)).toThrow("a row needs api, name, entry, title");
});
