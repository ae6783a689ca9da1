import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { absoluteLinks, repositoryFields } from "../scripts/published-links.js";
import { relocateSources } from "../scripts/source-maps.js";

const ROOT = resolve(import.meta.dirname, "..");
const REPOSITORY = "https://github.com/acme/pi";

describe("the links of a packed README", () => {
  it.each([
    ["[docs/a.md](../../docs/a.md)", `[docs/a.md](${REPOSITORY}/blob/HEAD/docs/a.md)`, "docs/a.md"],
    ["[`pi-agent`](../agent#proxy)", `[\`pi-agent\`](${REPOSITORY}/tree/HEAD/packages/agent#proxy)`, "`pi-agent`"],
    ["[a](#a) [b](https://b.test)", "[a](#a) [b](https://b.test)", "[a](#a) [b](https://b.test)"],
    ["```ts\nx[0](../y)\n```", "```ts\nx[0](../y)\n```", "```ts\nx[0](../y)\n```"],
  ])("%s", (text, absolute, alone) => {
    expect(absoluteLinks(text, "packages/ai", REPOSITORY)).toBe(absolute);
    expect(absoluteLinks(text, "packages/ai", "")).toBe(alone);
  });

  it.each(["ai", "agent"])("are absolute or inside the package: pi-%s", async (name) => {
    const readme = await readFile(join(ROOT, "packages", name, "README.md"), "utf8");
    const linksOf = (text: string) =>
      [...text.replaceAll(/^```.*?^```$/gms, "").matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
    const packed = linksOf(absoluteLinks(readme, `packages/${name}`, REPOSITORY));
    expect(packed).toHaveLength(linksOf(readme).length);
    expect(packed.filter((link) => !/^(#|https:\/\/)/.test(link))).toEqual([]);
    const alone = linksOf(absoluteLinks(readme, `packages/${name}`, ""));
    expect(alone.filter((link) => !/^(#|https:\/\/)/.test(link))).toEqual([]);
  });
});

describe("the repository in a manifest", () => {
  it("is named for the package's folder", () => {
    expect(repositoryFields("packages/ai", REPOSITORY)).toEqual({
      repository: { type: "git", url: `git+${REPOSITORY}.git`, directory: "packages/ai" },
      homepage: `${REPOSITORY}/tree/HEAD/packages/ai#readme`,
      bugs: { url: `${REPOSITORY}/issues` },
    });
    expect(repositoryFields("packages/ai", "")).toEqual({});
  });

  it.each(["acme/pi", "http://github.com/acme/pi", `${REPOSITORY}.git`, `${REPOSITORY}/`])(
    "is rejected as %s",
    (text) => {
      expect(() => repositoryFields("packages/ai", text)).toThrow(
        `A repository looks like "https://github.com/acme/pi", not "${text}"`,
      );
    },
  );
});

describe("a source map", () => {
  const place = { path: "/build/ai/dist/b.js.map", dist: "/build/ai/dist", source: "/repository/packages/ai" };

  it("leads to src in the package, wherever the build was written", () => {
    const map = { sources: ["../../../repository/packages/ai/src/a/b.ts"], sourcesContent: ["text"] };
    expect(relocateSources(map, place)).toEqual({ sources: ["../src/a/b.ts"] });
    const deeper = { sources: ["../../../../repository/packages/ai/src/a/b.ts"] };
    expect(relocateSources(deeper, { ...place, path: "/build/ai/dist/a/b.d.ts.map" })).toEqual({
      sources: ["../../src/a/b.ts"],
    });
  });

  it("contains the text of another package's source", () => {
    const own = "../../../repository/packages/ai/src/a.ts";
    const foreign = "../../../repository/node_modules/.pnpm/parser@1/node_modules/parser/src/b.ts";
    expect(relocateSources({ sources: [own, foreign], sourcesContent: ["a", "b"] }, place)).toEqual({
      sources: ["../src/a.ts", "parser/src/b.ts"],
      sourcesContent: [null, "b"],
    });
  });

  it("must not lead out of the package's sources", () => {
    expect(() => relocateSources({ sources: ["../lib/x.ts"] }, { ...place, source: "/build/ai" })).toThrow(
      "/build/ai/dist/b.js.map leads out of the package's sources, to lib/x.ts",
    );
  });
});
