import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { renameImports, renamePackage } from "../scripts/published-names.js";

describe("a scope", () => {
  it.each([
    [`import { Agent } from "pi-agent";`, `import { Agent } from "@acme/pi-agent";`],
    [`export*from"pi-ai/adapter"`, `export*from"@acme/pi-ai/adapter"`],
    [`import "pi-ai"; import('pi-ai/anthropic')`, `import "@acme/pi-ai"; import('@acme/pi-ai/anthropic')`],
    [`import "pi-inspect/register"`, `import "@acme/pi-inspect/register"`],
    [`require("pi-ai")`, `require("@acme/pi-ai")`],
    ["    npm install pi-agent pi-ai", "    npm install @acme/pi-agent @acme/pi-ai"],
  ])("renames %s", (text, renamed) => {
    expect(renameImports(text, "@acme")).toBe(renamed);
  });

  it.each([`const agent = "pi-ai/0.1.0";`, `import x from "pi-aim";`, `import x from "./pi-ai";`])(
    "does not change %s",
    (text) => {
      expect(renameImports(text, "@acme")).toBe(text);
    },
  );

  it("renames the package and its dependencies in the manifest", async () => {
    const folder = await mkdtemp(join(tmpdir(), "names-"));
    try {
      const manifest = { name: "pi-agent", dependencies: { "pi-ai": "0.1.0", other: "1" } };
      await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
      await expect(renamePackage(folder, "acme")).rejects.toThrow('A scope looks like "@name", not "acme"');
      await renamePackage(folder, "@acme");
      expect(JSON.parse(await readFile(join(folder, "package.json"), "utf8"))).toEqual({
        name: "@acme/pi-agent",
        dependencies: { "@acme/pi-ai": "0.1.0", other: "1" },
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
