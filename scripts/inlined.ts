/**
 * Says what of others a built package contains: `inlinedDependencies` of its package.json, by the convention of e18e and tsdown
 * (github.com/e18e/ecosystem-issues/issues/237, 2026-02-28), and a bill of materials, `sbom.cdx.json`, as CycloneDX 1.6. Both are read from the files
 * with licences, which the bundlers write from what is in their output.
 */
import { globSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A package whose code is in a bundle. */
export interface InlinedPackage {
  name: string;
  version: string;
  /** An SPDX identifier. */
  licence: string;
}

const OWNER = /^((?:@[\w.-]+\/)?[\w.-]+) (\d[\w.+-]*) \((.+)\)$/gm;

/** The packages in the bundles of a folder, each version once, by name and version. */
export async function readInlined(dist: string): Promise<InlinedPackage[]> {
  const texts = await Promise.all(
    globSync("**/*.LICENSE.txt", { cwd: dist }).map((file) => readFile(join(dist, file), "utf8")),
  );
  const found = new Map<string, InlinedPackage>();
  for (const [, name = "", version = "", licence = ""] of texts.flatMap((text) => [...text.matchAll(OWNER)]))
    found.set(`${name}@${version}`, { name, version, licence });
  return [...found].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, inlined]) => inlined);
}

/** The names with their version, or a list of them where there are several. */
export function toField(inlined: readonly InlinedPackage[]): Record<string, string | string[]> {
  const versions = Map.groupBy(inlined, ({ name }) => name);
  return Object.fromEntries(
    Array.from(versions, ([name, all]) => [name, all[1] ? all.map(({ version }) => version) : (all[0]?.version ?? "")]),
  );
}

interface Manifest {
  name: string;
  version: string;
  license: string;
}

/** A bill of materials: the package, and what it contains. */
export function toBillOfMaterials(manifest: Manifest, inlined: readonly InlinedPackage[]): object {
  const { name, version, license } = manifest;
  const own = component({ name, version, licence: license });
  const components = inlined.map(component);
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { lifecycles: [{ phase: "build" }], component: own },
    components,
    dependencies: [
      { ref: own["bom-ref"], dependsOn: components.map((one) => one["bom-ref"]) },
      ...components.map((one) => ({ ref: one["bom-ref"] })),
    ],
  };
}

function component({ name, version, licence }: InlinedPackage): Record<string, unknown> {
  const [, group, bare = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? [];
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const licences = [/ (?:AND|OR|WITH) /.test(licence) ? { expression: licence } : { license: { id: licence } }];
  return { type: "library", "bom-ref": purl, ...(group && { group }), name: bare, version, purl, licenses: licences };
}

/** Writes the field of a package's manifest, from the bundles in its `dist`. */
export async function writeField(folder: string): Promise<void> {
  const file = join(folder, "package.json");
  const text = await readFile(file, "utf8");
  const manifest = { ...JSON.parse(text), inlinedDependencies: toField(await readInlined(join(folder, "dist"))) };
  const changed = `${JSON.stringify(manifest, undefined, 2)}\n`;
  if (changed !== text) await writeFile(file, changed);
}

/** Writes the bill of materials of a package under the name in its manifest. */
export async function writeBillOfMaterials(folder: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const bill = toBillOfMaterials(manifest, await readInlined(join(folder, "dist")));
  await writeFile(join(folder, "sbom.cdx.json"), `${JSON.stringify(bill, undefined, 2)}\n`);
}

if (import.meta.main) await writeField(process.cwd());
