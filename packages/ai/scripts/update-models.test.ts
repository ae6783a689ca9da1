import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Model } from "pi-ai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Accounts } from "../src/catalogue/compat/host.js";
import { readCatalogue } from "./catalogue-files.ts";
import { parseCatalogue } from "./catalogue-source.ts";
import { mergeModels } from "./merge-models.ts";
import { type UpdateOptions, updateModels as updateFiles } from "./update-models.ts";

const SAMPLE = fileURLToPath(new URL("fixtures/models-dev.json", import.meta.url));
const PACKAGE = fileURLToPath(new URL("..", import.meta.url));

const CLAUDE: Model<"anthropic-messages"> = {
  id: "claude-opus-4",
  name: "Claude Test 4",
  api: "anthropic-messages",
  provider: "anthropic",
  baseUrl: "https://api.anthropic.com",
  reasoning: true,
  thinkingLevelMap: { xhigh: "xhigh" },
  input: ["text", "image"],
  cost: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  contextWindow: 200_000,
  maxTokens: 64_000,
  compat: { forceAdaptiveThinking: true },
};
const TIERED: Model = {
  ...CLAUDE,
  id: "claude-opus-3",
  cost: { ...CLAUDE.cost, tiers: [{ ...CLAUDE.cost, inputTokensAbove: 200_000 }] },
};
const FIRE: Model = { ...CLAUDE, id: "fire-1", name: "Fire 1", provider: "fireworks", api: "openai-completions" };
const HOUSE: Model = { ...FIRE, id: "house-1", provider: "house" };

const ACCOUNTS: Accounts = new Map([
  ["anthropic", { keys: ["ANTHROPIC_KEY"] }],
  ["house", { keys: ["HOUSE_KEY"] }],
  ["fireworks", { keys: [], listing: "fireworks-ai" }],
]);

function updateModels(options: UpdateOptions): Promise<string> {
  return updateFiles({ ...(options.packageFolder !== PACKAGE && { accounts: ACCOUNTS }), ...options });
}

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "models-"));
  mkdirSync(join(folder, "data"));
  write(TIERED, CLAUDE, FIRE, HOUSE);
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(...models: Model[]): void {
  writeFileSync(join(folder, "data/models.jsonl"), models.map((model) => `${JSON.stringify(model)}\n`).join(""));
}

function files(): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(names.map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), "utf8")]));
}

function saved(change: (source: Record<string, Record<string, Record<string, object>>>) => void): string {
  const source = JSON.parse(readFileSync(SAMPLE, "utf8"));
  change(source);
  const path = join(folder, "source.txt");
  writeFileSync(path, JSON.stringify(source));
  return path;
}

function find(id: string): Model | undefined {
  return readCatalogue(folder).find((model) => model.id === id);
}

test("refreshes prices and limits of a known model, and keeps everything else", async () => {
  await updateModels({ packageFolder: folder, from: SAMPLE });
  expect(find("claude-opus-4")).toEqual({
    ...CLAUDE,
    cost: { input: 4, output: 20, cacheRead: 0.4, cacheWrite: 6.25 },
    contextWindow: 400_000,
  });
});

test("keeps the price of a model that the source lists as free, and refreshes its limits", async () => {
  await updateModels({ packageFolder: folder, from: SAMPLE });
  expect(find("fire-1")).toEqual({ ...FIRE, contextWindow: 32_000, maxTokens: 4_000 });
});

