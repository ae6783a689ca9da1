/**
 * A page with useChat asks, the server's process ends, another one takes the answer: with nothing but what the page sends, and
 * with a conversation that the server has stored. Needs Debian's `chromium` package, or `PI_CHROMIUM`.
 */
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PATIENCE_MS } from "./support/patience.js";
import { ServerProcess } from "./use-chat/server-process.js";

// biome-ignore lint/style/noProcessEnv: a test's own setting, not the library's.
const CHROMIUM = process.env["PI_CHROMIUM"] || "/usr/bin/chromium";
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];
const WITHOUT = existsSync(CHROMIUM) ? "" : ` (skipped: there is no browser at ${CHROMIUM})`;
const PATIENCE = { timeout: PATIENCE_MS };

describe.skipIf(WITHOUT).each([
  ["nothing but what the page sends", "examples/use-chat/src/main.ts", "its approval was used before"],
  // The conversation has gone on without the page.
  ["stored messages", "test/use-chat/stored-server.ts", "The run failed"],
])(`useChat and a server that restarts with %s${WITHOUT}`, { timeout: PATIENCE_MS * 2 }, (_, program, told) => {
  let browser: Browser;
  let folder: string;
  let server: ServerProcess;
  let page: Page;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
    folder = await mkdtemp(join(tmpdir(), "use-chat-restart-"));
    server = new ServerProcess(program, folder);
    await server.start();
  }, PATIENCE_MS);
  afterAll(async () => {
    await browser?.close();
    await server?.kill();
    await rm(folder, { recursive: true, force: true });
  }, PATIENCE_MS);
  beforeEach(async () => {
    server.paid.length = 0;
    // Another visitor each time.
    page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(server.url);
    await page.getByLabel("Message").waitFor();
  }, PATIENCE_MS);
  afterEach(() => page.close(), PATIENCE_MS);

  async function say(text: string): Promise<void> {
    await page.getByLabel("Message").fill(text);
    await page.keyboard.press("Enter");
  }
  const answer = (name: "Approve" | "Decline") => page.getByRole("button", { name }).click();
  const status = () => expect.poll(() => page.locator("main").getAttribute("data-status"), PATIENCE);
  const state = () => expect.poll(() => page.locator("pre").last().getAttribute("data-state"), PATIENCE);
  const response = () => expect.poll(() => page.locator(".assistant").last().textContent(), PATIENCE);

  async function ask(): Promise<void> {
    await say("Pay");
    await state().toBe("approval-requested");
    await status().toBe("ready");
    expect(server.paid).toEqual([]);
  }

  it("runs an approved call once, also if the page reloads before and after", async () => {
    await ask();
    await server.restart();
    await page.reload();
    await answer("Approve");
    await response().toContain("The tool says: Paid 20 euros.");
    await status().toBe("ready");
    await server.restart();
    await page.reload();
    await response().toContain("The tool says: Paid 20 euros.");
    await say("And a table");
    await response().toContain("agent.prompt()");
    await status().toBe("ready");
    expect(server.paid).toEqual(["Paid 20 euros"]);
    // Nothing is there twice.
    expect(await page.locator("section").count()).toBe(4);
    expect((await page.locator("main").textContent())?.match(/I pay 20 euros/g)).toHaveLength(1);
  });

  it("never runs a declined one", async () => {
    await ask();
    await server.restart();
    await answer("Decline");
    await state().toBe("output-denied");
    await response().toContain("declined");
    await say("And a table");
    await response().toContain("agent.prompt()");
    expect(server.paid).toEqual([]);
  });

  it("does not run a call again whose result the page has lost", async () => {
    await ask();
    // The answer arrives, and the response never does: the connection breaks.
    await page.route("**/api/chat", async (route) => {
      await route.fetch();
      await route.abort();
    });
    await answer("Approve");
    await status().toBe("error");
    expect(server.paid).toEqual(["Paid 20 euros"]);
    await page.unroute("**/api/chat");
    await server.restart();
    await page.reload();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText(told).waitFor();
    expect(server.paid).toEqual(["Paid 20 euros"]);
  });

  it("takes a new message instead of an answer, which declines what is open", async () => {
    await ask();
    await say("And a table");
    await state().toBe("output-denied");
    await status().toBe("ready");
    // The question is gone, and nothing is left to try again.
    expect(await page.getByRole("button").allTextContents()).toEqual(["Send", "Stop"]);
    await say("Hello");
    await response().toContain("How streaming works");
    expect(server.paid).toEqual([]);
  });
});
