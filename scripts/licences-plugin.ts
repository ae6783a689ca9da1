/** Plugins that collect the licences of all packages in a bundle: for esbuild, from its metafile, and for rolldown, from its chunks. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Plugin } from "esbuild";
import type { Plugin as RolldownPlugin } from "rolldown";

interface BundledPackage {
  name: string;
  version: string;
  licence: string;
  text: string;
}

/** @param file the file for the licences, relative to the folder of the bundle */
export function collectLicences(file: string): Plugin {
  return {
    name: "licences",
    setup: (build) => {
      build.initialOptions.metafile = true;
      build.onEnd(({ metafile }) => {
        const { outdir = "dist", absWorkingDir = process.cwd() } = build.initialOptions;
        // Modules that were read but dropped from the output need no licence.
        const inputs = Object.values(metafile?.outputs ?? {}).flatMap(({ inputs: parts }) =>
          Object.entries(parts).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
        );
        const target = resolve(absWorkingDir, outdir, file);
        mkdirSync(dirname(target), { recursive: true });
        writeFileSync(target, describe(packagesOf(inputs.map((path) => resolve(absWorkingDir, path)))));
      });
    },
  };
}

/** The same for rolldown; no file if there is nothing of others. */
export function collectOwnLicences(file: string): RolldownPlugin {
  return {
    name: "licences",
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((chunk) =>
        chunk.type === "chunk" ? Object.entries(chunk.modules) : [],
      );
      const packages = packagesOf(modules.flatMap(([path, { renderedLength }]) => (renderedLength > 0 ? [path] : [])));
      if (packages.length > 0) this.emitFile({ type: "asset", fileName: file, source: describe(packages) });
    },
  };
}

function packagesOf(files: readonly string[]): BundledPackage[] {
  const folders = new Set(files.flatMap((file) => packageFolder(file) ?? []));
  const packages = new Map(Array.from(folders, readPackage).map((found) => [`${found.name} ${found.version}`, found]));
  return [...packages.values()].sort((one, other) => one.name.localeCompare(other.name));
}

/** The folder of a file's package; undefined for files of this repository. */
function packageFolder(file: string): string | undefined {
  const [folder] = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file) ?? [];
  return folder;
}

/** @throws Error for a package without a licence */
function readPackage(folder: string): BundledPackage {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const entries = readdirSync(folder);
  const read = (pattern: RegExp): string[] =>
    entries.filter((entry) => pattern.test(entry)).map((entry) => readFileSync(join(folder, entry), "utf8").trim());
  const texts = read(/^(licen[sc]e|notice)(\.|$)/i);
  // Some packages have the licence at the end of the readme; some only name it.
  if (texts.length === 0)
    texts.push(...read(/^readme/i).flatMap((text) => /^#+ licen[sc]e\s+(.{200,})/ims.exec(text)?.[1] ?? []));
  if (texts.length === 0 && typeof license === "string")
    texts.push(`${license}. ${author?.name ?? author ?? ""}`.trim());
  if (texts.length === 0) throw new Error(`${name} is bundled but names no licence`);
  return { name, version, licence: String(license ?? "see the text"), text: texts.join("\n\n") };
}

/** Writes each licence text once, below its packages. */
function describe(packages: readonly BundledPackage[]): string {
  const names = new Map<string, string[]>();
  for (const { name, version, licence, text } of packages) {
    const known = names.get(text) ?? [];
    names.set(text, [...known, `${name} ${version} (${licence})`]);
  }
  return [...names].map(([text, owners]) => `${owners.join("\n")}\n\n${text}\n`).join(`\n${"-".repeat(80)}\n\n`);
}
