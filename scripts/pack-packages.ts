/**
 * Builds the packages in a separate folder and packs them as they are published, so that the content of their `dist`
 * folders does not matter.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { writeBillOfMaterials, writeField } from "./inlined.ts";
import { listDeclarations } from "./package-entries.ts";
import { addPages } from "./published-links.ts";
import { type Publication, REPOSITORY, renamePackage, SCOPE } from "./published-names.ts";

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, "..");

export interface PackedPackages {
  /** The paths of the tarballs. */
  tarballs: Record<PackageName, string>;
  /** The folders that were packed. */
  folders: Record<PackageName, string>;
}

export const PACKAGE_NAMES = ["ai", "agent", "inspect"] as const;
export type PackageName = (typeof PACKAGE_NAMES)[number];

/**
 * @param folder an empty folder to work in
 * @param publication the scope and the repository, by default those of `published-names.ts`
 */
export async function packPackages(folder: string, publication: Partial<Publication> = {}): Promise<PackedPackages> {
  const { scope = SCOPE, repository = REPOSITORY } = publication;
  const place = (name: PackageName): string => join(folder, "packages", name);
  const folders = { ai: place("ai"), agent: place("agent"), inspect: place("inspect") };
  await Promise.all([buildPackage("ai", folders), buildCode("agent", folders), buildPackage("inspect", folders)]);
  await buildTypes("agent", folders);
  for (const name of PACKAGE_NAMES) {
    await addPages(folders[name], ROOT, `packages/${name}`, repository);
    await renamePackage(folders[name], scope);
    await writeField(folders[name]);
    await writeBillOfMaterials(folders[name]);
  }
  // pnpm replaces `workspace:*` by the version of the other package, so it has to see them.
  await cp(join(ROOT, "pnpm-workspace.yaml"), join(folder, "pnpm-workspace.yaml"));
  await writeFile(join(folder, "package.json"), `{ "name": "packed", "private": true }\n`);
  const packed = [folders.ai, folders.agent, folders.inspect].map((path) => pack(path, folder));
  const [ai = "", agent = "", inspect = ""] = await Promise.all(packed);
  return { tarballs: { ai, agent, inspect }, folders };
}

/**
 * Installs packed packages into an empty folder, as a user does. Their dependencies come from the workspace, so that no
 * network is needed.
 */
export async function installPackages(
  { tarballs }: PackedPackages,
  folder: string,
  names: readonly PackageName[] = ["ai", "agent"],
): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), "{}");
  // Copies, because npm cannot pack the hard links of pnpm's store.
  const typebox = `${folder}-typebox`;
  await cp(join(ROOT, "packages/ai/node_modules/@sinclair/typebox"), typebox, { recursive: true, dereference: true });
  const words = [
    "install",
    "--offline",
    "--install-links",
    "--no-audit",
    "--no-fund",
    ...names.map((name) => tarballs[name]),
  ];
  await run("npm", [...words, typebox], { cwd: folder });
}

type Folders = PackedPackages["folders"];

async function buildPackage(name: PackageName, folders: Folders): Promise<void> {
  await buildCode(name, folders);
  await buildTypes(name, folders);
}

/** In the order of the packages' own builds. */
const BUNDLERS = [
  { config: "rolldown.config.ts", program: "rolldown/bin/cli.mjs", words: ["-c", "--dir"] },
  { config: "tsup.config.ts", program: "tsup/dist/cli-default.js", words: ["--out-dir"] },
];

async function buildCode(name: PackageName, folders: Folders): Promise<void> {
  const source = join(ROOT, "packages", name);
  const files = ["package.json", "CHANGELOG.md", "LICENSE"];
  await mkdir(folders[name], { recursive: true });
  // `files` in package.json leaves the tests out of what is packed.
  await Promise.all(
    [...files, "src"].map((file) => cp(join(source, file), join(folders[name], file), { recursive: true })),
  );
  const dist = join(folders[name], "dist");
  for (const { config, program, words } of BUNDLERS) {
    if (!existsSync(join(source, config))) continue;
    await run(process.execPath, [join(ROOT, "node_modules", program), ...words, dist], { cwd: source });
  }
}

/** Builds the declarations. Those of pi-agent are checked against those of pi-ai, which must exist. */
async function buildTypes(name: PackageName, folders: Folders): Promise<void> {
  const source = join(ROOT, "packages", name);
  const dist = join(folders[name], "dist");
  const config = {
    extends: join(source, "tsconfig.build.json"),
    compilerOptions: {
      rootDir: join(source, "src"),
      outDir: dist,
      typeRoots: [join(ROOT, "node_modules/@types")],
      paths: listDeclarations("pi-ai", join(folders.ai, "dist")),
    },
    include: [join(source, "src")],
    exclude: [join(source, "src/**/*.test.ts")],
  };
  const file = `${folders[name]}.tsconfig.json`;
  await writeFile(file, JSON.stringify(config));
  await run(join(ROOT, "node_modules/.bin/tsc"), ["-p", file]);
  await run(process.execPath, [join(ROOT, "scripts/write-commonjs.ts"), source, dist]);
}

/** Returns the path of the tarball. */
async function pack(folder: string, target: string): Promise<string> {
  const { name, version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  await run("npx", ["--yes", "--prefer-offline", "pnpm@12.21.0", "pack", "--pack-destination", target], {
    cwd: folder,
  });
  const tarball = `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
  if (!(await readdir(target)).includes(tarball)) throw new Error(`${tarball} was not created`);
  return join(target, tarball);
}
