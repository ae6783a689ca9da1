import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { publishedName, renameImports, renamePackage, renamePage } from "../scripts/published-names.js";

describe("a scope", () => {
  it.each([
    [`import { Agent } from "pi-agent";`, `import { Agent } from "@acme/pi-agent";`],
    [`export*from"pi-ai/adapter"`, `export*from"@acme/pi-ai/adapter"`],
    [`import "pi-ai"; import('pi-ai/anthropic')`, `import "@acme/pi-ai"; import('@acme/pi-ai/anthropic')`],
    [`import "pi-inspect/register"`, `import "@acme/pi-inspect/register"`],
    [`require("pi-ai")`, `require("@acme/pi-ai")`],
    [`declare module "pi-agent" {`, `declare module "@acme/pi-agent" {`],
    ["// `streamProxy` of `pi-ai/proxy-server`", "// `streamProxy` of `@acme/pi-ai/proxy-server`"],
    ["// node --import pi-inspect/register app.js", "// node --import @acme/pi-inspect/register app.js"],
  ])("renames the code %s", (code, renamed) => {
    expect(renameImports(code, "@acme")).toBe(renamed);
  });

  it.each([
    `const agent = "pi-ai/0.1.0";`,
    `import x from "pi-aim";`,
    `import x from "./pi-ai";`,
    `{ vendor: "pi-agent" }`,
  ])("does not change the code %s", (code) => {
    expect(renameImports(code, "@acme")).toBe(code);
    expect(renamePage(`\`\`\`ts\n${code}\n\`\`\``, "@acme")).toBe(`\`\`\`ts\n${code}\n\`\`\``);
  });

  it.each([
    ["# pi-ai\n\nUse `pi-ai/route` of pi-ai.", "# @acme/pi-ai\n\nUse `@acme/pi-ai/route` of @acme/pi-ai."],
    ["    npm install pi-agent pi-ai", "    npm install @acme/pi-agent @acme/pi-ai"],
    ["    npx pi-inspect chat.jsonl", "    npx @acme/pi-inspect chat.jsonl"],
    [`{ "pi-ai": "file:./vendor/pi-ai-0.1.0.tgz" }`, `{ "@acme/pi-ai": "file:./vendor/acme-pi-ai-0.1.0.tgz" }`],
    ['```ts\nimport "pi-ai";\n```\n', '```ts\nimport "@acme/pi-ai";\n```\n'],
  ])("renames the page %s", (page, renamed) => {
    expect(renamePage(page, "@acme")).toBe(renamed);
  });

  it.each(["requests say `pi-ai/<version>`", "`@earendil-works/pi-ai`, `pi-agent-core`", "[a](../pi-ai/a.md)"])(
    "does not change the page %s",
    (page) => {
      expect(renamePage(page, "@acme")).toBe(page);
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

it("may give a package another name, with and without a scope", () => {
  const names = { "pi-ai": "acme-ai", "pi-agent": "pi-agent" };
  expect(["pi-ai", "pi-agent", "zod"].map((name) => publishedName(name, "", names))).toEqual([
    "acme-ai",
    "pi-agent",
    "zod",
  ]);
  expect(renameImports(`import "pi-ai/route"; import "pi-agent";`, "@x", names)).toBe(
    `import "@x/acme-ai/route"; import "@x/pi-agent";`,
  );
});
