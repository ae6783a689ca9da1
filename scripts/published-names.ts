/**
 * The names under which the packages are published. In the workspace they are `pi-ai`, `pi-agent` and `pi-inspect`; packing changes them
 * everywhere: in the manifests, in the code and its declarations, and in the pages that the packages contain.
 */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** For example `@acme`, for `@acme/pi-ai`; empty for the plain names. `--scope` of the release replaces it. */
export const SCOPE = "";

type Names = Readonly<Record<string, string>>;
/** The names on npm, without the scope, by those in the workspace. */
export const NAMES: Names = {
  "pi-ai": "pi-ai",
  "pi-agent": "pi-agent",
  "pi-inspect": "pi-inspect",
};

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

/** The name on npm of a package of the workspace; any other name as it is. */
export function publishedName(name: string, scope: string, names: Names = NAMES): string {
  const chosen = Object.hasOwn(names, name) ? names[name] : undefined;
  if (chosen === undefined) return name;
  return scope === "" ? chosen : `${scope}/${chosen}`;
}

/**
 * In code: `from "pi-ai"`, `import("pi-ai/anthropic")`, `require("pi-agent")`, `declare module "pi-agent"`, an entry in quotes, and
 * a name after `--import`. Not `"pi-ai/0.1.0"`, by which requests say who sends them.
 */
const IN_CODE =
  /(?<=\b(?:from|import|require|module)\s*\(?\s*["']|--import )pi-(?:ai|agent|inspect)(?=["'/])|(?<=(["'`]))pi-(?:ai|agent|inspect)(?=\/[a-z][\w/-]*\1)/g;
/** In prose and commands: the name as a word of its own. */
const IN_PROSE = /(?<![\w/@.-])pi-(?:ai|agent|inspect)(?![\w-]|\/[\d<$])/g;
const TARBALL = /(?<![\w@-])pi-(?:ai|agent|inspect)(?=-\d[\w.]*\.tgz)/g;
const PROGRAM = /^```[jt]sx?$.*?^```$/gms;

/** The code with the published names of the packages that it imports. */
export function renameImports(code: string, scope: string, names: Names = NAMES): string {
  return code.replaceAll(IN_CODE, (name) => publishedName(name, scope, names));
}

/** A page with the published names in its programs, commands and sentences. */
export function renamePage(page: string, scope: string, names: Names = NAMES): string {
  const programs = page.match(PROGRAM)?.map((program) => renameImports(program, scope, names)) ?? [];
  const prose = page
    .split(PROGRAM)
    .map((part) =>
      part
        .replaceAll(IN_PROSE, (name) => publishedName(name, scope, names))
        .replaceAll(TARBALL, (name) => publishedName(name, scope, names).replace("@", "").replace("/", "-")),
    );
  return prose.map((part, index) => part + (programs[index] ?? "")).join("");
}

/** Writes the published names into the manifest and the files of a folder that is about to be packed. */
export async function renamePackage(folder: string, scope: string, names: Names = NAMES): Promise<void> {
  if (scope !== "" && !/^@[a-z0-9][\w.-]*$/.test(scope))
    throw new Error(`A scope looks like "@name", not ${JSON.stringify(scope)}`);
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const renamed = { ...manifest, name: publishedName(manifest.name, scope, names) };
  if (manifest.dependencies)
    renamed.dependencies = Object.fromEntries(
      Object.entries(manifest.dependencies).map(([name, version]) => [publishedName(name, scope, names), version]),
    );
  await writeFile(join(folder, "package.json"), `${JSON.stringify(renamed, undefined, 2)}\n`);
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  await Promise.all(
    files.map(async (file) => {
      if (!file.isFile() || !/\.(?:js|cjs|ts|cts|md)$/.test(file.name)) return;
      const path = join(file.parentPath, file.name);
      const text = await readFile(path, "utf8");
      const changed = (file.name.endsWith(".md") ? renamePage : renameImports)(text, scope, names);
      if (changed !== text) await writeFile(path, changed);
    }),
  );
}
