/**
 * Reads the catalogue that an npm package publishes, as one model a line: the packages that are known here, and where they
 * keep their models. npm fetches the newest version.
 */
import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRecord } from "../src/utils/is-object.js";

/** The files with models, and the models in the parsed content of one. */
interface PackageForm {
  files: string;
  models(content: unknown): unknown[];
}

const FORMS: Readonly<Record<string, PackageForm>> = {
  // By api, then by kind and id. Only what chats is a model here (version 1.6.0, 2026-11).
  "@earendil-works/pi-ai": {
    files: "dist/providers/data/*.json",
    models: (content) =>
      valuesOf(content).flatMap((ofApi) =>
        isRecord(ofApi)
          ? Object.entries(ofApi).flatMap(([key, model]) => (key.startsWith("chat:") ? [model] : []))
          : [],
      ),
  },
};

export const KNOWN_PACKAGES: readonly string[] = Object.keys(FORMS);

/** Downloads a package into a folder and returns the path of its content. */
export type Unpack = (name: string, folder: string) => string;

/** @throws Error if the package is not known, or holds no models where they used to be */
export function readPackage(name: string, unpack: Unpack = unpackFromNpm): string {
  const form = Object.hasOwn(FORMS, name) ? FORMS[name] : undefined;
  if (!form) throw new Error(`No package with models is called ${name}. Known: ${KNOWN_PACKAGES.join(", ")}`);
  const folder = mkdtempSync(join(tmpdir(), "models-of-package-"));
  try {
    const root = unpack(name, folder);
    const files = globSync(form.files, { cwd: root }).sort();
    const models = files.flatMap((file) => form.models(JSON.parse(readFileSync(join(root, file), "utf8"))));
    if (models.length === 0) throw new Error(`${name} has no models in ${form.files} any more: look where they are`);
    return models.map((model) => `${JSON.stringify(model)}\n`).join("");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function unpackFromNpm(name: string, folder: string): string {
  const packed = execFileSync("npm", ["pack", name, "--silent", "--pack-destination", folder], { encoding: "utf8" });
  execFileSync("tar", ["xzf", join(folder, packed.trim()), "-C", folder]);
  return join(folder, "package");
}

function valuesOf(content: unknown): unknown[] {
  return isRecord(content) ? Object.values(content) : [];
}