test("a new model copies the flags of the most similar model", async () => {
  await updateModels({ packageFolder: folder, from: SAMPLE });
  expect(find("claude-opus-4-fast")).toEqual({
    ...CLAUDE,
    id: "claude-opus-4-fast",
    name: "Claude Test 4 Fast",
    cost: { input: 8, output: 40, cacheRead: 0.8, cacheWrite: 10 },
    contextWindow: 400_000,
  });
  const { thinkingLevelMap: _map, ...plain } = CLAUDE;
  expect(find("claude-haiku-1")).toEqual({
    ...plain,
    id: "claude-haiku-1",
    name: "Claude Mini 1",
    reasoning: false,
    input: ["text"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 100_000,
    maxTokens: 8_000,
  });
});

test("skips models that cannot call tools or write text, have no limits, or are deprecated", async () => {
  await updateModels({ packageFolder: folder, from: SAMPLE });
  const ids = readCatalogue(folder).map((model) => `${model.provider}/${model.id}`);
  expect(ids).toEqual([
    "anthropic/claude-haiku-1",
    "anthropic/claude-opus-3",
    "anthropic/claude-opus-4",
    "anthropic/claude-opus-4-fast",
    "fireworks/fire-1",
    "house/house-1",
  ]);
});

test("the difference is readable", async () => {
  expect(await updateModels({ packageFolder: folder, from: SAMPLE })).toBe(`\
New models: check the flags, which come from the model named, if any (2)
  anthropic/claude-opus-4-fast (Claude, row 3 of 15, flags of claude-opus-4)
  anthropic/claude-haiku-1 (Claude, row 2 of 15, flags of claude-opus-3)

Changed prices and limits (2)
  anthropic/claude-opus-4: input 5 -> 4, output 25 -> 20, cacheRead 0.5 -> 0.4, contextWindow 200000 -> 400000
  fireworks/fire-1: contextWindow 200000 -> 32000, maxTokens 64000 -> 4000

Models that the source does not have: kept (1)
  anthropic/claude-opus-3

Providers that the source does not have: kept (1)
  house
`);
  expect(await updateModels({ packageFolder: folder, from: SAMPLE })).not.toMatch(/New|Changed/);
});

test("a changed price of a model with tiers asks for a review", async () => {
  write({ ...TIERED, id: "claude-opus-4" });
  expect(await updateModels({ packageFolder: folder, from: SAMPLE })).toContain("(price tiers kept: check them)");
  expect(find("claude-opus-4")?.cost.tiers).toEqual(TIERED.cost.tiers);
});

test("a dry run prints the same and writes nothing", async () => {
  const before = files();
  const text = await updateModels({ packageFolder: folder, from: SAMPLE, dryRun: true });
  expect(files()).toEqual(before);
  expect(await updateModels({ packageFolder: folder, from: SAMPLE })).toBe(text);
});

test.each([
  ["an error page", '{"error":"not found"}', "The source lists no models"],
  ["no JSON", "<html>", "not valid JSON"],
  ["strangers only", '{"stranger":{"models":{"a":{}}}}', "knows none of our providers"],
])("rejects %s, and writes nothing", async (_name, text, message) => {
  const from = join(folder, "source.txt");
  writeFileSync(from, text);
  const before = files();
  await expect(updateModels({ packageFolder: folder, from })).rejects.toThrow(message);
  expect(files()).toEqual(before);
});

test("rejects an impossible price with the model's name, and writes nothing", async () => {
  const from = saved((source) => {
    Object.assign(source["anthropic"]?.["models"]?.["claude-opus-4"] ?? {}, { cost: { input: 1, output: -1 } });
  });
  const before = files();
  const update = updateModels({ packageFolder: folder, from });
  await expect(update).rejects.toThrow("anthropic/claude-opus-4: cost.output must be a number of 0 or more, not -1");
  expect(files()).toEqual(before);
});

test("fetches the source without a file, and writes nothing after a failed request", async () => {
  const urls: string[] = [];
  const respond = (response: Response) => (url: unknown) => {
    urls.push(String(url));
    return Promise.resolve(response);
  };
  const before = files();
  const failing = respond(new Response("", { status: 503 }));
  const failed = updateModels({ packageFolder: folder, fetch: failing });
  await expect(failed).rejects.toThrow("https://models.dev/api.json responded with status 503");
  expect(files()).toEqual(before);
  await updateModels({ packageFolder: folder, fetch: respond(new Response(readFileSync(SAMPLE, "utf8"))) });
  expect(find("claude-haiku-1")).toBeDefined();
  expect(urls).toEqual(["https://models.dev/api.json", "https://models.dev/api.json"]);
});

test("a catalogue of a day that is in the data changes nothing; what sources state wrongly stays corrected", () => {
  const models = readCatalogue(PACKAGE).filter(({ provider }) => provider === "google");
  const day = models.map((model) => (/-4-(?:argon|carbon)$/.test(model.id) ? { ...model, maxTokens: 32_768 } : model));
  const { changes } = mergeModels(models, parseCatalogue(day.map((model) => JSON.stringify(model)).join("\n")));
  expect(changes).toEqual([]);
});

test("names the line of a catalogue that is damaged", async () => {
  const from = join(folder, "catalogue.txt");
  writeFileSync(from, `${JSON.stringify(CLAUDE)}\n{"id":"cla`);
  await expect(updateModels({ packageFolder: folder, from })).rejects.toThrow("Line 2 is no JSON: is the file whole?");
});

describe("a whole catalogue, one model a line", () => {
  const NEWER: Model = { ...CLAUDE, id: "claude-opus-9", name: "Claude Opus 9", headers: { "user-agent": "other" } };

  function catalogue(...models: Model[]): string {
    const path = join(folder, "catalogue.txt");
    writeFileSync(path, models.map((model) => `${JSON.stringify(model)}\n`).join(""));
    return path;
  }

  test("what it says wins, what it leaves out stays, and what is gone is retired with a replacement", async () => {
    const own = { ...CLAUDE, lifecycle: { status: "active", endsAt: "2027-01-01" } } satisfies Model;
    write(own, TIERED, FIRE, HOUSE);
    const { compat: _compat, thinkingLevelMap: _map, ...plain } = CLAUDE;
    const said = { ...plain, name: "Claude 4", thinkingLevelMap: { off: null }, maxTokens: 99 };
    const text = await updateModels({ packageFolder: folder, from: catalogue(said, NEWER) });
    expect(text).toBe(`New models: check the flags, which come from the model named, if any (1)
  anthropic/claude-opus-9 (Claude, row 15 of 15, the newest)

Models that are gone: kept as retired until a release has said so (1)
  anthropic/claude-opus-3: claude-opus-9

Changed prices and limits (1)
  anthropic/claude-opus-4: maxTokens 64000 -> 99

Other changed fields (1)
  anthropic/claude-opus-4: name, thinkingLevelMap

Providers that the source does not have: kept (2)
  fireworks
  house
`);
    expect(find("claude-opus-4")).toEqual({
      ...own,
      name: "Claude 4",
      thinkingLevelMap: { xhigh: "xhigh", off: null },
      maxTokens: 99,
    });
    // Its host and its family say the same; the names of another client are not sent.
    const { compat: _adaptive, headers: _headers, ...bare } = NEWER;
    expect(find("claude-opus-9")).toEqual(bare);
    expect(find("claude-opus-3")?.lifecycle).toEqual({ status: "retired", replacement: "claude-opus-9" });
    const again = { packageFolder: folder, from: catalogue(said, NEWER) };
    expect(await updateModels(again)).not.toMatch(/^(?:New|Models that are gone|Changed|Other)/m);
    expect(await updateModels({ ...again, dropRetired: true })).toContain(
      "Removed models (1)\n  anthropic/claude-opus-3",
    );
  });

  test("a price of today keeps the prices with a date, and another one replaces that of the present", async () => {
    const changes = [{ from: "2100-01-01", input: 9, output: 9, cacheRead: 0, cacheWrite: 0 }];
    write({ ...CLAUDE, cost: { ...CLAUDE.cost, changes } });
    await updateModels({ packageFolder: folder, from: catalogue(CLAUDE) });
    expect(find("claude-opus-4")?.cost).toEqual({ ...CLAUDE.cost, changes });
    await updateModels({ packageFolder: folder, from: catalogue({ ...CLAUDE, cost: { ...CLAUDE.cost, input: 7 } }) });
    expect(find("claude-opus-4")?.cost).toEqual({ ...CLAUDE.cost, input: 7, changes });
  });

  test.each<[string, Model[], string]>([
    ["a model twice", [CLAUDE, CLAUDE], "Line 2: anthropic/claude-opus-4 is listed twice"],
    ["a model without limits", [CLAUDE, { ...TIERED, maxTokens: 0 }], "Line 2: maxTokens must be"],
    ["an api that does not exist", [CLAUDE, { ...TIERED, api: "telex" }], 'Line 2: there is no api "telex"'],
  ])("rejects %s, and writes nothing", async (_name, models, message) => {
    const from = catalogue(...models);
    const before = files();
    await expect(updateModels({ packageFolder: folder, from })).rejects.toThrow(message);
    expect(files()).toEqual(before);
  });
});

test("skips ids that are not plain", async () => {
  const from = saved((source) => {
    const models = source["anthropic"]?.["models"] ?? {};
    models["claude-\u001b[2J"] = models["claude-haiku-1"] ?? {};
  });
  expect(await updateModels({ packageFolder: folder, from })).not.toContain("\u001b");
});

test("the generated modules in the package match its data", async () => {
  cpSync(join(PACKAGE, "data"), join(folder, "data"), { recursive: true });
  await updateFiles({ packageFolder: folder, offline: true });
  for (const name of [
    "models.generated.ts",
    "catalogue/model-ids.generated.ts",
    "catalogue/env/key-variables.generated.ts",
  ]) {
    expect(readFileSync(join(PACKAGE, "src", name), "utf8") === files()[basename(name)], name).toBe(true);
  }
});

test("the package's data has no edits that its modules lack", async () => {
  expect(await updateModels({ packageFolder: PACKAGE, offline: true, dryRun: true })).toBe("No differences.\n");
});

test("offline, edits of the data are sorted and reported", async () => {
  await updateModels({ packageFolder: folder, offline: true });
  expect(await updateModels({ packageFolder: folder, offline: true })).toBe("No differences.\n");
  const dearer = { ...FIRE, name: "Fire One", maxTokens: 1_000, cost: { ...FIRE.cost, input: 6 } };
  write(HOUSE, dearer, { ...HOUSE, id: "annex-1" }, CLAUDE);
  const text = `New models: check the flags, which come from the model named, if any (1)
  house/annex-1 (no family)

Removed models (1)
  anthropic/claude-opus-3

Changed prices and limits (1)
  fireworks/fire-1: input 5 -> 6, maxTokens 64000 -> 1000

Other changed fields (1)
  fireworks/fire-1: name
`;
  expect(await updateModels({ packageFolder: folder, offline: true, dryRun: true })).toBe(text);
  expect(await updateModels({ packageFolder: folder, offline: true })).toBe(text);
  const ids = readCatalogue(folder).map((model) => `${model.provider}/${model.id}`);
  expect(ids).toEqual(["anthropic/claude-opus-4", "fireworks/fire-1", "house/annex-1", "house/house-1"]);
  expect(await updateModels({ packageFolder: folder, offline: true })).toBe("No differences.\n");
});

test("reads back characters that a literal escapes", async () => {
  const text = `It's \\ "quoted" \u2028 \u00e9\ud83d\ude00 \u0001`;
  write({ ...CLAUDE, headers: { "x-odd": text } });
  await updateModels({ packageFolder: folder, offline: true });
  expect(await updateModels({ packageFolder: folder, offline: true })).toBe("No differences.\n");
});

test.each<[string, Model[], string]>([
  ["a model twice", [CLAUDE, FIRE, CLAUDE], "anthropic/claude-opus-4 is listed twice"],
  ["a model without limits", [{ ...CLAUDE, maxTokens: 0 }], "anthropic/claude-opus-4: maxTokens"],
  [
    "a name that controls a terminal",
    [{ ...CLAUDE, name: "a\u001b[2J" }],
    "anthropic/claude-opus-4: name must be a line",
  ],
  [
    "a provider without a row",
    [{ ...CLAUDE, provider: "unheard" }],
    "src/catalogue/compat/hosts.ts has no account unheard",
  ],
])("offline, rejects %s and writes nothing", async (_name, models, message) => {
  write(...models);
  const before = files();
  await expect(updateModels({ packageFolder: folder, offline: true })).rejects.toThrow(message);
  expect(files()).toEqual(before);
});
