/**
 * The page of examples/web-chat in a real browser. Screenshots go to `PI_SCREENSHOT_DIR`, else to a folder of their own
 * below the temporary one. Needs Debian's `chromium` package, or `PI_CHROMIUM`.
 */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type BrowserContext, chromium, type Locator, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { buildPage } from "../../../examples/web-chat/src/build-page.js";
import { type ChatServer, startChatServer } from "../../../examples/web-chat/src/chat-server.js";
import { createFauxModel } from "../../../examples/web-chat/src/faux-model.js";

// biome-ignore-start lint/style/noProcessEnv: a test's own settings, not the library's.
const CHROMIUM = process.env["PI_CHROMIUM"] || "/usr/bin/chromium";
const SCREENSHOTS = process.env["PI_SCREENSHOT_DIR"] || join(tmpdir(), "web-chat-screenshots");
// biome-ignore-end lint/style/noProcessEnv: as above.
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const TOKEN = "token-of-the-page";
const PACKAGES = resolve(import.meta.dirname, "../..");

let base: string;
let context: BrowserContext;
let server: ChatServer;
let page: Page;
let complaints: string[];

async function startServer(port = 0): Promise<ChatServer> {
  const model = createFauxModel(150);
  return startChatServer({ folder: join(base, "page"), model, note: "A made-up model", token: TOKEN, port });
}

/** The page on the sources, so that no build of the packages has to come first. */
async function build(): Promise<void> {
  const source = (name: string): string => join(PACKAGES, name);
  await buildPage(join(base, "page"), {
    alias: {
      "pi-agent": source("agent/src/index.ts"),
      "pi-ai/assemble": source("ai/src/assemble.ts"),
      "pi-ai/call": source("ai/src/call.ts"),
      "pi-ai/validation": source("ai/src/validation.ts"),
      "pi-ai": source("ai/src/index.ts"),
    },
    // Of providers, which a page with a proxy never loads.
    external: ["node:*", "@anthropic-ai/*", "@aws-sdk/*", "@google/*", "openai"],
  });
}

async function open(hash = ""): Promise<void> {
  page = await context.newPage();
  page.setDefaultTimeout(8000);
  complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  await page.goto(`${server.url}${hash}`);
}

async function say(text: string): Promise<void> {
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.keyboard.press("Enter");
}

const idle = (): Promise<void> => page.getByRole("button", { name: "Send", exact: true }).waitFor();
/** The page draws when it has time to: what it shows is waited for. */
const lastAnswer = () => expect.poll(async () => (await answers()).at(-1), { timeout: 8000 });
const answers = (): Promise<string[]> => page.locator(".assistant").allInnerTexts();

/** Whether all of an element can be seen in the part of the page that scrolls. */
async function isInView(element: Locator): Promise<boolean> {
  const [inner, outer] = await Promise.all([element.boundingBox(), page.locator("main").boundingBox()]);
  return inner !== null && outer !== null && inner.y >= outer.y && inner.y + inner.height <= outer.y + outer.height;
}

/** In both colour schemes, for a person to look at. */
async function photograph(name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(SCREENSHOTS, `${name}-${colorScheme}.png`) });
  }
}

const found = existsSync(CHROMIUM);
// A list of passed tests does not show what was left out.
if (!found) process.stderr.write(`SKIPPED: the tests of the web chat need a browser, and there is no ${CHROMIUM}\n`);

