import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, posix, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { listPages, packedLinks, repositoryFields } from "../scripts/published-links.js";
import { relocateSources } from "../scripts/source-maps.js";

const ROOT = resolve(import.meta.dirname, "..");
const REPOSITORY = "https://github.com/acme/pi";

const pages = new Set(["packages/ai/README.md", "packages/ai/SKILL.md", "docs/a.md", "docs/guides/b.md"]);
const FROM = { folder: "packages/ai", pages };

describe("the links of a packed page", () => {
  it.each([
    ["docs/a.md", "[b](guides/b.md#x)", "[b](guides/b.md#x)", "[b](guides/b.md#x)"],
    [
      "docs/guides/b.md",
      "[`pi-ai`](../../packages/ai#tools)",
      "[`pi-ai`](../../README.md#tools)",
      "[`pi-ai`](../../README.md#tools)",
    ],
    ["docs/a.md", "[other](other.md#x)", `[other](${REPOSITORY}/blob/HEAD/docs/other.md#x)`, "other"],
    ["docs/a.md", "![Run](images/r.webp)", `![Run](${REPOSITORY}/raw/HEAD/docs/images/r.webp)`, "Run"],
    ["packages/ai/SKILL.md", "[a](../../docs/a.md)", "[a](docs/a.md)", "[a](docs/a.md)"],
    ["packages/ai/README.md", "[a](../../docs/a.md)", `[a](${REPOSITORY}/blob/HEAD/docs/a.md)`, "[a](docs/a.md)"],
    [
      "packages/ai/README.md",
      "[`pi-agent`](../agent#proxy)",
      `[\`pi-agent\`](${REPOSITORY}/tree/HEAD/packages/agent#proxy)`,
      "`pi-agent`",
    ],
    ["docs/a.md", "[a](#a) [b](https://b.test)", "[a](#a) [b](https://b.test)", "[a](#a) [b](https://b.test)"],
    ["docs/a.md", "```ts\nx[0](../y)\n```", "```ts\nx[0](../y)\n```", "```ts\nx[0](../y)\n```"],
  ])("%s: %s", (path, text, known, unknown) => {
    expect(packedLinks(text, { ...FROM, path, repository: REPOSITORY })).toBe(known);
    expect(packedLinks(text, { ...FROM, path, repository: "" })).toBe(unknown);
  });

  it.each(["packages/ai", "packages/agent", "packages/inspect"])(
    "lead to pages of the package or out of it: %s",
    async (folder) => {
      const own = new Set(listPages(ROOT, folder));
      const places = new Set([...own].map((path) => path.replace(`${folder}/`, "")));
      expect(places.size).toBeGreaterThan(folder === "packages/inspect" ? 1 : 20);
      for (const path of own) {
        const text = await readFile(join(ROOT, path), "utf8");
        for (const repository of [REPOSITORY, ""]) {
          const packed = packedLinks(text, { path, folder, pages: own, repository }).replaceAll(/^```.*?^```$/gms, "");
          const links = [...packed.matchAll(/\]\(([^)\s#]+)[^)\s]*\)/g)].map(([, link = ""]) => link);
          const from = posix.dirname(path.replace(`${folder}/`, ""));
          const broken = links.filter((link) => !/^\w+:/.test(link) && !places.has(posix.join(from, link)));
          expect(broken, path).toEqual([]);
        }
      }
    },
  );

  it("leave no page to search for that nobody packs", () => {
    const packed = new Set(["packages/ai", "packages/agent"].flatMap((folder) => listPages(ROOT, folder)));
    const all = globSync("docs/**/*.md", { cwd: ROOT, exclude: ["docs/reference/**", "**/node_modules/**"] });
    expect(all.filter((page) => !packed.has(page)).sort()).toEqual([
      "docs/architecture.md",
      "docs/install.md",
      "docs/performance.md",
    ]);
    expect(listPages(ROOT, "packages/ai").every((page) => page.startsWith("packages/ai/") || packed.has(page))).toBe(
      true,
    );
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
