/** Each script that a person may call starts, in a copy of the repository in which nothing is built. */
import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { childEnvironment } from "./support/child-flags.js";
import { PATIENCE_MS } from "./support/patience.js";
import { copyRepository, type RepositoryCopy } from "./support/repository-copy.js";
import { type Row, SCRIPTS, type Started, TASK_ROWS } from "./support/script-table.js";

let copy: RepositoryCopy;
beforeAll(async () => {
  copy = await copyRepository();
}, PATIENCE_MS);
afterAll(() => copy.remove());

const isStarted = (entry: [string, Row]): entry is [string, Started] => typeof entry[1] === "object";

const started = Object.entries(SCRIPTS).map(([manifest, rows]) => ({
  manifest,
  rows: Object.entries(rows).filter(isStarted),
}));

describe.each(started.filter(({ rows }) => rows.length > 0))("the scripts of $manifest", ({ manifest, rows }) => {
  it.each(rows)("%s starts", async (name, { words, prints, built }) => {
    // Without the script before it, which would install and build.
    const command = ["run", "--silent", "--ignore-scripts", name, "--", ...words];
    const hook = join(copy.folder, "scripts/resolve-sources.ts");
    const { stdout, stderr } = await promisify(execFile)("npm", command, {
      cwd: join(copy.folder, dirname(manifest)),
      env: built ? { ...childEnvironment(), NODE_OPTIONS: `--import=${hook}` } : childEnvironment(),
      timeout: PATIENCE_MS,
    });
    expect(stdout, stderr).toMatch(prints);
  });
});

it.each(Object.entries(TASK_ROWS).filter(isStarted))("the task %s starts", async (name, { words, prints }) => {
  const { stdout, stderr } = await promisify(execFile)(
    "npm",
    ["run", "--silent", "--ignore-scripts", "task", name, "--", ...words],
    { cwd: copy.folder, env: childEnvironment(), timeout: PATIENCE_MS },
  );
  expect(stdout, stderr).toMatch(prints);
});
