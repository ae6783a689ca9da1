/** What the packages say about the code of others in them. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readInlined, toBillOfMaterials, toField } from "../../scripts/inlined.js";

const LICENCES = `@acme/sdk 1.2.0 (Apache-2.0)
tokens 3.0.0 (MIT)

The licence (of 2020) says 5.0 times (nothing).
--------------------------------------------------------------------------------

tokens 2.9.0 (MIT OR Apache-2.0)

Another text.
`;

it("are read from the files with licences, each version once", async () => {
  const folder = await mkdtemp(join(tmpdir(), "inlined-"));
  try {
    await mkdir(join(folder, "vendor"));
    await writeFile(join(folder, "vendor/a.LICENSE.txt"), LICENCES);
    await writeFile(join(folder, "b.LICENSE.txt"), "tokens 3.0.0 (MIT)\n\nText\n");
    const inlined = await readInlined(folder);
    expect(inlined).toEqual([
      { name: "@acme/sdk", version: "1.2.0", licence: "Apache-2.0" },
      { name: "tokens", version: "2.9.0", licence: "MIT OR Apache-2.0" },
      { name: "tokens", version: "3.0.0", licence: "MIT" },
    ]);
    expect(toField(inlined)).toEqual({ "@acme/sdk": "1.2.0", tokens: ["2.9.0", "3.0.0"] });
  } finally {
    await rm(folder, { recursive: true });
  }
});

it("stand in a bill of materials, under the published name", () => {
  const inlined = [
    { name: "@acme/sdk", version: "1.2.0", licence: "Apache-2.0" },
    { name: "tokens", version: "2.9.0", licence: "MIT OR Apache-2.0" },
  ];
  expect(toBillOfMaterials({ name: "@x/pi-ai", version: "0.1.0", license: "MIT" }, inlined)).toMatchObject({
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    metadata: { component: { group: "@x", name: "pi-ai", purl: "pkg:npm/%40x/pi-ai@0.1.0" } },
    components: [
      { group: "@acme", name: "sdk", purl: "pkg:npm/%40acme/sdk@1.2.0", licenses: [{ license: { id: "Apache-2.0" } }] },
      { name: "tokens", purl: "pkg:npm/tokens@2.9.0", licenses: [{ expression: "MIT OR Apache-2.0" }] },
    ],
    dependencies: [
      { ref: "pkg:npm/%40x/pi-ai@0.1.0", dependsOn: ["pkg:npm/%40acme/sdk@1.2.0", "pkg:npm/tokens@2.9.0"] },
      { ref: "pkg:npm/%40acme/sdk@1.2.0" },
      { ref: "pkg:npm/tokens@2.9.0" },
    ],
  });
});

it("contain what the build inlines of the direct dependencies", async () => {
  const manifest = JSON.parse(await readFile(join(import.meta.dirname, "../../packages/ai/package.json"), "utf8"));
  const { "oidc-provider": _, "@redis/client": __, ...bundled } = manifest.devDependencies;
  expect(manifest.inlinedDependencies).toMatchObject(bundled);
});
