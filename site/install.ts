/** Installs what a folder with a lockfile of its own needs: on the first run, and when the lockfile has changed. */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** Longer than npm takes with a slow registry, in milliseconds. */
const PATIENCE_MS = 600_000;

export async function installFolder(folder: string): Promise<void> {
  const marker = join(folder, "node_modules", ".installed-lock.json");
  const lock = await readFile(join(folder, "package-lock.json"), "utf8");
  if ((await readFile(marker, "utf8").catch(() => "")) === lock) return;
  // Not `npm ci`: it misses the packages of other platforms in a lockfile without addresses (npm 11.19). Without saving, the
  // lockfile stays as it is.
  const words = ["install", "--no-save", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--silent"];
  await promisify(execFile)("npm", words, { cwd: folder, timeout: PATIENCE_MS, shell: process.platform === "win32" });
  await writeFile(marker, lock);
}
