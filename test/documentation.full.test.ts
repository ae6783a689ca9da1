/** Every TypeScript block of the documentation compiles against the sources. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, "..");
let folder: string;

beforeAll(async () => {
  const cache = join(ROOT, "node_modules/.cache");
  await mkdir(cache, { recursive: true });
  folder = await mkdtemp(join(cache, "documentation-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function documents(): Promise<string[]> {
  const guides = await readdir(join(ROOT, "docs")).catch(() => []);
  return [
    "README.md",
    "packages/ai/README.md",
    "packages/agent/README.md",
    "packages/inspect/README.md",
    ...guides.filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`),
  ];
}

/** The blocks of a document, each as a separate module. */
async function writeBlocks(document: string): Promise<number> {
  const text = await readFile(join(ROOT, document), "utf8");
  const blocks = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code ?? "");
  for (const [index, code] of blocks.entries()) {
    const name = `${document.replaceAll(/[/.]/g, "-")}-${index + 1}.ts`;
    await writeFile(join(folder, name), `${code}\nexport {};\n`);
  }
  return blocks.length;
}

describe("the documentation", () => {
  it("has TypeScript blocks that compile", async () => {
    const counts = await Promise.all((await documents()).map(writeBlocks));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(5);
    const config = {
      extends: relative(folder, join(ROOT, "tsconfig.sources.json")),
      compilerOptions: { isolatedDeclarations: false, declaration: false },
      include: ["*.ts"],
    };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
    const compiled = run(join(ROOT, "node_modules/.bin/tsc"), ["-p", folder], { cwd: ROOT }).then(
      () => "",
      (error: { stdout: string }) => error.stdout,
    );
    // Another check covers the sources.
    const own = (await compiled).split("\n").filter((line) => line.includes("documentation-"));
    expect(own).toEqual([]);
  });
});
