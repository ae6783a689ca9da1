/**
 * Builds the site of the documentation and opens each of its pages in Chromium, as on a phone and on a desk. Needs Debian's
 * `chromium` package, or `PI_CHROMIUM`, and what `site/package-lock.json` names. `PI_SCREENSHOT_DIR` gets pictures of some pages.
 */
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Browser, chromium, type Locator, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildSite } from "../site/build-site.js";
import { installFolder } from "../site/install.js";
import { type FolderServer, serveFolder } from "../site/serve-folder.js";
import { findBrokenLinks, findBrokenMarkdown, listPages } from "./site/built-links.js";
import { startVisits } from "./site/page-checks.js";
import { PATIENCE_MS } from "./support/patience.js";

// biome-ignore-start lint/style/noProcessEnv: a test's own settings, not the library's.
const CHROMIUM = process.env["PI_CHROMIUM"] || "/usr/bin/chromium";
const SCREENSHOTS = process.env["PI_SCREENSHOT_DIR"];
// biome-ignore-end lint/style/noProcessEnv: as above.
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 900 };
/** Not the root, because a site often has none of its own. */
const BASE = "/pi/";
/** Milliseconds. The pages are many, and some of them long. */
const WALK_MS = PATIENCE_MS * 20;

async function findReason(): Promise<string> {
  if (!existsSync(CHROMIUM)) return ` (skipped: there is no browser at ${CHROMIUM})`;
  return installFolder(resolve(import.meta.dirname, "../site")).then(
    () => "",
    () => " (skipped: VitePress could not be installed)",
  );
}
const WITHOUT = await findReason();

describe.skipIf(WITHOUT)(`the site${WITHOUT}`, { timeout: WALK_MS }, () => {
  let folder: string;
  let server: FolderServer;
  let browser: Browser;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "site-"));
    await buildSite({ base: BASE, repository: "", out: folder, log: () => {} });
    server = await serveFolder(folder, BASE);
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  }, WALK_MS);
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  async function withPage<T>(viewport: { width: number; height: number }, use: (page: Page) => Promise<T>): Promise<T> {
    const context = await browser.newContext({ viewport, reducedMotion: "reduce" });
    try {
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      return await use(page);
    } finally {
      await context.close();
    }
  }

  it("has every page, and no link that leads nowhere", () => {
    expect(listPages(folder).length).toBeGreaterThan(140);
    expect(findBrokenLinks({ folder, base: BASE })).toEqual([]);
  });

  it("has each page as Markdown, too, whose links hold there", () => {
    expect(findBrokenMarkdown(folder)).toEqual([]);
  });

  it.each([DESK, PHONE])("has no page with an error, a sideways scroll or faint colours at %o", async (viewport) => {
    const wrong: Record<string, string[]> = {};
    await withPage(viewport, async (page) => {
      const { visit } = await startVisits(page, server.url);
      for (const path of listPages(folder)) {
        const problems = await visit(path);
        if (problems.length > 0) wrong[path] = problems;
      }
    });
    expect(wrong).toEqual({});
  });

  it.each([DESK, PHONE])("finds a word at %o", async (viewport) => {
    await withPage(viewport, async (page) => {
      const { look } = await startVisits(page, server.url);
      const search = async (): Promise<Locator> => {
        await page.goto(server.url);
        await page.getByRole("button", { name: /search/i }).click();
        await page.getByRole("searchbox").fill("thinkingBackIn");
        const result = page.locator(".result", { hasText: "groq" }).first();
        await result.waitFor();
        return result;
      };
      await (await search()).click();
      await page.waitForURL("**/providers/groq.html*");
      await page.getByRole("heading", { name: "groq", level: 1 }).waitFor();
      await search();
      expect(await look()).toEqual([]);
    });
  });

  it("opens the list of pages on a phone, and the Markdown of a page", async () => {
    await withPage(PHONE, async (page) => {
      const { look } = await startVisits(page, server.url);
      await page.goto(`${server.url}guides/hono.html`);
      await page.getByRole("button", { name: "Menu" }).click();
      await page.locator(".VPSidebar.open").getByText("Migrate").first().waitFor();
      expect(await look()).toEqual([]);
      await page.goto(`${server.url}guides/hono.html`);
      await page.getByRole("link", { name: "This page as Markdown" }).click();
      await page.waitForURL("**/guides/hono.md");
    });
  });

  it.skipIf(!SCREENSHOTS)(
    `takes pictures${SCREENSHOTS ? "" : " (skipped: PI_SCREENSHOT_DIR is not set)"}`,
    async () => {
      const paths = ["index", "agent", "guides/hono", "providers/index", "providers/anthropic"];
      paths.push("reference/pi-ai", "performance", "migration");
      for (const viewport of [DESK, PHONE])
        for (const colorScheme of ["light", "dark"] as const)
          await withPage(viewport, async (page) => {
            await page.emulateMedia({ colorScheme });
            for (const path of paths) {
              await page.goto(`${server.url}${path}.html`);
              const name = `${path.replaceAll("/", "-")}-${viewport.width}-${colorScheme}.png`;
              await page.screenshot({ path: join(SCREENSHOTS ?? "", name) });
            }
          });
    },
  );
});
