/** docs/why.md names what the types of the other libraries declare, at the versions in its heads. The libraries come from npm. */
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { installLocked } from "../support/install-peers.js";

const ROOT = resolve(import.meta.dirname, "../..");
/** By the name in the page: where the lock file is, and the package whose version the page shows. */
const PEERS: Readonly<Record<string, readonly [source: string, versionOf: string]>> = {
  pi: ["examples/migrate/pi-1", "@earendil-works/pi-ai"],
  "AI SDK": ["examples/migrate/ai-sdk", "ai"],
  LangChain: ["examples/migrate/langchain", "langchain"],
  "OpenAI Agents": ["examples/migrate/openai-agents", "@openai/agents"],
  Mastra: ["test/peers/mastra", "@mastra/core"],
  Strands: ["test/peers/strands", "@strands-agents/sdk"],
  "TanStack AI": ["test/peers/tanstack", "@tanstack/ai"],
};
const page = await readFile(join(ROOT, "docs/why.md"), "utf8");
const tables = [...page.matchAll(/^\| \| ours \|.*\n(?:\|.*\n)+/gm)].map(([table]) => table.trimEnd().split("\n"));

/** The names of a library in both tables. */
function namesOf(column: number): string[] {
  const rows = tables.flatMap(([, , ...rest]) => rest);
  const cells = rows.map((row) => row.split(" | ")[column] ?? "");
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name));
}

it("has a column for each library, with the version that is installed", async () => {
  expect(tables).toHaveLength(2);
  const versions = Object.entries(PEERS).map(async ([label, [source, name]]) => {
    const { dependencies } = JSON.parse(await readFile(join(ROOT, source, "package.json"), "utf8"));
    return `${label} ${dependencies[name]}`;
  });
  const head = `| | ours | ${(await Promise.all(versions)).join(" | ")} |`;
  expect(tables.map(([first]) => first)).toEqual([head, head]);
});

for (const [index, [label, [source]]] of Object.entries(PEERS).entries()) {
  const { folder, without } = await installLocked(`migrate-${source.split("/").at(-1)}`, join(ROOT, source));
  it.skipIf(without)(`names what ${label} declares${without}`, async () => {
    const files = globSync("node_modules/**/*.d.{ts,mts,cts}", { cwd: folder });
    const types = (await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")))).join("\n");
    const names = namesOf(index + 2);
    expect(names.length).toBeGreaterThan(2);
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(types))).toEqual([]);
  });
}
