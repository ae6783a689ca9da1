/** The packages as they are released, under a scope: every entry loads, and the programs of the pages that they contain run. */
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installPackages, PACKAGE_NAMES, packPackages } from "../scripts/pack-packages.js";
import { findBrokenTargets } from "./installed/package-targets.js";
import { isReadmeRight, runPage, runReadme } from "./installed/run-readme.js";

const ROOT = resolve(import.meta.dirname, "..");
const REPOSITORY = "https://github.com/acme/pi";
/** A name of the workspace, where code or a command would look for it. */
const UNRENAMED =
  /(?:\b(?:from|import|require|module)\s*\(?\s*["']|npx |--import |npm install )pi-(?:ai|agent|inspect)\b/;

const scope = "@acme";

describe("released under a scope", () => {
  let base: string;
  let folder: string;

  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), "published-scope-"));
    folder = join(base, "project");
    await installPackages(await packPackages(base, { scope, repository: REPOSITORY }), folder, PACKAGE_NAMES);
    await symlink(join(ROOT, "node_modules/zod"), join(folder, "node_modules/zod"));
    await writeFile(join(folder, "picture.png"), "not looked at");
  });

  afterAll(() => rm(base, { recursive: true, force: true }));

  it.each(PACKAGE_NAMES)("every entry loads: pi-%s", async (name) => {
    expect(await findBrokenTargets(folder, `${scope}/pi-${name}`)).toEqual([]);
  });

  it.each(PACKAGE_NAMES)("no file has the old names: pi-%s", async (name) => {
    const place = join(folder, "node_modules", scope, `pi-${name}`);
    const files = (await readdir(place, { recursive: true })).filter((file) => /\.(?:[cm]?[jt]s|md)$/.test(file));
    const old = await Promise.all(
      files.map(async (file) => UNRENAMED.exec(await readFile(join(place, file), "utf8"))?.[0]),
    );
    expect(files.filter((_, index) => old[index])).toEqual([]);
    expect(await readFile(join(place, "README.md"), "utf8")).not.toMatch(/no release yet|tgz/);
    for (const page of name === "inspect" ? ["docs/inspect.md"] : ["SKILL.md", "docs/testing.md"])
      expect(files).toContain(page);
    const { dependencies = {}, homepage } = JSON.parse(await readFile(join(place, "package.json"), "utf8"));
    expect(Object.keys(dependencies)).toEqual(
      { ai: ["@sinclair/typebox"], agent: [`${scope}/pi-ai`], inspect: [] }[name],
    );
    expect(homepage).toBe(`${REPOSITORY}/tree/HEAD/packages/${name}#readme`);
  });

  it.each(["mjs", "cjs"])("the README of the repository runs: %s", async (extension) => {
    const printed = await runReadme(folder, extension, { scope });
    expect(printed).toSatisfy(isReadmeRight);
  });

  it.each([
    ["ai", "README.md"],
    ["ai", "SKILL.md"],
    ["agent", "README.md"],
    ["agent", "SKILL.md"],
  ])("the page of the package runs: pi-%s, %s", async (name, page) => {
    const { printed, blocks } = await runPage(folder, join("node_modules", scope, `pi-${name}`, page));
    expect(printed).toContain(`[block ${blocks} of ${blocks}]`);
    expect(printed).not.toMatch(/It failed|errorMessage/);
  });
});
