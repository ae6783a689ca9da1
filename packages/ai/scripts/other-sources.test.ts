/** What `models:update` reads beside models.dev: packages with a catalogue, and the vendors' SDKs. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { getModel, getModels, type Model } from "pi-ai";
import { expect, onTestFinished, test } from "vitest";
import { parseCatalogue } from "./catalogue-source.ts";
import { readPackage, type Unpack } from "./package-source.ts";
import { describeSdkModels, missingSdkModels } from "./sdk-models.ts";
import { updateModels } from "./update-models.ts";

const SOL = getModel("openai", "gpt-6.2-sol");
const PI = "@earendil-works/pi-ai";

function write(
  files: Readonly<Record<string, string>>,
  folder = mkdtempSync(join(tmpdir(), "other-sources-")),
): string {
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

test("a package is read as a catalogue, one model a line, without what does not chat", () => {
  const luna: Model = { ...SOL, id: "gpt-6-luna" };
  const data = { "openai-responses": { "chat:a": SOL, "chat:b": luna, "image:c": { id: "c" } }, other: 7 };
  const folders: string[] = [];
  const unpack: Unpack = (name, folder) => {
    expect(name).toBe(PI);
    folders.push(folder);
    return write(
      { "dist/providers/data/openai.json": JSON.stringify(data), "dist/providers/data/empty.json": "{}" },
      folder,
    );
  };
  const models = parseCatalogue(readPackage(PI, unpack));
  expect([...(models.get("openai")?.keys() ?? [])]).toEqual([SOL.id, luna.id]);
  // The download is gone.
  expect(() => readPackage(PI, () => write({}, folders[0]))).toThrow("has no models in dist/providers/data/*.json");
});

test("a package is a source of models:update; a provider that has no row in the table of hosts is left out", async () => {
  const packageFolder = write({ "data/models.jsonl": `${JSON.stringify(SOL)}\n` });
  const data = { "openai-responses": { "chat:a": { ...SOL, maxTokens: 7 }, "chat:b": { ...SOL, provider: "radius" } } };
  const text = await updateModels({
    packageFolder,
    package: PI,
    unpack: (_name, folder) => write({ "dist/providers/data/openai.json": JSON.stringify(data) }, folder),
    accounts: new Map([["openai", { keys: ["OPENAI_API_KEY"] }]]),
    dryRun: true,
  });
  expect(text).toContain("Changed prices and limits (1)\n  openai/gpt-6.2-sol: maxTokens 128000 -> 7");
  expect(text).toContain("Providers of the source that the table of hosts does not have: left out (1)\n  radius\n");
});

test("an unknown package is refused before anything is fetched", () => {
  for (const name of ["left-pad", "toString", "../evil", "--registry"])
    expect(() => readPackage(name, () => expect.fail("fetched"))).toThrow(`Known: ${PI}`);
});

test("the ids of the SDKs that the catalogue lacks, with their family", () => {
  const sdks = {
    "openai/resources/shared.d.ts":
      "export type Other = 'x';\nexport type ChatModel = 'gpt-6.2-sol' | 'gpt-6.2-astra-law' | 'q-1';\n",
    "@anthropic-ai/sdk/resources/messages/messages.d.ts":
      "export type Model = (string & {});\nexport type Model = 'claude-opus-5-5' | 'claude-mythos-5-2' | (string & {});\n",
    "@google/genai/dist/genai.d.ts":
      'declare class Model {}\ndeclare type Model_2 = "gemini-4-hydrogen" | (string & {});\n',
  };
  const models = ["openai", "anthropic", "google"].flatMap((provider) => getModels(provider));
  const missing = missingSdkModels(models, write(sdks));
  expect(Object.fromEntries(missing)).toEqual({
    openai: ["gpt-6.2-astra-law", "q-1"],
    anthropic: ["claude-mythos-5-2"],
    google: [],
  });
  expect(describeSdkModels(missing)).toMatch(
    /^\nModels of the vendors' SDKs that the catalogue lacks \(3\)\n {2}openai\/gpt-6\.2-astra-law \(GPT, row (\d+) of \1, the newest\)\n {2}openai\/q-1 \(no family\)\n {2}anthropic\/claude-mythos-5-2 \(Claude, row \d+ of \d+\)\n$/,
  );
  expect(describeSdkModels(new Map([["openai", []]]))).toBe("");
});

test("an SDK without its union is an error, not an empty list", () => {
  const folder = write({ "openai/resources/shared.d.ts": "export type ChatModels = 'a';\n" });
  expect(() => missingSdkModels([], folder)).toThrow(
    "openai/resources/shared.d.ts has no union ChatModel of ids any more",
  );
});

test("the installed SDKs have their unions", () => {
  const missing = missingSdkModels([], fileURLToPath(new URL("../node_modules", import.meta.url)));
  for (const ids of missing.values()) expect(ids.length).toBeGreaterThan(10);
});
