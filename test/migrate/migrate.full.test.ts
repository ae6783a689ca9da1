/**
 * The programs of the pages about migrating print the same with the other library and with ours, in the same network, and the pages
 * name what both export. The other libraries come from npm.
 */
import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { cp, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { DIES_WITH_PARENT } from "../support/child-flags.js";
import { installLocked } from "../support/install-peers.js";
import { PATIENCE_MS } from "../support/patience.js";

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, "../..");
const EXAMPLES = join(ROOT, "examples/migrate");
const NETWORK = join(import.meta.dirname, "weather-network.ts");
const SOURCES = join(ROOT, "scripts/resolve-sources.ts");
const WEATHER = "weather { city: 'Oslo' }\nYes, take an umbrella.\n";

const PEERS = [
  { name: "ai-sdk", page: "docs/migrate/ai-sdk.md", prints: `${WEATHER}30 tokens\n` },
  { name: "langchain", page: "docs/migrate/langchain.md", prints: WEATHER },
  {
    name: "openai-agents",
    page: "docs/migrate/openai-agents.md",
    prints: "approved: weather\nYes, take an umbrella.\n",
  },
  { name: "pi-0.74", page: "docs/migration.md", prints: `${WEATHER}4 messages\n` },
  { name: "pi-1", page: "docs/migrate/pi-1.md", prints: `${WEATHER}1 result\n` },
];
// One after the other: npm installs of the same packages at a time wait for each other's cache.
const installed: { name: string; page: string; prints: string; folder: string; without: string }[] = [];
for (const peer of PEERS) {
  installed.push({ ...peer, ...(await installLocked(`migrate-${peer.name}`, join(EXAMPLES, peer.name))) });
}

async function print(program: string, preloaded: readonly string[]): Promise<string> {
  const words = [...DIES_WITH_PARENT, "--no-warnings", ...preloaded.flatMap((file) => ["--import", file]), program];
  const env = { OPENAI_API_KEY: "no-real-key", ANTHROPIC_API_KEY: "no-real-key" };
  const { stdout, stderr } = await run(process.execPath, words, { env, timeout: PATIENCE_MS });
  expect(stderr).toBe("");
  return stdout;
}

/** The names in one column of the page's table. */
async function namesIn(page: string, column: number): Promise<string[]> {
  const [, table = ""] = (await readFile(join(ROOT, page), "utf8")).split("\n## Names\n");
  const cells = [...table.matchAll(/^\| (.*?) \| (.*) \|$/gm)].map((cell) => cell[column] ?? "");
  return cells.flatMap((cell) => [...cell.matchAll(/`([A-Za-z]\w+)`/g)].map(([, name = ""]) => name));
}

async function textOf(pattern: string, folder: string): Promise<string> {
  const files = globSync(pattern, { cwd: folder }).filter((file) => !file.includes(".test."));
  return (await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")))).join("\n");
}

const isIn = (text: string) => (name: string) => new RegExp(`\\b${name}\\b`).test(text);

for (const { name, page, prints, folder, without } of installed) {
  describe(`from ${name}`, () => {
    it("shows both programs word for word", async () => {
      const text = await readFile(join(ROOT, page), "utf8");
      const [theirs, ours] = await Promise.all(
        [`${name}/theirs.ts`, `src/${name}.ts`].map((file) => readFile(join(EXAMPLES, file), "utf8")),
      );
      expect(text).toContain(`\`\`\`typescript\n${theirs}\`\`\``);
      expect(text).toContain(`\`\`\`ts\n${ours}\`\`\``);
    });

    it("prints with ours what is promised", async () => {
      expect(await print(join(EXAMPLES, `src/${name}.ts`), [SOURCES, NETWORK])).toBe(prints);
    });

    it.skipIf(without)(`prints the same with theirs${without}`, async () => {
      const program = join(folder, "theirs.ts");
      await cp(join(EXAMPLES, name, "theirs.ts"), program);
      expect(await print(program, [NETWORK])).toBe(prints);
    });
  });
}

// The page of 0.74 has tables of its own, which other tests check.
for (const { name, page, folder, without } of installed.filter((peer) => peer.name !== "pi-0.74")) {
  describe(`the names of ${page}`, () => {
    it.skipIf(without)(`are those of ${name}${without}`, async () => {
      const names = await namesIn(page, 1);
      const types = await textOf("node_modules/**/*.d.{ts,mts,cts}", folder);
      expect(names.length).toBeGreaterThan(8);
      expect(names.filter((one) => !isIn(types)(one))).toEqual([]);
    });

    it("are ours", async () => {
      const sources = await textOf("packages/{ai,agent}/src/**/*.ts", ROOT);
      expect((await namesIn(page, 2)).filter((one) => !isIn(sources)(one))).toEqual([]);
    });
  });
}
