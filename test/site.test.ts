/** The site of the documentation: each page has its place in the list, and its links hold there. `site.full.test.ts` opens the pages. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { buildSite } from "../site/build-site.js";
import { relink } from "../site/links.js";
import { listProviders, writeProviderPage } from "../site/provider-page.js";
import { listQuirks, sourceOf } from "../site/provider-quirks.js";
import { arrange, SECTIONS } from "../site/sections.js";
import { serveFolder } from "../site/serve-folder.js";
import { GENERATED, listMarkdown, placeOf } from "../site/sources.js";
import { linkProviders, titleOf } from "../site/stage.js";

const ROOT = resolve(import.meta.dirname, "..");
const sources = listMarkdown();

describe("the sections of the site", () => {
  it("know every page of docs/", () => {
    const pages = ["docs", "docs/guides"].flatMap((folder) =>
      readdirSync(join(ROOT, folder))
        .filter((name) => name.endsWith(".md"))
        .map((name) => `${folder}/${name}`),
    );
    expect(pages.length).toBeGreaterThan(40);
    expect(pages.filter((page) => !sources.includes(page))).toEqual([]);
    // Rows of pages that are made by the build find none here.
    const { problems } = arrange(sources);
    expect(problems.filter((problem) => !problem.startsWith(GENERATED))).toEqual([]);
  });

  it("list each page once", () => {
    const listed = arrange(sources).sections.flatMap(({ groups }) => [...groups.values()].flat());
    expect(listed.toSorted()).toEqual(sources.toSorted());
    expect(new Set(sources.map(placeOf)).size).toBe(sources.length);
  });

  it("name a page that no row finds, and a required row that finds no page", () => {
    const sections = [
      { title: "A", question: "?", rows: [{ pages: "docs/*.md" }, { pages: "docs/b/*.md", required: true as const }] },
    ];
    expect(arrange(["docs/a.md", "docs/c/d.md"], sections).problems).toEqual([
      "docs/c/d.md has no row in site/sections.ts",
      "docs/b/*.md of site/sections.ts finds no page",
    ]);
  });

  it("give a page to the row with its name, wherever a pattern finds it, too", () => {
    const sections = [
      { title: "A", question: "?", rows: [{ pages: "docs/*.md", group: "all" }] },
      { title: "B", question: "?", rows: [{ pages: "docs/b.md" }] },
    ];
    const found = arrange(["docs/a.md", "docs/b.md"], sections).sections.map(({ groups }) => [...groups]);
    expect(found).toEqual([[["all", ["docs/a.md"]]], [["", ["docs/b.md"]]]]);
  });

  it("have one title each", () => {
    expect(new Set(SECTIONS.map(({ title }) => title)).size).toBe(SECTIONS.length);
  });
});

describe("a link", () => {
  const site = {
    sources: new Set(["README.md", "docs/agent.md", "docs/guides/README.md", "packages/ai/README.md"]),
    repository: "",
  };
  const REPOSITORY = "https://github.com/acme/pi";

  it.each([
    ["docs/guides/hono.md", "[a](../agent.md#tools)", "[a](../agent.md#tools)"],
    ["docs/guides/hono.md", "[a](../../packages/ai#b)", "[a](../pi-ai.md#b)"],
    ["README.md", "[`a`](docs/agent.md) [b](docs/guides)", "[`a`](./agent.md) [b](./guides/index.md)"],
    ["docs/agent.md", "[a](https://b.test) [c](#c) `[d](../e)`", "[a](https://b.test) [c](#c) `[d](../e)`"],
    ["docs/agent.md", "```ts\nx[0](../y)\n```\n[a](../README.md)", "```ts\nx[0](../y)\n```\n[a](./index.md)"],
  ])("of %s to a page leads to its place: %s", (source, text, expected) => {
    expect(relink(text, source, site)).toEqual({ text: expected, pictures: [] });
  });

  it("to a file that is no page leads to the repository, or is only its words", () => {
    const text = "[`a`](../scripts/task.ts) [b](../test/mcp)";
    expect(relink(text, "docs/agent.md", site).text).toBe("`a` b");
    expect(relink(text, "docs/agent.md", { ...site, repository: REPOSITORY }).text).toBe(
      `[\`a\`](${REPOSITORY}/blob/HEAD/scripts/task.ts) [b](${REPOSITORY}/tree/HEAD/test/mcp)`,
    );
  });

  it("to a picture keeps it beside the pages, also where the picture is a link", () => {
    const picture = "docs/images/inspect-run.webp";
    expect(relink(`[![A run](${picture})](docs/agent.md)`, "README.md", site)).toEqual({
      text: "[![A run](./images/inspect-run.webp)](./agent.md)",
      pictures: [picture],
    });
  });
});

/** The data of the catalogue. The pages are made from the sources, also where the tests run on installed packages. */
function getModels(provider: string): Parameters<typeof listQuirks>[0][number][] {
  const lines = readFileSync(join(ROOT, "packages/ai/data/models.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => ({ baseUrl: "", ...JSON.parse(line) })).filter((model) => model.provider === provider);
}

describe("the page of a provider", () => {
  it("says from when other prices apply", async () => {
    vi.useFakeTimers({ now: Date.parse("2026-11-28"), toFake: ["Date"] });
    const page = await writeProviderPage("google").finally(() => vi.useRealTimers());
    const changes = getModels("google").flatMap(({ id, cost }) =>
      (cost.changes ?? []).map(({ from }) => ({ id, from })),
    );
    const later = changes.filter(({ from }) => from > "2026-11-28");
    expect(later.length).toBeGreaterThan(0);
    for (const { id, from } of later) expect(page).toContain(`| \`${id}\` | ${from} |`);
  });

  it("says what the tables of the library say", async () => {
    const page = await writeProviderPage("deepseek");
    expect(page).toMatch(/^# deepseek\n/);
    expect(page).toContain("The key comes from `DEEPSEEK_API_KEY`, or from the option `apiKey`");
    expect(page).toContain("| `openai-completions` | `https://api.deepseek.com` |");
    for (const { id, cost } of getModels("deepseek")) {
      expect(page).toContain(`| \`${id}\` | ${cost.input} | ${cost.output} | ${cost.cacheRead} |`);
      expect(page).toContain(id);
    }
    expect(page).toContain("| `reasoning` | sent |\n| `thinkingBudgets` | omitted |");
    expect(page).toContain(
      '| `maxTokensField` | `"max_tokens"` | all | The field that limits the length of the response. |',
    );
  });

  it("has links that lead to pages", async () => {
    const source = `${GENERATED}providers/azure.md`;
    const text = await writeProviderPage("azure");
    const linked = relink(text, source, { sources: new Set(sources), repository: "" }).text;
    expect(linked).toContain("[Keys, resources and deployments](../guides/azure.md)");
    expect(linked.match(/\]\(/g)).toHaveLength(text.match(/\]\(/g)?.length ?? 0);
  });

  it.each(listProviders())("names the sources of what is known about %s, with their date", (provider) => {
    expect(sourceOf(provider)).toMatch(/, 20\d\d-\d\d/);
  });

  it("is reached from the table of all providers", () => {
    const text = linkProviders(readFileSync(join(ROOT, "docs/providers.md"), "utf8"), listProviders());
    const pages = listProviders().map((provider) => `${GENERATED}providers/${provider}.md`);
    const linked = relink(text, "docs/providers.md", { sources: new Set([...sources, ...pages]), repository: "" }).text;
    for (const provider of listProviders()) expect(linked).toContain(`\n| [\`${provider}\`](./${provider}.md) |`);
  });

  it("tells quirks of the host, not of the model", () => {
    const quirksOf = (provider: string, api: string): string[] =>
      listQuirks(
        getModels(provider).filter((model) => model.api === api),
        api,
      ).map(({ flag }) => flag);
    expect(quirksOf("groq", "openai-completions")).toContain("thinkingBackIn");
    // Claude signs its thinking wherever it runs.
    expect(quirksOf("anthropic", "anthropic-messages")).toContain("supportsBlockBinding");
    expect(quirksOf("anthropic", "anthropic-messages")).not.toContain("signsThinking");
  });
});

describe("the build of the site", () => {
  it("takes the title of a page from its heading", () => {
    expect(titleOf("<!-- a -->\n# `pi-ai/sse` and [b](c.md)\n")).toBe("pi-ai/sse and b");
  });

  it.each(["pi", "/pi", "/a/../b/", "//host/"])("refuses the base %s", async (base) => {
    const built = buildSite({ base, repository: "", out: "unused", log: () => {} });
    await expect(built).rejects.toThrow(`A base looks like "/pi/", not ${JSON.stringify(base)}`);
  });
});

describe("the server of the built site", () => {
  it("serves the files below its base only", async () => {
    const server = await serveFolder(join(ROOT, "docs"), "/base/");
    try {
      const get = async (path: string): Promise<number> => (await fetch(new URL(path, server.url))).status;
      expect(
        await Promise.all(["agent.md", "/agent.md", "%2e%2e%2fpackage.json", "%zz", "%00", "guides"].map(get)),
      ).toEqual([200, 404, 404, 404, 404, 404]);
    } finally {
      await server.close();
    }
  });
});
