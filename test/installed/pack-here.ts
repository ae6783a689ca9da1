/** Builds and packs the packages into the current or the given folder: `npm run task pack:packages -- FOLDER`. */
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { printHelpIfAsked } from "../../scripts/help.ts";
import { packPackages } from "../../scripts/pack-packages.ts";

printHelpIfAsked(import.meta.filename);

const target = resolve(process.argv[2] ?? ".");
const base = await mkdtemp(join(tmpdir(), "pack-"));
try {
  const { tarballs } = await packPackages(base);
  await mkdir(target, { recursive: true });
  for (const tarball of Object.values(tarballs)) {
    await cp(tarball, join(target, basename(tarball)));
    console.log(join(target, basename(tarball)));
  }
} finally {
  await rm(base, { recursive: true, force: true });
}
