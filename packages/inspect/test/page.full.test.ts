/**
 * Tests the page in a real browser over scripted runs. Screenshots go to `PI_SCREENSHOT_DIR`, else to a temporary folder.
 * Needs Debian's `chromium` package, or `PI_CHROMIUM`.
 */
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as esbuild from "esbuild";
import { Agent, type AgentOptions } from "pi-agent";
import { AssistantMessageEventStream } from "pi-ai";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PATIENCE_MS } from "../../../test/support/patience.js";
import { calls, eventsOf, MODEL, type Step, scripted, text } from "../../agent/test/scripted-stream.js";
import { result, tool } from "../../agent/test/scripted-tool.js";
import { watchAgent } from "../src/live/watch-agent.js";
import { Conversation } from "../src/record/conversation.js";
import { Run } from "../src/record/run.js";
import { RunStore } from "../src/record/run-store.js";
import { type Assets, loadAssets } from "../src/server/assets.js";
import { type InspectServer, startServer } from "../src/server/start-server.js";

// biome-ignore-start lint/style/noProcessEnv: a test's own settings, not the library's.
const CHROMIUM = process.env["PI_CHROMIUM"] || "/usr/bin/chromium";
const SCREENSHOTS = process.env["PI_SCREENSHOT_DIR"] || join(tmpdir(), "inspect-screenshots");
// biome-ignore-end lint/style/noProcessEnv: as above.
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];
const SOURCE = join(import.meta.dirname, "../src/page");
const SIZES = { wide: [1400, 800], medium: [900, 700], phone: [360, 640] } as const;
const HOSTILE = `<img src=x onerror="document.title='hacked'"><script>document.title="hacked"</script>\u202Eabc`;
const PATIENCE = { timeout: PATIENCE_MS };

let base: string;
let assets: Assets;
let context: BrowserContext;
let store: RunStore;
let server: InspectServer;
let page: Page;
let complaints: string[];

const found = existsSync(CHROMIUM);
if (!found)
  process.stderr.write(`SKIPPED: the tests of the inspector need a browser, and ${CHROMIUM} does not exist\n`);

/** An agent that is watched, with these steps. */
function watched(script: Step[], options: AgentOptions = {}): Agent {
  const steps = script.map((step) => (typeof step === "function" ? step : { ...step, timestamp: Date.now() }));
  const { initialState, ...rest } = options;
  const agent = new Agent({
    initialState: { model: MODEL, ...initialState },
    streamFn: scripted(...steps).streamFn,
    ...rest,
  });
  watchAgent(agent, store);
  return agent;
}

async function open(hash = "", size: readonly [number, number] = SIZES.wide): Promise<void> {
  page = await context.newPage();
  page.setDefaultTimeout(PATIENCE.timeout);
  await page.setViewportSize({ width: size[0], height: size[1] });
  complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  await page.goto(`${server.url}${hash}`);
}

const textOf = (selector: string) => expect.poll(() => page.locator(selector).allInnerTexts(), PATIENCE);
const countOf = (selector: string) => expect.poll(() => page.locator(selector).count(), PATIENCE);

async function photograph(name: string): Promise<void> {
  for (const [size, [width, height]] of Object.entries(SIZES)) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: size === "medium" ? "dark" : "light" });
    // Two frames: one in which the lists notice their size, and one in which they draw.
    await page.evaluate(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))",
    );
    await page.screenshot({ path: join(SCREENSHOTS, `${name}-${size}.png`) });
    expect(
      await page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"),
    ).toEqual([width, height]);
  }
  await page.setViewportSize({ width: SIZES.wide[0], height: SIZES.wide[1] });
}

