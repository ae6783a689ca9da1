/**
 * Runs the tests against the packages as a user installs them: packed, and installed into a folder outside of the
 * repository.
 *
 *   npm run test:installed                 every target of the packages, the quick suite, every recorded response, and a
 *                                          smaller set through `require`, in workerd, Bun and Deno
 *   npm run test:installed -- route sse    only the test files whose path holds one of the words; flags of the runner
 *                                          and PI_TEST_SUITE apply
 *
 * The tests are those that use public names only, see CONTRIBUTING.md.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { printHelpIfAsked } from "../../scripts/help.ts";
import { INSTALLED } from "../../scripts/installed-packages.ts";
import { installPackages, PACKAGE_NAMES, packPackages } from "../../scripts/pack-packages.ts";
import { checkRuntimes } from "../runtimes/check-runtimes.ts";
import { findBrokenTargets } from "./package-targets.ts";

printHelpIfAsked(import.meta.filename);
const ROOT = resolve(import.meta.dirname, "../..");
/** Prints which recordings of each api pass. */
const TABLE = "./packages/ai/test/protocol-table.reporter.ts";
/** From the full suite: every recorded response, and workerd. */
const FULL = ["default", TABLE, "./test/support/skip.reporter.ts"].flatMap((name) => ["--reporter", name]);
FULL.push("wire.test", "workers.full");
const words = process.argv.slice(2);
const base = await mkdtemp(join(tmpdir(), "test-installed-"));
try {
  const project = join(base, "project");
  await installPackages(await packPackages(base), project, PACKAGE_NAMES);
  process.exitCode = (await (words.length > 0 ? runTests(project, words) : checkAll(project))) ? 0 : 1;
} finally {
  await rm(base, { recursive: true, force: true });
}

async function checkAll(project: string): Promise<boolean> {
  return (
    (await checkTargets(project)) &&
    (await runTests(project, [])) &&
    (await runTests(project, FULL, "all")) &&
    (await checkRuntimes(base, project))
  );
}

async function checkTargets(project: string): Promise<boolean> {
  const found = await Promise.all(PACKAGE_NAMES.map((name) => findBrokenTargets(project, `pi-${name}`)));
  for (const line of found.flat()) console.error(line);
  console.log(found.flat().length === 0 ? "Every target of exports and imports loads." : "Targets are broken.");
  return found.flat().length === 0;
}

async function runTests(project: string, filters: readonly string[], suite?: "all"): Promise<boolean> {
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const flags = ["run", "--config", "vitest.workspace.ts", "--maxWorkers", "3", ...filters];
  const env = { ...process.env, [INSTALLED]: project, ...(suite && { PI_TEST_SUITE: suite }) };
  const child = spawn(process.execPath, [vitest, ...flags], { cwd: ROOT, env, stdio: "inherit" });
  const [status] = await once(child, "exit");
  return status === 0;
}
