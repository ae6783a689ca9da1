/**
 * Publishes the packages from fresh builds. `--dry-run` does everything except publishing, and is part of CI.
 * `--scope @acme` publishes `@acme/pi-ai`, `@acme/pi-agent` and `@acme/pi-inspect`, and `--repository https://github.com/acme/pi` links to
 * that, instead of the values in `published-names.ts`.
 *
 * `changeset publish` publishes the folders of the workspace under the names there, so it cannot publish the renamed
 * copies: `npm publish` publishes their tarballs, and changesets make the versions and the changelogs.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { isReadmeRight, runReadme } from "../test/installed/run-readme.ts";
import { printHelpIfAsked } from "./help.ts";
import { installPackages, type PackageName, packPackages } from "./pack-packages.ts";
import { REPOSITORY, SCOPE } from "./published-names.ts";

printHelpIfAsked(import.meta.filename);

const run = promisify(execFile);
const NAMES: readonly PackageName[] = ["ai", "agent", "inspect"];
const { values } = parseArgs({
  options: {
    "dry-run": { type: "boolean", default: false },
    scope: { type: "string", default: SCOPE },
    repository: { type: "string", default: REPOSITORY },
  },
});
const { "dry-run": dryRun, scope, repository } = values;

await release();

async function release(): Promise<void> {
  const base = await mkdtemp(join(tmpdir(), "release-"));
  try {
    expectRepository();
    if (!dryRun) await expectCommitted();
    const packed = await packPackages(base, { scope, repository });
    await checkVersions(packed.folders);
    const project = join(base, "project");
    await installPackages(packed, project);
    for (const extension of ["mjs", "cjs"])
      if (!isReadmeRight(await runReadme(project, extension, { scope })))
        throw new Error("The README's examples print something else");
    console.log("The README's examples ran on the packed packages");
    // pi-ai first, because pi-agent depends on exactly this version of it.
    for (const name of NAMES) await publish(packed.tarballs[name]);
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

/** Requires the address of the repository, which npm shows and checks a package's provenance against. */
function expectRepository(): void {
  if (repository !== "") return;
  throw new Error(
    "The address of the repository is not set: write REPOSITORY in scripts/published-names.ts, or pass --repository https://github.com/NAME/REPOSITORY",
  );
}

/** Checks that everything to be published is committed. */
async function expectCommitted(): Promise<void> {
  const { stdout } = await run("git", ["status", "--porcelain"]);
  if (stdout !== "") throw new Error(`Commit these first:\n${stdout}`);
}

/** Checks that the packages have the same version and changelog entries for it. */
async function checkVersions(folders: Record<PackageName, string>): Promise<void> {
  const versions = new Set<string>();
  for (const name of NAMES) {
    const { version } = JSON.parse(await readFile(join(folders[name], "package.json"), "utf8"));
    const changelog = await readFile(join(folders[name], "CHANGELOG.md"), "utf8");
    if (!changelog.includes(`## ${version}\n`))
      throw new Error(`The changelog of pi-${name} has no entry for ${version}`);
    versions.add(version);
  }
  if (versions.size !== 1) throw new Error(`The packages have different versions: ${[...versions].join(", ")}`);
  console.log(`Version ${[...versions].join()}`);
}

async function publish(tarball: string): Promise<void> {
  const manifest = await run("tar", ["-xzOf", tarball, "package/package.json"]);
  if (JSON.stringify(JSON.parse(manifest.stdout).dependencies ?? {}).includes("workspace:")) {
    throw new Error(`${tarball} depends on a workspace`);
  }
  const { stdout } = await run("tar", ["-tzf", tarball]);
  const files = stdout.trim().split("\n").length;
  if (dryRun) return console.log(`Would publish ${tarball.split("/").at(-1)}, ${files} files`);
  await run("npm", ["publish", "--access", "public", "--provenance", tarball]);
  console.log(`Published ${tarball.split("/").at(-1)}`);
}
