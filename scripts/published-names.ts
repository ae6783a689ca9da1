/**
 * Renames the packages for publishing. In the workspace they are `pi-ai`, `pi-agent` and `pi-inspect`; a scope, set here or by the
 * option `--scope` of the release, changes the names everywhere in the packed files.
 */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** For example `@acme`, for `@acme/pi-ai`; empty for the plain names. */
export const SCOPE = "";

/**
 * The address of the repository, for example `https://github.com/acme/pi`, which `--repository` of the release replaces.
 * Packing writes it into the manifests and the links of the READMEs. A release requires it.
 */
export const REPOSITORY = "";

/** The settings that are chosen when the packages are packed. */
export interface Publication {
  scope: string;
  repository: string;
}

/** Matches `import ... from "pi-ai"`, `import("pi-ai/anthropic")`, `require("pi-agent")` and similar. */
const SPECIFIER = /((?:\bfrom|\bimport|\brequire)\s*\(?\s*)(["'])(pi-(?:ai|agent|inspect)(?:\/[\w-]+)?)\2/g;
const INSTALLATION = /^( *npm install .*)$/gm;
const TEXT_FILE = /\.(?:js|cjs|ts|cts|md)$/;

/** The text with the published names in every import of the packages and every install command. */
export function renameImports(text: string, scope: string): string {
  if (scope === "") return text;
  return text
    .replaceAll(SPECIFIER, (_, before, quote, name) => `${before}${quote}${scope}/${name}${quote}`)
    .replaceAll(INSTALLATION, (line) => line.replaceAll(/(?<= )pi-(ai|agent|inspect)(?= |$)/g, `${scope}/pi-$1`));
}

/** Writes the published names into the manifest and the files of a folder that is about to be packed. */
export async function renamePackage(folder: string, scope: string): Promise<void> {
  if (scope === "") return;
  if (!/^@[a-z0-9][\w.-]*$/.test(scope)) throw new Error(`A scope looks like "@name", not ${JSON.stringify(scope)}`);
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const dependencies = Object.entries(manifest.dependencies ?? {}).map(([name, version]) => [
    /^pi-(ai|agent|inspect)$/.test(name) ? `${scope}/${name}` : name,
    version,
  ]);
  const renamed = { ...manifest, name: `${scope}/${manifest.name}`, dependencies: Object.fromEntries(dependencies) };
  await writeFile(join(folder, "package.json"), `${JSON.stringify(renamed, undefined, 2)}\n`);
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  await Promise.all(
    files.map(async (file) => {
      if (!file.isFile() || !TEXT_FILE.test(file.name)) return;
      const path = join(file.parentPath, file.name);
      const text = await readFile(path, "utf8");
      const changed = renameImports(text, scope);
      if (changed !== text) await writeFile(path, changed);
    }),
  );
}
