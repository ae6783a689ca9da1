/** The workflows run what exists, and CI runs everything. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const workflow = (name: string): string => read(`.github/workflows/${name}.yml`);

it("name only files and scripts that exist", () => {
  const { scripts } = JSON.parse(read("package.json"));
  const files = globSync(".github/workflows/*.yml", { cwd: ROOT });
  expect(files.length).toBe(3);
  for (const file of files) {
    const commands = [...read(file).matchAll(/^ +- run: (.*)$/gm)].map(([, command = ""]) => command);
    expect(commands.length, file).toBeGreaterThan(0);
    for (const [, name = ""] of commands.join("\n").matchAll(/npm run ([\w:]+)/g)) expect(scripts).toHaveProperty(name);
    const paths = [...commands.join("\n").matchAll(/(?<= )(\.?[\w-]+\/[\w./-]+)/g)].map(([, path = ""]) => path);
    expect(
      paths.filter((path) => !existsSync(join(ROOT, path))),
      file,
    ).toEqual([]);
  }
});

it("run everything for each change, the check of bundled code every day, and the release with provenance", () => {
  expect(workflow("ci")).toMatch(/pull_request:[\s\S]*\.ci\/run$/m);
  expect(workflow("inlined")).toMatch(/cron: "\d+ \d+ \* \* \*"[\s\S]*test\/inlined\/check-osv\.ts$/m);
  expect(workflow("release")).toMatch(/id-token: write[\s\S]*\.ci\/run[\s\S]*npm run release/);
  expect(read("scripts/release.ts")).toContain('"--provenance"');
});

it("give no workflow more rights than it needs", () => {
  for (const name of ["ci", "inlined", "release"]) {
    const [, granted = ""] = /^permissions:\n((?: {2}.*\n)+)/m.exec(workflow(name)) ?? [];
    expect(granted).toBe(name === "release" ? "  contents: read\n  id-token: write\n" : "  contents: read\n");
    expect(workflow(name)).not.toContain("secrets.");
  }
});
