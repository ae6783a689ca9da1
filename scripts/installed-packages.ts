/**
 * What `pi-ai`, `pi-agent` and `pi-inspect` mean to tests and to the programs that tests start: the sources, or the
 * packages that are installed in the folder PI_TEST_INSTALLED. Only this file reads the variable.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { listSources } from "./package-entries.ts";

export const INSTALLED = "PI_TEST_INSTALLED";
const NAME = /^pi-(?:ai|agent|inspect)(?:\/.+)?$/;
const sources = listSources();

/** The folder with the `node_modules` of the installed packages; undefined if tests run on the sources. */
export const installedFolder: string | undefined = process.env[INSTALLED] || undefined;

/** Node finds a package from a module beside it. */
type Resolve = (specifier: string) => string;
const resolveInstalled = installedFolder === undefined ? undefined : await createResolve(installedFolder);

async function createResolve(folder: string): Promise<Resolve> {
  const file = join(folder, "resolve.mjs");
  writeFileSync(file, "export const resolve = (name) => import.meta.resolve(name);\n");
  const module: { resolve: Resolve } = await import(pathToFileURL(file).href);
  return module.resolve;
}

/** Whether a specifier names an entry of one of the packages. */
export function isPackage(specifier: string): boolean {
  return NAME.test(specifier);
}

/** The file behind the name of an entry. */
export function fileOf(specifier: string): string {
  if (resolveInstalled) return fileURLToPath(resolveInstalled(specifier));
  const file = sources[specifier];
  if (file === undefined) throw new Error(`No package.json exports ${specifier}`);
  return file;
}
