/** The bill of materials in each tarball is valid by the schema of CycloneDX 1.6, and names what the tarball contains. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readInlined, toField } from "../../scripts/inlined.js";
import { PACKAGE_NAMES, type PackageName, type PackedPackages, packPackages } from "../../scripts/pack-packages.js";
import { installPeers } from "../support/install-peers.js";

const ROOT = resolve(import.meta.dirname, "../..");
const { folder, without } = await installPeers("cyclonedx", {
  "@cyclonedx/cyclonedx-library": "10.3.0",
  ajv: "8.20.0",
});
/** In a process of its own, because the schema's validator belongs to the installed packages. */
const VALIDATE = `
  const { readFileSync } = require("node:fs");
  const Ajv = require("ajv");
  const read = (name) => JSON.parse(readFileSync("node_modules/@cyclonedx/cyclonedx-library/res/schema/" + name + ".SNAPSHOT.schema.json", "utf8"));
  const ajv = new Ajv({ strict: false, validateFormats: false });
  for (const name of ["spdx", "jsf-0.82", "cryptography-defs"])
    ajv.addSchema(read(name), "http://cyclonedx.org/schema/" + name + ".SNAPSHOT.schema.json");
  const validate = ajv.compile(read("bom-1.6"));
  const bill = JSON.parse(readFileSync(0, "utf8"));
  const isValid = validate(bill);
  const { bomFormat, ...broken } = bill;
  console.log(JSON.stringify({ isValid, errors: validate.errors, acceptsBroken: validate(broken) }));
`;

let base: string;
let packed: PackedPackages;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "sbom-"));
  packed = await packPackages(base, { scope: "@acme" });
});
afterAll(() => rm(base, { recursive: true, force: true }));

async function readPacked(name: PackageName, file: string): Promise<string> {
  const words = ["-xzOf", packed.tarballs[name], `package/${file}`];
  return (await promisify(execFile)("tar", words)).stdout;
}

it.skipIf(without).each(PACKAGE_NAMES)(`is valid: pi-%s${without}`, async (name) => {
  const running = promisify(execFile)(process.execPath, ["-e", VALIDATE], { cwd: folder });
  running.child.stdin?.end(await readPacked(name, "sbom.cdx.json"));
  const { stdout } = await running;
  expect(JSON.parse(stdout)).toMatchObject({ isValid: true, acceptsBroken: false });
});

it.each(PACKAGE_NAMES)("names what the tarball and the committed manifest name: pi-%s", async (name) => {
  const bill = JSON.parse(await readPacked(name, "sbom.cdx.json"));
  const { inlinedDependencies, version } = JSON.parse(await readPacked(name, "package.json"));
  const inlined = await readInlined(join(packed.folders[name], "dist"));
  expect(inlined.length).toBeGreaterThanOrEqual(name === "ai" ? 50 : 0);
  expect(bill.components.map(({ purl }: { purl: string }) => purl)).toEqual(
    inlined.map((one) => `pkg:npm/${one.name.replace("@", "%40")}@${one.version}`),
  );
  expect(bill.metadata.component).toMatchObject({ group: "@acme", name: `pi-${name}`, version });
  expect(inlinedDependencies).toEqual(toField(inlined));
  const committed = JSON.parse(await readFile(join(ROOT, "packages", name, "package.json"), "utf8"));
  expect(committed.inlinedDependencies, "run npm run build, and commit package.json").toEqual(inlinedDependencies);
});

it.each(PACKAGE_NAMES)("leaves out nothing whose source is in a map: pi-%s", async (name) => {
  const dist = join(packed.folders[name], "dist");
  const maps = (await readdir(dist, { recursive: true })).filter((file) => file.endsWith(".map"));
  const sources = await Promise.all(
    maps.map(async (file): Promise<string[]> => JSON.parse(await readFile(join(dist, file), "utf8")).sources),
  );
  const foreign = sources.flat().flatMap((source) => /^(?!\.)(@[^/]+\/[^/]+|[^/]+)/.exec(source)?.[1] ?? []);
  const named = (await readInlined(dist)).map((one) => one.name);
  expect([...new Set(foreign)].filter((one) => !named.includes(one))).toEqual([]);
});
