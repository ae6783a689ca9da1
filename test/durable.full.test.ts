/** The example of durable runs: three workers behind a load balancer, killed at random. */
import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { findMissingEngines } from "../examples/durable/engines/install-engines.js";
import { DIES_WITH_PARENT } from "./support/child-flags.js";

const ROOT = resolve(import.meta.dirname, "..");

test("the example of durable runs finishes each run, and repeats no effect", async (context) => {
  const missing = findMissingEngines();
  if (missing) context.skip(missing);
  const program = join(ROOT, "examples/durable/src/main.ts");
  const words = [...DIES_WITH_PARENT, "--import", join(ROOT, "scripts/resolve-sources.ts"), program, "--once", "30"];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  expect(stdout).toMatch(/^30 runs at http:\/\/127\.0\.0\.1:\d+\n30 of 30 runs finished through \d+ kills\n/);
  expect(stdout).toMatch(/\n\d+ tools ran, 0 of them twice; /);
  expect(stdout).toMatch(/, 0 complete ones paid twice\n$/);
});
