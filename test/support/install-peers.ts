/** Installs packages from npm in a separate folder, so that they resolve the same dependencies as for users. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const PEERS = resolve(import.meta.dirname, "../.peers");
/** Longer than npm takes with a slow registry, in milliseconds. */
const PATIENCE_MS = 240_000;

/**
 * Installs packages under `test/.peers`. An existing install is used again.
 *
 * @returns the folder, and why it lacks the packages, as the end of a test's name; empty if it has them
 */
export async function installPeers(
  name: string,
  versions: Readonly<Record<string, string>>,
): Promise<{ folder: string; without: string }> {
  const folder = join(PEERS, name);
  const manifest = JSON.stringify({ private: true, dependencies: versions });
  const marker = join(folder, "installed.json");
  if (existsSync(marker) && (await readFile(marker, "utf8")) === manifest) return { folder, without: "" };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), manifest);
  const options = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
  try {
    await promisify(execFile)("npm", options, { cwd: folder, timeout: PATIENCE_MS });
  } catch (error) {
    const reason = /^npm error (.*\S)/m.exec(String(error))?.[1] ?? "npm failed";
    return { folder, without: ` (skipped: ${name} could not be installed: ${reason})` };
  }
  await writeFile(marker, manifest);
  return { folder, without: "" };
}
