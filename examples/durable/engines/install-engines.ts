/** Installs the engines from npm in a separate folder, because they are not dependencies of this repository. */

import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { printHelpIfAsked } from "../../../scripts/help.ts";

const VERSIONS = {
  "@restatedev/restate-sdk": "1.17.2",
  "@restatedev/restate-server": "1.7.12",
  "@dbos-inc/dbos-sdk": "5.3.0",
  openworkflow: "0.10.1",
};

const FOLDER = join(import.meta.dirname, "../../../.engines");
/** The timeout of the installation in milliseconds, long enough for a slow registry. */
const PATIENCE = 240_000;

const MANIFEST = `${JSON.stringify({ private: true, type: "module", dependencies: VERSIONS })}\n`;
/** A file that exists if all engines are installed. */
const DONE = join(FOLDER, "installed.json");

/** The reason why tests on the engines are skipped; undefined if the engines are installed. */
export function findMissingEngines(): string | undefined {
  if (existsSync(DONE) && readFileSync(DONE, "utf8") === MANIFEST) return undefined;
  return "the engines are not installed: npm run task durable:install";
}

/** Installs the engines if they are missing. Returns the reason of a failure, or undefined. */
export async function installEngines(): Promise<string | undefined> {
  if (!findMissingEngines()) return undefined;
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, "package.json"), MANIFEST);
  const flags = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
  try {
    await promisify(execFile)("npm", flags, { cwd: FOLDER, timeout: PATIENCE });
  } catch {
    return "the engines cannot be installed from npm";
  }
  // Imports resolve from the folder of a module, so this one is next to the engines.
  await writeFile(join(FOLDER, "load.js"), "export const load = (name) => import(name);\n");
  await writeFile(DONE, MANIFEST);
  return undefined;
}

/** The module of an engine, as its users import it. */
export async function loadEngine<TModule>(name: keyof typeof VERSIONS | "openworkflow/sqlite"): Promise<TModule> {
  const { load } = await import(pathToFileURL(join(FOLDER, "load.js")).href);
  return load(name);
}

/** The program of the Restate server for this machine. */
export function restateServer(): string {
  return join(FOLDER, `node_modules/@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`);
}

if (process.argv[1] === import.meta.filename) {
  printHelpIfAsked(import.meta.filename);
  const problem = await installEngines();
  process.stdout.write(`${problem ?? "The engines are installed."}\n`);
  process.exitCode = problem ? 1 : 0;
}