// A real browser on a busy machine may miss a moment that no test can wait for.
describe.skipIf(!found)("web chat in Chromium", { retry: 2 }, () => {
  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), "web-chat-test-"));
    await mkdir(SCREENSHOTS, { recursive: true });
    await build();
    server = await startServer();
    context = await chromium.launchPersistentContext(join(base, "profile"), {
      executablePath: CHROMIUM,
      args: FLAGS,
      viewport: { width: 900, height: 720 },
    });
  }, 60_000);

  afterEach(() => page.close());

  afterAll(async () => {
    await context?.close();
    await server?.close();
    await rm(base, { recursive: true, force: true });
  });

  it("streams thinking and text, counts tokens and cost, and obeys the page's policy", async () => {
    await open();
    await photograph("empty");
    await say("Hello there");
    const streaming = page.locator(".streaming .text").first();
    await streaming.waitFor();
    const before = (await streaming.textContent())?.length ?? 0;
    await photograph("streaming");
    await idle();
    const [answer = ""] = await answers();
    expect(answer).toContain('You said "Hello there".');
    expect(answer.length).toBeGreaterThan(before);
    expect(await page.locator(".assistant details").textContent()).toContain("three short paragraphs");
    expect(await page.locator(".assistant pre").textContent()).toContain("new Agent");
    expect(Number((await page.locator("#tokens").textContent())?.replace(",", ""))).toBeGreaterThan(100);
    expect(await page.locator("#cost").textContent()).toMatch(/^\$0\.00\d+$/);
    await photograph("answer");
    expect(complaints).toEqual([]);
  }, 30_000);

  it("runs tools in the page, with their progress, and checks arguments without making code", async () => {
    await open();
    await say("Please roll two dice");
    const tool = page.locator(".tool");
    await page.locator('.tool[data-state="running"] .result', { hasText: "…" }).waitFor();
    await photograph("tool-running");
    await page.locator('.tool[data-state="done"]').waitFor();
    await idle();
    expect(await tool.textContent()).toMatch(/roll_dice[\s\S]*count: 2, sides: 6[\s\S]*Done[\s\S]*together \d+/);
    await lastAnswer().toMatch(/^The tool says: \d, \d, together \d+\.$/);
    await photograph("tool-done");
    expect(complaints).toEqual([]);
  }, 30_000);

  it("stops at once, by button and by key", async () => {
    await open();
    for (const stop of [
      () => page.getByRole("button", { name: "Stop" }).click(),
      () => page.keyboard.press("Escape"),
    ]) {
      await say("Tell me about streaming");
      await page.locator(".streaming .text").first().waitFor();
      await stop();
      await idle();
      await lastAnswer().toMatch(/Stopped$/);
    }
    await photograph("stopped");
    await say("And now?");
    await idle();
    await lastAnswer().toContain('You said "And now?".');
  }, 30_000);

  it("takes a message while it works", async () => {
    await open();
    await say("Roll dice");
    await page.locator('.tool[data-state="running"]').waitFor();
    await say("Hurry up");
    await page.locator(".user.queued", { hasText: "Hurry up" }).waitFor();
    await photograph("steering");
    await idle();
    expect(await page.locator(".user.queued").count()).toBe(0);
    expect(await page.locator(".user").allInnerTexts()).toEqual(["Roll dice", "Hurry up"]);
    await lastAnswer().toContain('You said "Hurry up".');
  }, 30_000);

  it("sends images", async () => {
    await open();
    await page
      .locator("#file")
      .setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: Buffer.from(DOT, "base64") });
    await page.locator("#images img").waitFor();
    await photograph("image");
    await say("What is this?");
    await idle();
    expect(await page.locator(".user img").count()).toBe(1);
    await lastAnswer().toContain("You sent an image");
  }, 30_000);

  it("keeps the conversation over a reload, and forgets it when told to", async () => {
    await open();
    await say("What time is it?");
    await idle();
    const before = await page.locator("#transcript").textContent();
    await page.reload();
    await page.locator('.tool[data-state="done"]').waitFor();
    expect(await page.locator("#transcript").textContent()).toBe(before);
    expect(await page.locator("#tokens").textContent()).not.toBe("0");
    await page.getByRole("button", { name: "New chat" }).click();
    await expect.poll(() => page.locator(".assistant").count(), { timeout: 8000 }).toBe(0);
    await page.reload();
    expect(await page.locator("#transcript").textContent()).toBe("");
  }, 30_000);

  it("says so when the model fails, and tries again", async () => {
    await open();
    await say("Please fail");
    const alert = page.getByRole("alert");
    await alert.waitFor();
    expect(await alert.textContent()).toContain("529 overloaded_error: Overloaded");
    await photograph("failed");
    await page.getByRole("button", { name: "Try again" }).click();
    await alert.waitFor({ state: "hidden" });
    await alert.waitFor();
    expect(await page.locator(".assistant").count()).toBe(1);
  }, 30_000);

  it("says so when the server is down, and goes on when it is back", async () => {
    await open();
    const { port } = new URL(server.url);
    await say("Hello");
    await idle();
    await server.close();
    await say("Are you there?");
    const alert = page.getByRole("alert");
    await alert.waitFor();
    expect(await alert.textContent()).toContain("The server cannot be reached");
    expect(await isInView(page.locator(".user", { hasText: "Are you there?" }))).toBe(true);
    await photograph("server-down");
    server = await startServer(Number(port));
    await page.getByRole("button", { name: "Try again" }).click();
    await page.locator(".assistant", { hasText: 'You said "Are you there?"' }).waitFor();
    await idle();
    expect(await page.locator("#problem").isVisible()).toBe(false);
  }, 30_000);

  it("says so when the session is over", async () => {
    await open("#token=an-old-token");
    await say("Hello");
    const alert = page.getByRole("alert");
    await alert.waitFor();
    expect(await alert.textContent()).toContain("Your session is not valid");
    expect(await page.getByRole("button", { name: "Try again" }).isVisible()).toBe(false);
    await photograph("bad-token");
  }, 30_000);
});

/** One red pixel. */
const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
