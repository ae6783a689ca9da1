/** A copy of the repository as a fresh clone has it once it is installed: the files that belong to it, and nothing built. */
import { execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../..");
/** Packages of this repository among the installed ones. */
const OWN = new Set(["pi-ai", "pi-agent", "pi-inspect"]);

export interface RepositoryCopy {
  folder: string;
  remove(): Promise<void>;
}

export async function copyRepository(): Promise<RepositoryCopy> {
  const folder = await mkdtemp(join(tmpdir(), "repository-"));
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: ROOT });
  const files = String(listed).split("\0").filter(Boolean);
  for (const parent of new Set(files.map((file) => dirname(file))))
    await mkdir(join(folder, parent), { recursive: true });
  // A file that is deleted and not yet committed is listed, too.
  for (const file of files) await cp(join(ROOT, file), join(folder, file)).catch(ignoreMissing);
  for (const manifest of files.filter((file) => basename(file) === "package.json"))
    await linkModules(join(ROOT, dirname(manifest)), join(folder, dirname(manifest)));
  return { folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Links the installed packages, and those of the repository to their copies. */
async function linkModules(from: string, to: string): Promise<void> {
  const modules = await readdir(join(from, "node_modules")).catch(ignoreMissing);
  if (!modules) return;
  await mkdir(join(to, "node_modules"), { recursive: true });
  for (const name of modules.filter((each) => each !== ".cache")) {
    const own = join(to, "../..", "packages", name.replace("pi-", ""));
    await symlink(OWN.has(name) ? own : join(from, "node_modules", name), join(to, "node_modules", name));
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
