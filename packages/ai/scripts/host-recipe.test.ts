/** The recipe of CONTRIBUTING for a host with quirks, from its command to a response of the host. */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { HOSTS_FILE } from "./host-row.ts";
import { createProvider, readCommand } from "./new-provider.ts";

const PACKAGE = resolve(import.meta.dirname, "..");
const ROOT = resolve(PACKAGE, "../..");
const GUIDE = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");
const RECIPE = GUIDE.slice(GUIDE.indexOf("### A host with quirks"), GUIDE.indexOf("## Updating a bundled SDK"));

/** The files that the command reads and writes. */
const folder = mkdtempSync(join(tmpdir(), "host-recipe-"));
for (const name of ["data", "src/catalogue/compat", "src/types/compat.ts"])
  cpSync(join(PACKAGE, name), join(folder, name), { recursive: true });
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.doUnmock("../src/catalogue/compat/hosts.js"));

/** The words of the command in step 2. What it leaves out is written out here. */
function commandOf(recipe: string): string[] {
  const [, line = ""] = /`npm run task new:provider -- (acme --base-url.*?)`/s.exec(recipe) ?? [];
  const whole = line
    .replace("--base-url ...", "--base-url https://api.acme.test/v1")
    .replace('"acme-1, ..."', '"acme-1, context=128000, max-tokens=8192, price=1/2/0.1, reasoning"');
  return [...whole.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, one, two, three]) => one ?? two ?? three ?? "");
}

/** The two facts of step 3 that are functions, as the recipe writes them. */
function functionsOf(recipe: string): string[] {
  const [, format = ""] = /`(thinkingFormat: \{.*?)`/s.exec(recipe) ?? [];
  const [usageOf = ""] = /^ +usageOf: \(chunk\) => \(\{\n.*?\n +\}\),/ms.exec(recipe) ?? [];
  return [format, usageOf.trim().replace(/,$/, "")];
}

const read = (name: string): string => readFileSync(join(folder, name), "utf8");

describe("the recipe for a host with quirks", () => {
  beforeAll(async () => {
    const { show, ...added } = await readCommand(commandOf(RECIPE));
    expect(show).toBe(false);
    createProvider(folder, added);
    const functions = functionsOf(RECIPE);
    expect(functions.map((text) => text.length > 50)).toEqual([true, true]);
    const table = read(HOSTS_FILE);
    // Another folder: the imports stay those of the package.
    const imported = table.replaceAll(/from "(\..*?)\.js"/g, (_, path: string) => {
      return `from ${JSON.stringify(join(PACKAGE, dirname(HOSTS_FILE), `${path}.ts`))}`;
    });
    const row = /^( {2}\{"accounts":\{"acme":.*"chat":\{)/m;
    expect(imported).toMatch(row);
    writeFileSync(
      join(folder, HOSTS_FILE),
      imported.replace(row, (start) => `${start}${functions.join(", ")}, `),
    );
  });

  test("has a command that adds the row, the model with its prices, and the modules", () => {
    expect(read(HOSTS_FILE)).toContain('// docs.acme.test, "Chat", ');
    const model = read("data/models.jsonl")
      .split("\n")
      .find((line) => line.includes('"acme-1"'));
    expect(JSON.parse(model ?? "")).toMatchObject({
      provider: "acme",
      contextWindow: 128_000,
      cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 0 },
    });
    expect(read("src/catalogue/env/key-variables.generated.ts")).toContain('"acme": ["ACME_API_KEY"]');
    expect(read("src/catalogue/model-ids.generated.ts")).toContain('  "acme": "acme-1";\n');
  });

  test("gives a row with which the request and the response are those of the host", async () => {
    vi.resetModules();
    vi.doMock("../src/catalogue/compat/hosts.js", () => import(join(folder, HOSTS_FILE)));
    const { streamSimple } = await import("../src/index.js");
    const line = read("data/models.jsonl")
      .split("\n")
      .find((text) => text.includes('"acme-1"'));
    const model = { baseUrl: "https://api.acme.test/v1", ...JSON.parse(line ?? "") };
    const sent: Record<string, unknown>[] = [];
    const chunks = [
      { choices: [{ index: 0, delta: { deliberation: "Hm." } }] },
      { choices: [{ index: 0, delta: { content: "Yes." }, finish_reason: "stop" }] },
      { choices: [], meta: { tokens: { in: 10, out: 3, cached: 4 } } },
    ];
    const body = [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"]
      .map((data) => `data: ${data}\n\n`)
      .join("");
    const fetch = async (_url: unknown, init: { body?: unknown } = {}) => {
      sent.push(JSON.parse(String(init.body)));
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    };
    const options = {
      apiKey: "key",
      reasoning: "high" as const,
      maxTokens: 7,
      fetch: fetch as typeof globalThis.fetch,
    };
    const user = { role: "user" as const, content: "Hi", timestamp: 1 };
    const message = await streamSimple(model, { messages: [user] }, options).result();
    expect(message.content).toMatchObject([
      { type: "thinking", thinking: "Hm." },
      { type: "text", text: "Yes." },
    ]);
    expect(message.usage).toMatchObject({ input: 6, output: 3, cacheRead: 4 });
    await streamSimple(model, { messages: [user, message, user] }, options).result();
    expect(sent[1]).toMatchObject({ deliberation: "high", max_output: 7 });
    expect(sent[1]?.["messages"]).toMatchObject([{}, { content: "Yes.", previous_deliberation: "Hm." }, {}]);
    for (const name of ["reasoning_effort", "max_tokens", "max_completion_tokens", "prompt_cache_key"])
      expect(sent[1]).not.toHaveProperty(name);
  });

  test("names files and tests that exist", () => {
    const files = [...RECIPE.matchAll(/`(packages\/[\w./-]+\.ts)`/g)].map(([, file = ""]) => file);
    expect(files.length).toBeGreaterThan(4);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    expect(RECIPE).toContain("catalogue-requests --update");
    expect(existsSync(join(PACKAGE, "test/catalogue/requests/groq.txt"))).toBe(true);
  });
});
