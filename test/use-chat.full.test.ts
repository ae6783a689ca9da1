/** Drives the page of examples/use-chat in a real browser. Needs Debian's `chromium` package, or `PI_CHROMIUM`. */
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { printSpans } from "../examples/use-chat/src/agent.js";
import { startServer } from "../examples/use-chat/src/server.js";
import { createFauxModel } from "../examples/web-chat/src/faux-model.js";
import { PATIENCE_MS } from "./support/patience.js";
import { type HeldModel, holdModel } from "./web-chat/held-model.js";

// biome-ignore lint/style/noProcessEnv: a test's own setting, not the library's.
const CHROMIUM = process.env["PI_CHROMIUM"] || "/usr/bin/chromium";
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];
const WITHOUT = existsSync(CHROMIUM) ? "" : ` (skipped: there is no browser at ${CHROMIUM})`;
const PATIENCE = { timeout: PATIENCE_MS };

describe.skipIf(WITHOUT)(`a page with useChat${WITHOUT}`, { timeout: PATIENCE_MS * 2 }, () => {
  let browser: Browser;
  let held: HeldModel;
  let server: Awaited<ReturnType<typeof startServer>>;
  let page: Page;
  let folder: string;
  let paid: number[];
  const start = (port = 0) =>
    startServer({ model: held.model, roll: () => 4, port, folder, onPay: (euros) => paid.push(euros) });
  const spans: string[] = [];
  const stopPrinting = printSpans((line) => spans.push(line));

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  }, PATIENCE_MS);
  afterAll(async () => {
    stopPrinting();
    await browser?.close();
  }, PATIENCE_MS);
  beforeEach(async () => {
    held = holdModel(createFauxModel(Number.POSITIVE_INFINITY));
    folder = await mkdtemp(join(tmpdir(), "use-chat-test-"));
    paid = [];
    server = await start();
    page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(server.url);
    await page.getByLabel("Message").waitFor();
  }, PATIENCE_MS);
  afterEach(async () => {
    await page.close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }, PATIENCE_MS);

  async function say(text: string): Promise<void> {
    await page.getByLabel("Message").fill(text);
    await page.keyboard.press("Enter");
  }
  const status = () => expect.poll(() => page.locator("main").getAttribute("data-status"), PATIENCE);
  const response = () => expect.poll(() => page.locator(".assistant").last().textContent(), PATIENCE);

  it("streams, calls a tool of the MCP server, and continues the conversation", async () => {
    spans.length = 0;
    await say("Roll the dice");
    await response().toContain("The tool says: 4, 4");
    await status().toBe("ready");
    const tool = page.locator("pre[data-state=output-available]");
    expect(await tool.textContent()).toContain('roll_dice {"count":2,"sides":6}');
    expect(await page.locator(".assistant em").textContent()).toContain("Dice are random");
    expect(spans.map((line) => line.split(" ")[0])).toEqual(["chat", "execute_tool", "chat", "invoke_agent"]);
    await say("And a table");
    await response().toContain("agent.prompt()");
    expect(await page.locator(".assistant").count()).toBe(2);
  });

  it("stops", async () => {
    held.holdAfter(30);
    await say("Hello");
    await response().toContain("explain");
    await status().toBe("streaming");
    await page.getByRole("button", { name: "Stop" }).click();
    await status().toBe("ready");
    expect(await page.locator(".assistant").textContent()).not.toContain("Press Stop");
  });

  it("reads on after a reload, from the beginning to the end", async () => {
    held.holdAfter(30);
    await say("Hello");
    await response().toContain("explain");
    await page.reload();
    await response().toContain("explain");
    await status().toBe("streaming");
    held.release();
    await status().toBe("ready");
    await response().toContain("reaches me before my next turn");
    expect(await page.locator("section").count()).toBe(2);
  });

  const tool = () => page.locator("pre").last();
  const state = () => expect.poll(() => tool().getAttribute("data-state"), PATIENCE);

  it("asks before it pays, and continues after a restart of the server", async () => {
    await say("Pay");
    await state().toBe("approval-requested");
    await status().toBe("ready");
    expect(paid).toEqual([]);
    await server.close();
    server = await start(Number(new URL(server.url).port));
    await page.getByRole("button", { name: "Approve" }).click();
    await state().toBe("output-available");
    await response().toContain("The tool says: Paid 20 euros.");
    await status().toBe("ready");
    expect(paid).toEqual([20]);
    // Nothing is there twice: the page has one message of the user and one of the model, with each part once.
    expect(await page.locator("section").count()).toBe(2);
    expect((await page.locator(".assistant").textContent())?.match(/I pay 20 euros/g)).toHaveLength(1);
    expect(await page.locator("pre").count()).toBe(1);
    // All that the server has kept is a secret, and that this approval was used.
    expect((await readdir(folder)).sort()).toEqual(["secret", "used"]);
    expect(await readdir(join(folder, "used"))).toHaveLength(1);
    await say("And a table");
    await response().toContain("agent.prompt()");
  });

  it("does not pay if the user declines, and asks again after a reload", async () => {
    await say("Pay");
    await state().toBe("approval-requested");
    await page.reload();
    await state().toBe("approval-requested");
    await page.getByRole("button", { name: "Decline" }).click();
    await state().toBe("output-denied");
    await response().toContain("declined");
    await status().toBe("ready");
    expect(paid).toEqual([]);
    expect(await page.locator("section").count()).toBe(2);
  });

  it("needs 25 lines for the route", async () => {
    const source = await readFile(join(import.meta.dirname, "../examples/use-chat/src/chat-route.ts"), "utf8");
    const code = source.slice(source.indexOf("export function")).split("\n");
    expect(code.filter((line) => /\S/.test(line) && !/^\s*(\/\/|\/?\*)/.test(line)).length).toBeLessThanOrEqual(25);
  });

  it("shows a failure", async () => {
    await say("Please fail");
    await status().toBe("error");
    expect(await page.getByRole("alert").textContent()).toContain("overloaded");
  });
});
