/** docs/architecture.md, and the names that docs/migration.md maps, refer to existing files and functions. */
import { existsSync, globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const page = await readFile(join(ROOT, "docs/architecture.md"), "utf8");
const pages = page + (await readFile(join(ROOT, "docs/migration.md"), "utf8"));

function pathOf(file: string): string {
  return file.startsWith("packages/") ? file : `packages/agent/src/${file}`;
}

/** `file.ts`: `name`, `name` in the second column of a table. */
function references(): { file: string; names: string[] }[] {
  const cells = [...pages.matchAll(/^\| .*? \| (`.*) \|$/gm)].map(([, cell = ""]) => cell);
  return cells
    .flatMap((cell) => cell.split(";"))
    .flatMap((part) => {
      const [, file, rest = ""] = /^\s*`([\w/.-]+\.ts)`(?::((?: `\w+`,?)+))?/.exec(part) ?? [];
      return file === undefined ? [] : [{ file, names: [...rest.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name) }];
    });
}

describe("docs/architecture.md", () => {
  it("refers to existing files", () => {
    const inText = [...pages.matchAll(/`(packages\/[\w/.-]+\.ts)`/g)].map(([, file = ""]) => file);
    const files = [...inText, ...references().map(({ file }) => pathOf(file))];
    expect(files.length).toBeGreaterThan(60);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it("shows the loop as it is", async () => {
    const source = await readFile(join(ROOT, "packages/agent/src/loop/run-loop.ts"), "utf8");
    const [, code = ""] = /```typescript\n(export async function runLoop.*?)\n```/s.exec(page) ?? [];
    expect(code).toMatch(/^}$/m);
    expect(source).toContain(code);
  });

  it("refers to existing functions", async () => {
    const missing: string[] = [];
    for (const { file, names } of references()) {
      const text = await readFile(join(ROOT, pathOf(file)), "utf8").catch(() => "");
      for (const name of names) if (!new RegExp(`\\b${name}\\b`).test(text)) missing.push(`${file}: ${name}`);
    }
    expect(missing).toEqual([]);
  });

  it("says where the names of vendors are compared: in compat/ only", async () => {
    const files = globSync("packages/{ai,agent}/src/**/*.ts", { cwd: ROOT }).filter(
      (file) => !/\.test\.ts$|\/compat\//.test(file),
    );
    expect(files.length).toBeGreaterThan(300);
    const comparing = /\bprovider\)? ?[!=]== ?["'`]|baseUrl\.(?:includes|startsWith)\(["'`]http/;
    const found: string[] = [];
    for (const file of files) if (comparing.test(await readFile(join(ROOT, file), "utf8"))) found.push(file);
    expect(found).toEqual([]);
  });
});
