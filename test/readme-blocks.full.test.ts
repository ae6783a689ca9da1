/** Every TypeScript block in the guides of the packages runs to its end without a failure. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DIES_WITH_PARENT } from "./support/child-flags.js";
import { PATIENCE_MS } from "./support/patience.js";

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, "..");
const PROGRAM = join(import.meta.dirname, "readme/run-blocks.ts");
/** Has the SDKs of vendors. */
const PLACE = join(ROOT, "packages/ai");
const KEYS = { ANTHROPIC_API_KEY: "no-real-key", OPENAI_API_KEY: "no-real-key", GEMINI_API_KEY: "no-real-key" };
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "readme-blocks-"));
  await writeFile(join(folder, "picture.png"), "not looked at");
});

afterAll(() => rm(folder, { recursive: true, force: true }));

it.each([
  "packages/ai/README.md",
  "packages/agent/README.md",
  "packages/ai/SKILL.md",
  "packages/agent/SKILL.md",
  "docs/structured-output.md",
  "docs/stream-middleware.md",
  "docs/own-sdk.md",
])("runs the examples of %s", async (page) => {
  const words = [
    ...DIES_WITH_PARENT,
    "--import",
    join(ROOT, "scripts/resolve-sources.ts"),
    PROGRAM,
    join(ROOT, page),
    PLACE,
  ];
  const { stdout, stderr } = await run(process.execPath, words, { cwd: folder, env: KEYS, timeout: PATIENCE_MS });
  expect(stderr).toBe("");
  const count = [...(await readFile(join(ROOT, page), "utf8")).matchAll(/^```ts$/gm)].length;
  expect(stdout).toContain(`[block ${count} of ${count}]`);
  expect(stdout).toContain("Hello!");
  expect(stdout).not.toMatch(/It failed|errorMessage|sent twice/);
});
