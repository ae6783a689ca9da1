import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { packPackages } from "../../scripts/pack-packages.ts";
import type { HostSet } from "./hosts.ts";

const run = promisify(execFile);
const HERE = import.meta.dirname;

/** Longer than npm takes with a slow registry, in milliseconds. */
const PATIENCE_MS = 600_000;

let tarballs: Promise<Record<string, string>> | undefined;

/** Installs the hosts of a set, if the lockfile has changed, and the packages as they would be published, always. */
export async function installSet(set: HostSet, folder: string): Promise<void> {
  const source = set === "small" ? HERE : join(HERE, set);
  await installHosts(source, folder);
  tarballs ??= pack();
  for (const [name, tarball] of Object.entries(await tarballs)) {
    const target = join(folder, "node_modules", `pi-${name}`);
    await rm(target, { recursive: true, force: true });
    await mkdir(target, { recursive: true });
    await run("tar", ["-xzf", tarball, "-C", target, "--strip-components=1"]);
  }
}

async function installHosts(source: string, folder: string): Promise<void> {
  const marker = join(folder, "node_modules", ".installed-lock.json");
  const lock = await readFile(join(source, "package-lock.json"), "utf8");
  if ((await readFile(marker, "utf8").catch(() => "")) === lock) return;
  await mkdir(folder, { recursive: true });
  for (const name of ["package.json", "package-lock.json", ".npmrc"]) await cp(join(source, name), join(folder, name));
  // Not `npm ci`: it misses the packages of other platforms in a lockfile without addresses (npm 11.19).
  const words = ["install", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  await run("npm", words, { cwd: folder, timeout: PATIENCE_MS });
  await writeFile(marker, lock);
}

async function pack(): Promise<Record<string, string>> {
  const packed = await packPackages(await mkdtemp(join(tmpdir(), "hosts-pack-")));
  return packed.tarballs;
}
