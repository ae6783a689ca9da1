/** The page of the providers is up to date. A script writes it by calling every provider with every option. */
import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { it } from "vitest";
import { DIES_WITH_PARENT } from "./support/child-flags.js";

const SCRIPTS = resolve(import.meta.dirname, "../scripts");

it("docs/providers.md and docs/model-families.md say what is sent", async () => {
  const words = ["--import", join(SCRIPTS, "resolve-sources.ts"), join(SCRIPTS, "providers-page.ts"), "--check"];
  // The output must not depend on the environment of this machine.
  await promisify(execFile)(process.execPath, [...DIES_WITH_PARENT, ...words], { env: {} });
});
