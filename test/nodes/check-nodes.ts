/**
 * Runs the README's examples, as ES modules and as CommonJS, on every supported version of Node; then checks that requests
 * go straight to the dispatcher of Node's `fetch`, for every kind of dispatcher.
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { printHelpIfAsked } from "../../scripts/help.ts";
import { installPackages, packPackages } from "../../scripts/pack-packages.ts";
import { isReadmeRight, runReadme } from "../installed/run-readme.ts";
import { checkDispatcher, prepareDispatchers } from "./check-dispatcher.ts";

printHelpIfAsked(import.meta.filename);

const run = promisify(execFile);
const VERSIONS = ["22.12", "22", "24", "26"];

const base = await mkdtemp(join(tmpdir(), "check-nodes-"));
try {
  const project = join(base, "project");
  await installPackages(await packPackages(base), project);
  await prepareDispatchers(project);
  for (const version of VERSIONS) await check(version, project);
} finally {
  await rm(base, { recursive: true, force: true });
}

async function check(version: string, project: string): Promise<void> {
  const node = await installNode(version);
  const { stdout } = await run(node, ["--version"]);
  for (const extension of ["mjs", "cjs"]) {
    const printed = await runReadme(project, extension, { node });
    const good = isReadmeRight(printed);
    console.log(`Node ${stdout.trim()}, ${extension}: ${good ? "works" : `printed ${printed.join("")}`}`);
    if (!good) process.exitCode = 1;
  }
  for (const { name, wrong } of await checkDispatcher(node, project)) {
    console.log(`Node ${stdout.trim()}, ${name}: ${wrong ?? "works"}`);
    if (wrong) process.exitCode = 1;
  }
}

/** Installs a version from npm; returns the path of the program. */
async function installNode(version: string): Promise<string> {
  const folder = join(base, `node-${version}`);
  await mkdir(folder);
  const words = ["install", "--prefix", folder, "--prefer-offline", "--no-audit", "--no-fund", `node@${version}`];
  await run("npm", words, { cwd: folder });
  return join(folder, "node_modules/node/bin/node");
}