describe.skipIf(!found)(`the page in Chromium${found ? "" : ` (skipped: ${CHROMIUM} does not exist)`}`, () => {
  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), "inspect-page-"));
    await mkdir(SCREENSHOTS, { recursive: true });
    await cp(join(SOURCE, "assets/page"), join(base, "page"), { recursive: true });
    await esbuild.build({
      entryPoints: [join(SOURCE, "main.ts")],
      outfile: join(base, "page/page.js"),
      bundle: true,
      format: "esm",
    });
    assets = await loadAssets(pathToFileURL(`${join(base, "page")}/`));
    context = await chromium.launchPersistentContext(join(base, "profile"), {
      executablePath: CHROMIUM,
      args: FLAGS,
      timeout: PATIENCE_MS,
    });
  });
  beforeEach(async () => {
    store = new RunStore();
    server = await startServer({ store, assets });
  });
  afterEach(async () => {
    await page.close();
    await server.close();
  });
  afterAll(async () => {
    await context?.close();
    await rm(base, { recursive: true, force: true });
  });

  it("grows while a response streams, and survives a reload", async () => {
    const stream = new AssistantMessageEventStream();
    const events = eventsOf(text("Hello from the model"));
    const agent = watched([() => stream]);
    await open();
    const done = agent.prompt("Say hello");
    await textOf(".run-title").toEqual(["Say hello"]);
    await page.locator(".run").click();
    await textOf(".entry .title").toEqual(["Say hello"]);
    for (const event of events.slice(0, 1)) stream.push(event);
    await page.locator(".entry.request").click();
    for (const event of events.slice(1, -1)) stream.push(event);
    await textOf(".entry.request .title").toEqual(["Hello from the model"]);
    await textOf(".details pre").toContain("Hello from the model");
    expect(await page.locator(".entry.request.running").count()).toBe(1);
    await page.reload();
    await textOf(".details pre").toContain("Hello from the model");
    for (const event of events.slice(-1)) stream.push(event);
    await done;
    await countOf(".entry.request.done").toBe(1);
    await textOf(".details caption").toEqual(["Usage"]);
    expect(complaints).toEqual([]);
  });

  it("shows parallel tools at work, their results, and an aborted run", async () => {
    const slow = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const tools = [
      tool("a", async () => {
        await slow.promise;
        return result("result of a");
      }),
      tool("b", (_id, _args, signal) => {
        started.resolve();
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("stopped"))));
      }),
    ];
    const agent = watched([calls("a", "b")], { initialState: { tools } });
    await open();
    const done = agent.prompt("Use both");
    await started.promise;
    await page.locator(".run").click();
    await countOf(".entry.tool.running").toBe(2);
    slow.resolve();
    await countOf(".entry.tool.done").toBe(1);
    await countOf(".entry.tool.running").toBe(1);
    agent.abort();
    await done;
    await countOf(".entry.tool.error").toBe(1);
    await countOf(".run.running").toBe(0);
    await page.locator(".entry.tool.done").click();
    await textOf(".details pre").toContain("result of a");
    await photograph("tools");
    expect(complaints).toEqual([]);
  });

  it("shows hostile text as text, everywhere", async () => {
    const tools = [tool("a", async () => result(HOSTILE))];
    const agent = watched([calls("a"), text(HOSTILE)], { initialState: { tools, systemPrompt: HOSTILE } });
    await agent.prompt(HOSTILE);
    const id = store.runs[0]?.summary.id;
    await open(`#/${id}/3`);
    await textOf(".details h2").toEqual(["Request 2"]);
    await page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true");
    await countOf("pre").toBeGreaterThan(4);
    expect(await page.locator("img, script:not([src])").count()).toBe(0);
    await page.getByRole("button", { name: "Copy as test" }).click();
    await textOf(".details h3").toEqual(["run.test.ts", "run.json"]);
    expect(await page.title()).toBe("pi-inspect");
    expect(complaints).toEqual([]);
  });

  it("is used by keyboard, searches in details, and has an address for every view", async () => {
    const agent = watched([text("needle in the middle".padStart(400, ". ")), text("Second")]);
    await agent.prompt("First prompt");
    await agent.prompt("Second prompt");
    await open();
    await countOf(".run").toBe(2);
    await page.getByRole("listbox", { name: "runs" }).focus();
    await page.keyboard.press("End");
    await textOf(".entry .title").toContain("First prompt");
    await page.keyboard.press("/");
    await page.keyboard.type("needle");
    await textOf(".toolbar .facts").toEqual(["1 of 2"]);
    await countOf(".entry").toBe(1);
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await textOf(".details h2").toEqual(["Request 1"]);
    const { hash } = new URL(page.url());
    expect(hash).toMatch(/^#\/\d+\/1\?q=needle$/);
    await page.goBack();
    await page.close();
    await open(hash);
    await textOf(".details h2").toEqual(["Request 1"]);
    await page.getByRole("button", { name: "Charts" }).click();
    await countOf(".charts svg rect").toBeGreaterThan(1);
    expect(complaints).toEqual([]);
  });

  it("says that the server is gone, and keeps what it has loaded", async () => {
    await watched([text("Hello")]).prompt("Hi");
    await open(`#/${store.runs[0]?.summary.id}/1`);
    await textOf(".details pre").toContain("Hello");
    await server.close();
    await textOf(".status").toEqual([expect.stringContaining("The server is gone.")]);
    await textOf(".entry .title").toEqual(["Hi", "Hello"]);
  });

  it("shows a run of 10,000 turns within a bound of memory and of elements", async () => {
    const run = new Run({ id: "long", title: "Long", source: "long.jsonl", model: "m", startedAt: 0 });
    const conversation = new Conversation();
    conversation.beginRun(run);
    const usage = { input: 100, output: 50, cacheRead: 900, cacheWrite: 0, cost: { total: 0.001 } };
    for (let turn = 0; turn < 10_000; turn++) {
      const timestamp = turn * 1000;
      const content = [{ type: "toolCall", id: `${turn}`, name: "look", arguments: { turn, why: "x".repeat(500) } }];
      conversation.add(
        {
          role: "assistant",
          model: "m",
          content,
          usage: { ...usage, output: 50 + (turn % 40) },
          stopReason: "toolUse",
          timestamp,
        },
        timestamp + 400,
      );
      const text = `Result ${turn} ${"y".repeat(500)}`;
      conversation.add({
        role: "toolResult",
        toolCallId: `${turn}`,
        toolName: "look",
        content: [{ type: "text", text }],
        timestamp: timestamp + 900,
        durationMs: 400,
      });
    }
    run.finish("done", 10_000_000);
    store.add(run);
    await open("#/long/19999");
    await textOf(".details pre").toContain(`Result 9999 ${"y".repeat(500)}`);
    await countOf(".entry[aria-selected=true]").toBe(1);
    expect(await page.locator("*").count()).toBeLessThan(1500);
    await page.getByRole("button", { name: "Charts" }).click();
    await countOf(".charts svg rect").toBe(5 * 600);
    await photograph("long");
    const session = await context.newCDPSession(page);
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    // The details of the run have 20 MB.
    expect(usedSize).toBeLessThan(16_000_000);
    expect(complaints).toEqual([]);
  });
});
