/** A run fails if a test is skipped without a reason. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { childEnvironment } from "./support/child-flags.js";

const ROOT = resolve(import.meta.dirname, "..");
const EXPLAINED = `
  test.skip("without a browser (skipped: no Chromium)", () => {});
  describe.skip("a page (skipped: no Chromium)", () => test("loads", () => {}));
  test("says so as it runs", (context) => context.skip("no database"));
`;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "skipped-"));
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Runs tests beside one that passes. */
async function run(tests: string, ...words: string[]) {
  const imports = `import { describe, expect, test } from "vitest";`;
  await writeFile(join(folder, "some.test.ts"), `${imports} test("adds", () => expect(1 + 1).toBe(2)); ${tests}`);
  const reporter = join(ROOT, "test/support/skip.reporter.ts");
  const flags = ["run", "--root", folder, "--reporter", reporter, ...words];
  const { code, stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [join(ROOT, "node_modules/vitest/vitest.mjs"), ...flags],
    { cwd: folder, env: childEnvironment() },
  ).then(
    (output) => ({ ...output, code: 0 }),
    (error) => error,
  );
  return { code, stdout, stderr };
}

it("passes if every skipped test says why, and prints each reason once", async () => {
  expect(await run(EXPLAINED)).toEqual({
    code: 0,
    stdout: " skipped 2: no Chromium\n skipped 1: no database\n",
    stderr: "",
  });
});

it("fails with the names of those that do not", async () => {
  const { code, stderr } = await run(`${EXPLAINED} describe.skip("a group", () => test("is quiet", () => {}));`);
  expect(code).toBe(1);
  expect(stderr).toContain("do not say why, see CONTRIBUTING.md:\n  some.test.ts > a group > is quiet\n");
});

it("passes if the command chose the tests by name", async () => {
  expect(await run(EXPLAINED, "-t", "adds")).toMatchObject({ code: 0, stderr: "" });
});
