/** Every TypeScript block of the documentation compiles against the sources. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, "..");
const PARTS = ["blocks", "declaring"];
let folder: string;

beforeAll(async () => {
  const cache = join(ROOT, "node_modules/.cache");
  await mkdir(cache, { recursive: true });
  folder = await mkdtemp(join(cache, "documentation-"));
  // The SDKs of vendors.
  await symlink(join(ROOT, "packages/ai/node_modules"), join(folder, "node_modules"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function documents(): Promise<string[]> {
  const guides = await readdir(join(ROOT, "docs")).catch(() => []);
  return [
    "README.md",
    "packages/ai/README.md",
    "packages/agent/README.md",
    "packages/inspect/README.md",
    "packages/ai/SKILL.md",
    "packages/agent/SKILL.md",
    ...guides.filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`),
  ];
}

/** The blocks of a document, each as a separate module. One that declares messages of its own would do so for all. */
async function writeBlocks(document: string): Promise<number> {
  const text = await readFile(join(ROOT, document), "utf8");
  const blocks = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code ?? "");
  for (const [index, code] of blocks.entries()) {
    const part = code.includes("declare module") ? "declaring" : "blocks";
    const name = `${document.replaceAll(/[/.]/g, "-")}-${index + 1}.ts`;
    await writeFile(join(folder, part, name), `${code}\nexport {};\n`);
  }
  return blocks.length;
}

/** What the compiler says about the blocks; another check covers the sources. */
async function compile(part: string): Promise<string[]> {
  const place = join(folder, part);
  const config = {
    extends: relative(place, join(ROOT, "tsconfig.sources.json")),
    compilerOptions: { isolatedDeclarations: false, declaration: false },
    include: ["*.ts"],
  };
  await writeFile(join(place, "tsconfig.json"), JSON.stringify(config));
  const printed = await run(join(ROOT, "node_modules/.bin/tsc"), ["-p", place], { cwd: ROOT }).then(
    () => "",
    (error: { stdout: string }) => error.stdout,
  );
  return printed.split("\n").filter((line) => line.includes("documentation-"));
}

describe("the documentation", () => {
  it("has TypeScript blocks that compile", async () => {
    for (const part of PARTS) await mkdir(join(folder, part));
    const counts = await Promise.all((await documents()).map(writeBlocks));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(5);
    expect(await Promise.all(PARTS.map(compile))).toEqual([[], []]);
  });
});
