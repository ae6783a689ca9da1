/** A vendor's difference is a row of data: no code outside `compat/` compares a vendor, host or model. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const SOURCES = fileURLToPath(new URL("../src", import.meta.url));

/** Names of variables that hold a vendor, a host or a model. A `typeof` test of one compares no names. */
const IDENTITY = String.raw`(?<!typeof )(?:\b(?:model|message|call\.model|this\.model)\??\.(?:id|name|provider|baseUrl|api)|\b(?:provider|baseUrl|modelId|apiName|hostname))`;
/** A quoted string, or a constant. */
const LITERAL = String.raw`(?:["'\x60][^"'\x60]+["'\x60]|[A-Z][A-Z0-9_]{2,})`;

const COMPARISONS: Readonly<Record<string, RegExp>> = {
  "compares with a word": new RegExp(String.raw`${IDENTITY}\)?\s*[!=]==?\s*${LITERAL}`),
  "compares a word with": new RegExp(String.raw`${LITERAL}\s*[!=]==?\s*${IDENTITY}`),
  "searches in": new RegExp(
    String.raw`${IDENTITY}(?:\.toLowerCase\(\))?\??\.(?:includes|startsWith|endsWith|indexOf|match|search)\(\s*(?:${LITERAL}|/)`,
  ),
  "tests with a pattern": new RegExp(
    String.raw`(?:/[a-z]*|[A-Z][A-Z0-9_]{2,})\.(?:test|exec|has|includes)\(\s*${IDENTITY}`,
  ),
  switches: new RegExp(String.raw`switch\s*\(\s*${IDENTITY}`),
};

function sourceFiles(): string[] {
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" });
  return files.filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.startsWith("catalogue/compat/"),
  );
}

function findComparisons(file: string, text: string): string[] {
  return text.split("\n").flatMap((line, index) => {
    if (/^\s*(?:\*|\/\/|\/\*)/.test(line)) return [];
    const found = Object.entries(COMPARISONS).filter(([, pattern]) => pattern.test(line));
    return found.map(([name]) => `${file}:${index + 1} ${name}: ${line.trim()}`);
  });
}

test("no source outside compat/ compares a provider, an address or a model with a literal", () => {
  const files = sourceFiles();
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap((file) => findComparisons(file, readFileSync(`${SOURCES}/${file}`, "utf8")))).toEqual([]);
});

describe("the search", () => {
  test.each([
    'if (model.provider === "openai") {',
    'return "azure" !== call.model.provider;',
    'model.id.toLowerCase().includes("claude")',
    "if (/claude-[45]/.test(model.id)) return 1;",
    'baseUrl.startsWith("https://api.openai.com")',
    "switch (model.provider) {",
    "if (model.provider == OPENROUTER) return;",
    "if (REASONING_MODELS.has(model.id)) return;",
    'const gemini = model?.id.startsWith("gemini");',
  ])("finds %s", (line) => {
    expect(findComparisons("file.ts", line)).not.toEqual([]);
  });

  test.each([
    'if (typeof model.api === "string") return;',
    "return message.provider === model.provider && message.model === model.id;",
    "return { model: model.id, provider };",
    'if (flags.thinkingFormat === "openai") return;',
    "registeredModel(provider, id) ?? catalogueModels(provider).get(id)",
    '// model.provider === "openai"',
  ])("ignores %s", (line) => {
    expect(findComparisons("file.ts", line)).toEqual([]);
  });
});
