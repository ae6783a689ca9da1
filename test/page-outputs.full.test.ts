/** The programs of a page print what the page shows below them. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { DIES_WITH_PARENT } from "./support/child-flags.js";
import { PATIENCE_MS } from "./support/patience.js";

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, "..");
const PROGRAM = join(import.meta.dirname, "readme/run-blocks.ts");
const KEYS = { ANTHROPIC_API_KEY: "no-real-key", OPENAI_API_KEY: "no-real-key" };

it.each(["docs/troubleshooting.md", "docs/production.md"])("prints what is shown: %s", async (page) => {
  const words = [...DIES_WITH_PARENT, "--import", join(ROOT, "scripts/resolve-sources.ts"), PROGRAM, join(ROOT, page)];
  const { stdout, stderr } = await run(process.execPath, words, { env: KEYS, timeout: PATIENCE_MS });
  expect(stderr).toBe("");
  const text = await readFile(join(ROOT, page), "utf8");
  const shown = [...text.matchAll(/^```ts\n.*?^```\n\n```text\n(.*?)^```$/gms)].map(([, output]) => output);
  const count = [...text.matchAll(/^```ts$/gm)].length;
  expect(count).toBeGreaterThan(3);
  expect(shown).toHaveLength(count);
  expect(stdout.split(/\n\[block \d+ of \d+\]\n/).slice(0, count)).toEqual(shown);
});
