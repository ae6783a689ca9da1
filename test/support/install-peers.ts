/** Installs packages from npm in a separate folder, so that they resolve the same dependencies as for users. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
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
  const reason = await install(folder, ["--no-package-lock"]);
  if (reason !== undefined) return { folder, without: ` (skipped: ${name} could not be installed: ${reason})` };
  await writeFile(marker, manifest);
  return { folder, without: "" };
}

/** The same for a folder with a package.json and its lock file, whose versions are installed. */
export async function installLocked(name: string, source: string): Promise<{ folder: string; without: string }> {
  const folder = join(PEERS, name);
  const marker = join(folder, "installed-lock.json");
  const lock = await readFile(join(source, "package-lock.json"), "utf8");
  if (existsSync(marker) && (await readFile(marker, "utf8")) === lock) return { folder, without: "" };
  await mkdir(folder, { recursive: true });
  for (const file of ["package.json", "package-lock.json", ".npmrc"]) await cp(join(source, file), join(folder, file));
  const reason = await install(folder, ["--prefer-offline"]);
  if (reason !== undefined) return { folder, without: ` (skipped: ${name} could not be installed: ${reason})` };
  await writeFile(marker, lock);
  return { folder, without: "" };
}

/** @returns why npm failed */
async function install(folder: string, options: readonly string[]): Promise<string | undefined> {
  const words = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", ...options];
  try {
    await promisify(execFile)("npm", words, { cwd: folder, timeout: PATIENCE_MS });
    return undefined;
  } catch (error) {
    return /^npm error (.*\S)/m.exec(String(error))?.[1] ?? "npm failed";
  }
}
