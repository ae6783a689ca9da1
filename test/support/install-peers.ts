/** Installs packages from npm in a separate folder, so that they resolve the same dependencies as for users. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const PEERS = resolve(import.meta.dirname, "../.peers");
/** Longer than npm takes with a slow registry, in milliseconds. */
const PATIENCE_MS = 240_000;

interface Installed {
  folder: string;
  /** Why the folder lacks the packages, as the end of a test's name; empty if it has them. */
  without: string;
}

/** Installs packages under `test/.peers`. An existing install is used again. */
export async function installPeers(name: string, versions: Readonly<Record<string, string>>): Promise<Installed> {
  const manifest = JSON.stringify({ private: true, dependencies: versions });
  return provide(name, manifest, async (folder) => {
    await writeFile(join(folder, "package.json"), manifest);
    return npmInstall(folder, ["--no-package-lock"]);
  });
}

/** The same for a folder with a package.json and its lock file, whose versions are installed. */
export async function installLocked(name: string, source: string): Promise<Installed> {
  const lock = await readFile(join(source, "package-lock.json"), "utf8");
  return provide(name, lock, async (folder) => {
    for (const file of ["package.json", "package-lock.json", ".npmrc"])
      await cp(join(source, file), join(folder, file));
    return npmInstall(folder, ["--prefer-offline"]);
  });
}

/**
 * Installs into a folder of this process, and gives it its name when it is whole: several test files install the same packages
 * at the same time.
 *
 * @param content what decides the packages
 * @param install returns why it failed
 */
async function provide(
  name: string,
  content: string,
  install: (folder: string) => Promise<string | undefined>,
): Promise<Installed> {
  const folder = join(PEERS, name);
  const isThere = (): boolean => readText(join(folder, "installed.json")) === content;
  if (isThere()) return { folder, without: "" };
  await mkdir(PEERS, { recursive: true });
  const own = await mkdtemp(`${folder}-`);
  try {
    const reason = await install(own);
    if (reason !== undefined) return { folder, without: ` (skipped: ${name} could not be installed: ${reason})` };
    await writeFile(join(own, "installed.json"), content);
    if (!isThere()) await moveTo(folder, own);
    return { folder, without: "" };
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

/** Takes the place of an older install. Another process that did so at this moment has installed the same. */
async function moveTo(folder: string, own: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await rename(own, folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
  });
}

function readText(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** @returns why npm failed */
async function npmInstall(folder: string, options: readonly string[]): Promise<string | undefined> {
  const words = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", ...options];
  try {
    await promisify(execFile)("npm", words, { cwd: folder, timeout: PATIENCE_MS });
    return undefined;
  } catch (error) {
    return /^npm error (.*\S)/m.exec(String(error))?.[1] ?? "npm failed";
  }
}
