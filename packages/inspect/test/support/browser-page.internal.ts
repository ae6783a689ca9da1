/**
 * Opens the page in a real browser, with a store that the test fills. Screenshots go to `PI_SCREENSHOT_DIR`, by default
 * a temporary folder. Needs Debian's `chromium` package, or the path of a Chromium in `PI_CHROMIUM`.
 */
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as esbuild from "esbuild";
import { Agent, type AgentOptions } from "pi-agent";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from "vitest";
import { PATIENCE_MS } from "../../../../test/support/patience.js";
import { MODEL, type Step, scripted } from "../../../agent/test/scripted-stream.js";
import type { ForkOptions } from "../../src/live/run-launcher.js";
import { RunStore } from "../../src/record/run-store.js";
import { type Assets, type InspectServer, loadAssets, startServer } from "../../src/server/start-server.js";
import { watchAgent } from "./watch-agent.internal.js";

// biome-ignore-start lint/style/noProcessEnv: a test's own settings, not the library's.
const CHROMIUM = process.env["PI_CHROMIUM"] || "/usr/bin/chromium";
export const SCREENSHOTS: string = process.env["PI_SCREENSHOT_DIR"] || join(tmpdir(), "inspect-screenshots");
// biome-ignore-end lint/style/noProcessEnv: as above.
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];
const SOURCE = join(import.meta.dirname, "../../src/page");
export const SIZES = { phone: [390, 844], laptop: [1280, 800], large: [1920, 1080] } as const;
export const HOSTILE = `<img src=x onerror="document.title='hacked'"><script>document.title="hacked"</script>\u202Eabc`;
const PATIENCE = { timeout: PATIENCE_MS };

const found = existsSync(CHROMIUM);
if (!found)
  process.stderr.write(`SKIPPED: the tests of the inspector need a browser, and ${CHROMIUM} does not exist\n`);

type Polled<TValue> = ReturnType<typeof expect.poll<TValue>>;

/** Defines tests that each get a store, a server and a page of their own. */
export function describePage(name: string, define: (browser: BrowserPage) => void): void {
  const browser = new BrowserPage();
  describe.skipIf(!found)(`${name}, in Chromium${found ? "" : ` (skipped: ${CHROMIUM} does not exist)`}`, () => {
    beforeAll(() => browser.launch());
    beforeEach(() => browser.serve());
    afterEach(() => browser.leave());
    afterAll(() => browser.quit());
    define(browser);
  });
}

export class BrowserPage {
  readonly #stops: (() => void)[] = [];
  #base = "";
  #assets: Assets = new Map();
  context!: BrowserContext;
  store!: RunStore;
  server!: InspectServer;
  page!: Page;
  /** Errors of the page and of the console since {@link open}, such as thrown errors and blocked or missing files. */
  complaints: string[] = [];

  async launch(): Promise<void> {
    this.#base = await mkdtemp(join(tmpdir(), "inspect-page-"));
    await mkdir(SCREENSHOTS, { recursive: true });
    const folder = join(this.#base, "page");
    await cp(join(SOURCE, "assets/page"), folder, { recursive: true });
    const entryPoints = [join(SOURCE, "main.ts")];
    // Minified as in the package.
    await esbuild.build({ entryPoints, outfile: join(folder, "page.js"), bundle: true, format: "esm", minify: true });
    this.#assets = await loadAssets(pathToFileURL(`${folder}/`));
    this.context = await chromium.launchPersistentContext(join(this.#base, "profile"), {
      executablePath: CHROMIUM,
      args: FLAGS,
      timeout: PATIENCE_MS,
    });
  }

  async serve(store: RunStore = new RunStore()): Promise<void> {
    this.store = store;
    this.server = await startServer({ store, assets: this.#assets });
  }

  async leave(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    await this.page?.close();
    await this.server.close();
  }

  async quit(): Promise<void> {
    await this.context?.close();
    await rm(this.#base, { recursive: true, force: true });
  }

  async open(hash = "", size: readonly [number, number] = SIZES.laptop): Promise<Page> {
    const page = await this.context.newPage();
    this.page = page;
    page.setDefaultTimeout(PATIENCE.timeout);
    await page.setViewportSize({ width: size[0], height: size[1] });
    this.complaints = [];
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") this.complaints.push(message.text());
    });
    await page.goto(`${this.server.url}${hash}`);
    return page;
  }

  /** Creates an agent whose model responds with these steps, and watches it. */
  watched(script: Step[], options: AgentOptions & ForkOptions = {}): Agent {
    const steps = script.map((step) => (typeof step === "function" ? step : { ...step, timestamp: Date.now() }));
    const { initialState, models, runTools, ...rest } = options;
    const { streamFn } = scripted(...steps);
    const agent = new Agent({ initialState: { model: MODEL, ...initialState }, streamFn, ...rest });
    const forks = { ...(models && { models }), ...(runTools && { runTools }) };
    this.#stops.push(watchAgent(agent, this.store, forks));
    return agent;
  }

  textOf(selector: string): Polled<string[]> {
    return expect.poll(() => this.page.locator(selector).allInnerTexts(), PATIENCE);
  }

  countOf(selector: string): Polled<number> {
    return expect.poll(() => this.page.locator(selector).count(), PATIENCE);
  }

  /** Takes a picture in each size, light and dark, and checks that the page is not larger than the window. */
  async photograph(name: string): Promise<void> {
    for (const [size, [width, height]] of Object.entries(SIZES)) {
      await this.page.setViewportSize({ width, height });
      for (const colorScheme of ["light", "dark"] as const) {
        await this.page.emulateMedia({ colorScheme });
        await this.settle();
        await this.page.screenshot({ path: join(SCREENSHOTS, `${name}-${size}-${colorScheme}.png`) });
      }
      const extent = await this.page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]",
      );
      expect(extent).toEqual([width, height]);
    }
    await this.page.setViewportSize({ width: SIZES.laptop[0], height: SIZES.laptop[1] });
    await this.page.emulateMedia({ colorScheme: "light" });
  }

  /** Waits until the lists have observed their new size and drawn their rows. */
  async settle(): Promise<void> {
    const frames = "requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))";
    await this.page.evaluate(`new Promise((done) => ${frames})`);
  }
}
