/** Installs a peer from npm in a separate folder, so that it resolves the same versions as for its users. */
import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Peer } from "./peers.ts";

const run = promisify(execFile);
const FOLDER = fileURLToPath(new URL("../.peers/", import.meta.url));
/** The timeout of an installation in milliseconds, long enough for the largest peer and a slow registry. */
const PATIENCE = 240_000;
/** A module that is stored next to the packages, because imports resolve from a module's own folder. */
const LOADER = "export const load = (name) => import(name);\n";

export interface InstalledPeer {
  peer: Peer;
  loader: string;
  versions: Record<string, string>;
  /** Packages that were never published and are replaced by a stand-in. */
  standIns: string[];
}

/** Reuses an existing install unless `fresh` is set. */
export async function installPeer(peer: Peer, fresh: boolean): Promise<InstalledPeer | { reason: string }> {
  const folder = join(FOLDER, peer.name);
  if (fresh) await rm(folder, { recursive: true, force: true });
  const found = await describe(peer, folder);
  if (found) return found;
  // A plain install first, as users do it; with stand-ins only if that fails.
  let reason = await install(peer.packages, {}, folder);
  if (reason && peer.standIns) reason = await install(peer.packages, peer.standIns, folder);
  return reason ? { reason } : ((await describe(peer, folder)) ?? { reason: "npm installed nothing" });
}

async function install(
  packages: Record<string, string>,
  standIns: Record<string, string>,
  folder: string,
): Promise<string | undefined> {
  const paths = Object.entries(standIns).map(([name, path]) => [name, `file:../../stand-ins/${path}`]);
  const manifest = {
    private: true,
    type: "module",
    dependencies: { ...packages, ...Object.fromEntries(paths) },
    overrides: Object.fromEntries(paths.map(([name]) => [name, `$${name}`])),
  };
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  await writeFile(join(folder, "loader.js"), LOADER);
  const options = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  try {
    await run("npm", options, { cwd: folder, timeout: PATIENCE });
    return undefined;
  } catch (error) {
    await rm(join(folder, "node_modules"), { recursive: true, force: true });
    // The first line is a code, the second explains it.
    const [code, about] = [...String(error).matchAll(/^npm error (.*\S)/gm)].map(([, text]) => text);
    return about ?? code ?? "npm failed";
  }
}

async function describe(peer: Peer, folder: string): Promise<InstalledPeer | undefined> {
  try {
    const names = Object.keys(peer.packages);
    const versions = await Promise.all(names.map((name) => readVersion(join(folder, "node_modules", name))));
    const { dependencies } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const standIns = Object.keys(peer.standIns ?? {}).filter((name) => name in dependencies);
    const pairs = names.map((name, index) => [name, versions[index] ?? ""]);
    return { peer, loader: join(folder, "loader.js"), versions: Object.fromEntries(pairs), standIns };
  } catch {
    return undefined; // not installed, or incomplete
  }
}

async function readVersion(folder: string): Promise<string> {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8")).version;
}
