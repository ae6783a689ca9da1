/**
 * Tests the page of examples/web-chat in a real browser. Screenshots go to `PI_SCREENSHOT_DIR`, else to a temporary
 * folder. Needs Debian's `chromium` package, or `PI_CHROMIUM`.
 */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createProxyHandler, type ProxyUsage, type RequestHandler, toNodeListener } from "pi-ai/proxy-server";
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { buildPage } from "../examples/web-chat/src/build-page.js";
import { type ChatServer, startChatServer } from "../examples/web-chat/src/chat-server.js";
import { createFauxModel } from "../examples/web-chat/src/faux-model.js";
import { PATIENCE_MS } from "./support/patience.js";
import { type HeldModel, holdModel } from "./web-chat/held-model.js";

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
const VIEWPORT = { width: 900, height: 720 };
const PACKAGES = resolve(import.meta.dirname, "../packages");

/** The timeout for an event that must happen. Only a broken page takes so long. */
const PATIENCE = { timeout: PATIENCE_MS };

let base: string;
let context: BrowserContext;
let held: HeldModel;
let server: ChatServer;
let page: Page;
let complaints: string[];
let bills: ProxyUsage[];

function startServer(port = 0): Promise<ChatServer> {
  held = holdModel(createFauxModel(Number.POSITIVE_INFINITY));
  return startChatServer({
    folder: join(base, "page"),
    model: held.model,
    note: "A made-up model",
    token: TOKEN,
    port,
    onUsage: (bill) => void bills.push(bill),
  });
}

/** Builds the page from the sources, so that the packages need not be built first. */
async function build(): Promise<void> {
  const source = (name: string): string => join(PACKAGES, name);
  await buildPage(join(base, "page"), {
    alias: {
      "pi-agent/approvals": source("agent/src/middleware/approvals.ts"),
      "pi-agent": source("agent/src/index.ts"),
      "pi-ai/assemble": source("ai/src/assemble.ts"),
      "pi-ai/call": source("ai/src/call.ts"),
      "pi-ai/object": source("ai/src/object/index.ts"),
      "pi-ai/output": source("ai/src/object/output.ts"),
      "pi-ai/stream": source("ai/src/stream.ts"),
      "pi-ai/validation": source("ai/src/validation.ts"),
      "pi-ai": source("ai/src/index.ts"),
    },
    // Packages of providers, which a page with a relay never loads.
    external: ["node:*", "@anthropic-ai/*", "@aws-sdk/*", "@google/*", "openai"],
  });
}

async function open(hash = ""): Promise<void> {
  page = await context.newPage();
  page.setDefaultTimeout(PATIENCE.timeout);
  complaints = [];
  bills = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  await page.addInitScript(holdDice);
  await page.goto(`${server.url}${hash}`);
}

/** Keeps each die rolling until `rollOn`. Runs in the page. */
function holdDice(): void {
  const wait = globalThis.setTimeout;
  const inTheAir: (() => void)[] = [];
  const hold = (call: () => void, ms?: number): unknown => (ms === 700 ? inTheAir.push(call) : wait(call, ms));
  Object.assign(globalThis, { setTimeout: hold, rollOn: () => inTheAir.shift()?.() });
}

/** Lets one die land. */
const rollOn = (): Promise<void> => page.evaluate("rollOn()");

/** Types and sends a message, and waits until it is shown: by then the agent is running. */
async function say(text: string): Promise<void> {
  const before = await page.locator(".user").count();
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.keyboard.press("Enter");
  await expect.poll(() => page.locator(".user").count(), PATIENCE).toBeGreaterThan(before);
}

const idle = (): Promise<void> => page.getByRole("button", { name: "Send", exact: true }).waitFor();
const responses = (): Promise<string[]> => page.locator(".assistant").allInnerTexts();
/** Waits, because the page draws at the next frame. */
const lastResponse = () => expect.poll(async () => (await responses()).at(-1), PATIENCE);
const textOf = (selector: string) => expect.poll(() => page.locator(selector).textContent(), PATIENCE);

/** Whether the whole element is visible in the scrolling part of the page. */
async function isInView(element: Locator): Promise<boolean> {
  const [inner, outer] = await Promise.all([element.boundingBox(), page.locator("main").boundingBox()]);
  return inner !== null && outer !== null && inner.y >= outer.y && inner.y + inner.height <= outer.y + outer.height;
}

/** Checks that nothing overflows, and that the whole composer and enough of the conversation are visible. */
async function expectToFit(width: number, height: number): Promise<void> {
  expect(await page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")).toEqual([
    width,
    height,
  ]);
  expect(
    await page.evaluate("document.querySelector('main').scrollWidth <= document.querySelector('main').clientWidth"),
  ).toBe(true);
  for (const id of ["#text", "#send", "#clear", "label[for=file]"]) {
    const box = await page.locator(id).boundingBox();
    if (!box) throw new Error(`${id} cannot be seen`);
    expect([box.x >= 0, box.y >= 0, box.x + box.width <= width, box.y + box.height <= height]).toEqual(
      Array(4).fill(true),
    );
    expect(Math.min(box.width, box.height)).toBeGreaterThan(15);
  }
  const main = await page.locator("main").boundingBox();
  expect(main?.height).toBeGreaterThan(height * 0.4);
}

/** Screenshots in both colour schemes, for a person to look at. */
async function shoot(name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(SCREENSHOTS, `${name}-${colorScheme}.png`) });
  }
}

/** Screenshots in both colour schemes and at the size of a phone. */
async function photograph(name: string): Promise<void> {
  await shoot(name);
  await page.setViewportSize({ width: 360, height: 640 });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}-phone.png`) });
  const wide = await page.evaluate("document.documentElement.scrollWidth");
  await page.setViewportSize(VIEWPORT);
  expect(wide).toBe(360);
}

const found = existsSync(CHROMIUM);
// The default output does not show skipped tests.
if (!found) process.stderr.write(`SKIPPED: the tests of the web chat need a browser, and ${CHROMIUM} does not exist\n`);

/** The reason in the title, which the runner prints for each skipped test. */
const WITHOUT = found ? "" : ` (skipped: ${CHROMIUM} does not exist)`;

describe.skipIf(!found)(`web chat in Chromium${WITHOUT}`, () => {
  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), "web-chat-test-"));
    await mkdir(SCREENSHOTS, { recursive: true });
    await build();
    server = await startServer();
    context = await chromium.launchPersistentContext(join(base, "profile"), {
      executablePath: CHROMIUM,
      args: FLAGS,
      viewport: VIEWPORT,
      timeout: PATIENCE_MS,
    });
  });

  afterEach(async () => {
    held.release();
    await page.close();
  });

  afterAll(async () => {
    await context?.close();
    await server?.close();
    await rm(base, { recursive: true, force: true });
  });

  it("streams thinking and text, counts tokens and cost, and obeys the page's policy", async () => {
    await open();
    await photograph("empty");
    held.holdAfter(12);
    await say("Hello there");
    await textOf(".streaming .text").toMatch(/^You said/);
    const before = (await page.locator(".streaming .text").first().textContent()) ?? "";
    await photograph("streaming");
    held.release();
    await idle();
    await lastResponse().toContain("before my next turn.");
    const [response = ""] = await responses();
    expect(response).toContain('You said "Hello there".');
    expect(response.length).toBeGreaterThan(before.length);
    await textOf(".assistant details").toContain("three short paragraphs");
    await textOf(".assistant pre").toContain("new Agent");
    expect(Number((await page.locator("#tokens").textContent())?.replace(",", ""))).toBeGreaterThan(100);
    await textOf("#cost").toMatch(/^\$0\.00\d+$/);
    await photograph("response");
    expect(complaints).toEqual([]);
  });

  it("folds finished thinking, and keeps the reader's selection and unfolded parts while more text arrives", async () => {
    await open();
    held.holdAfter(12);
    await say("Hello there");
    await textOf(".streaming .text").toMatch(/^You said/);
    expect(await page.locator("details[open]").count()).toBe(0);
    await page.locator("details summary").click();
    await page.evaluate(
      `(({ firstChild }) => getSelection().setBaseAndExtent(firstChild, 0, firstChild, 8))(document.querySelector(".streaming .text p"))`,
    );
    held.release();
    await idle();
    await lastResponse().toContain("before my next turn.");
    expect(await page.evaluate("String(getSelection())")).toBe("You said");
    expect(await page.locator("details[open]").count()).toBe(1);
  });

  it("runs tools in the page, with progress, and validates arguments without code generation", async () => {
    await open();
    await say("Please roll two dice");
    await page.locator('.tool[data-state="running"]').waitFor();
    await rollOn();
    await textOf('.tool[data-state="running"] .result').toMatch(/^\d …$/);
    await photograph("tool-running");
    await rollOn();
    await page.locator('.tool[data-state="done"]').waitFor();
    await idle();
    await textOf(".tool").toMatch(/roll_dice[\s\S]*count: 2, sides: 6[\s\S]*Done[\s\S]*together \d+/);
    await lastResponse().toMatch(/^The tool says: \d, \d, together \d+\.$/);
    await photograph("tool-done");
    expect(complaints).toEqual([]);
  });

  it("stops a response and a tool immediately, by button and by key", async () => {
    await open();
    for (const stop of [
      () => page.getByRole("button", { name: "Stop" }).click(),
      () => page.keyboard.press("Escape"),
    ]) {
      held.holdAfter(20);
      await say("Tell me about streaming");
      await page.locator(".streaming .text").first().waitFor();
      await stop();
      await idle();
      held.release();
      await lastResponse().toMatch(/Stopped$/);
    }
    await photograph("stopped");
    await say("Roll dice");
    await page.locator('.tool[data-state="running"]').waitFor();
    await page.keyboard.press("Escape");
    await page.locator('.tool[data-state="failed"]').waitFor();
    await idle();
    await say("And now?");
    await lastResponse().toContain('You said "And now?".');
    await idle();
  });

  it("accepts a message while the agent works", async () => {
    await open();
    await say("Roll dice");
    await page.locator('.tool[data-state="running"]').waitFor();
    await say("Hurry up");
    await page.locator(".user.queued", { hasText: "Hurry up" }).waitFor();
    await photograph("steering");
    await rollOn();
    await rollOn();
    await lastResponse().toContain('You said "Hurry up".');
    await idle();
    expect(await page.locator(".user.queued").count()).toBe(0);
    expect(await page.locator(".user").allInnerTexts()).toEqual(["Roll dice", "Hurry up"]);
  });

  it("sends chosen and pasted images, and no other files", async () => {
    await open();
    const file = page.locator("#file");
    const buffer = Buffer.from(DOT, "base64");
    await file.setInputFiles({ name: "dot.png", mimeType: "image/png", buffer });
    await page.locator("#images img").waitFor();
    await page.evaluate(pasteImage, DOT);
    await expect.poll(() => page.locator("#images img").count(), PATIENCE).toBe(2);
    await photograph("image");
    await file.setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer });
    await textOf("#problem-title").toBe("notes.txt is not a PNG, JPEG, WebP or GIF image.");
    await file.setInputFiles({ name: "huge.png", mimeType: "image/png", buffer: Buffer.alloc(4_000_000) });
    await textOf("#problem-title").toBe("huge.png is larger than 3.7 MB.");
    await page.getByRole("button", { name: "Remove this image" }).first().click();
    await say("What is this?");
    await lastResponse().toContain("You sent an image");
    await idle();
    expect(await page.locator(".user img").count()).toBe(1);
    expect(await page.locator("#problem").isVisible()).toBe(false);
  });

  it("shows searches and programs as steps, sources as links, images, and files by name", async () => {
    await open();
    await say("Please search");
    await lastResponse().toContain("events.csv");
    await idle();
    const steps = page.locator(".tool.server");
    const states = "Array.from(document.querySelectorAll('.tool.server'), (step) => step.dataset.state)";
    expect(await page.evaluate(states)).toEqual(["done", "done", "failed"]);
    await textOf(".tool.server .program").toContain("print(len(events))");
    expect(await steps.nth(1).locator(".result").textContent()).toBe("3");
    expect(await steps.nth(2).locator(".result").textContent()).toBe("Not found");
    expect(await steps.first().locator("a").count()).toBe(2);
    const sources = page.locator(".assistant > .sources");
    expect(await sources.locator("li").allInnerTexts()).toEqual(["HTML Standard", "Streams API", "A script"]);
    const links = `Array.from(document.querySelectorAll(".assistant > .sources a"), ({ href, rel }) => [href, rel])`;
    expect(await page.evaluate(links)).toEqual([
      [expect.stringMatching(/^https:/), "noopener noreferrer"],
      [expect.stringMatching(/^https:/), "noopener noreferrer"],
    ]);
    await expect.poll(() => page.evaluate("document.querySelector('.made img').naturalWidth"), PATIENCE).toBe(240);
    await textOf(".assistant .file").toBe("events.csvtext/csv");
    await photograph("provider-content");
    const before = await page.locator("#transcript").textContent();
    await page.reload();
    await textOf("#transcript").toBe(before);
    expect(complaints).toEqual([]);
  });

  it("can be used by keyboard alone", async () => {
    await open();
    const focused = (): Promise<unknown> => page.evaluate("document.activeElement.id");
    expect(await focused()).toBe("text");
    await page.keyboard.type("One");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("two");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("file");
    expect(await page.evaluate(`getComputedStyle(document.querySelector(".button")).outlineStyle`)).toBe("solid");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("send");
    await page.keyboard.press("Enter");
    await lastResponse().toContain('You said "One\ntwo".');
    await idle();
    await expect.poll(focused, PATIENCE).toBe("text");
  });

  it("keeps the conversation over a reload, and forgets it on New chat", async () => {
    await open();
    await say("What time is it?");
    await lastResponse().toMatch(/^The tool says/);
    await idle();
    const before = await page.locator("#transcript").textContent();
    await page.reload();
    await page.locator('.tool[data-state="done"]').waitFor();
    await textOf("#transcript").toBe(before);
    expect(await page.locator("#tokens").textContent()).not.toBe("0");
    await page.getByRole("button", { name: "New chat" }).click();
    await expect.poll(() => page.locator(".assistant").count(), PATIENCE).toBe(0);
    await page.reload();
    await textOf("#transcript").toBe("");
    expect(await page.locator("#problem").isVisible()).toBe(false);
  });

  it("reports a response or a tool that a reload interrupted, and retries", async () => {
    await open();
    held.holdAfter(12);
    await say("Hello");
    await page.locator(".streaming .text").waitFor();
    await page.reload();
    await textOf("#problem-title").toBe("The response was interrupted.");
    await lastResponse().toContain("You said");
    await textOf("#problem-text").toBe("The page was reloaded.");
    await expect.poll(() => bills, PATIENCE).toMatchObject([{ clientLeft: true, complete: false }]);
    expect(bills[0]?.estimate?.output).toBeGreaterThan(10);
    held.release();
    await page.getByRole("button", { name: "Try again" }).click();
    await lastResponse().toContain('You said "Hello".');
    await idle();
    await say("Roll dice");
    await page.locator('.tool[data-state="running"]').waitFor();
    await page.reload();
    await textOf(".tool .result").toBe("It was not run.");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.locator('.tool[data-state="running"]').waitFor();
    expect(await page.locator(".tool").count()).toBe(1);
  });

  const request = (name: string) => page.getByRole("form", { name });
  const paid = () => expect.poll(() => page.locator(".tool .result").last().textContent(), PATIENCE);

  it("asks before a tool runs, and goes on after a reload and a restart of the server", async () => {
    await open();
    await say("Pay 20 euros");
    await request("May pay run?").waitFor();
    await idle();
    await textOf(".tool .state").toBe("Waits for you");
    await expect.poll(() => isInView(page.locator(".tool")), PATIENCE).toBe(true);
    expect(await page.locator("#problem").isVisible()).toBe(false);
    await photograph("approval");
    const { port } = new URL(server.url);
    await server.close();
    server = await startServer(Number(port));
    await page.reload();
    await request("May pay run?").getByRole("button", { name: "Approve" }).click();
    await lastResponse().toBe("The tool says: Paid 20 euros (not really).");
    await idle();
    await paid().toBe("Paid 20 euros (not really).");
    expect(await page.locator(".request").count()).toBe(0);
    // Nothing runs again.
    await page.reload();
    await lastResponse().toBe("The tool says: Paid 20 euros (not really).");
    expect(await page.locator(".request, #problem:visible").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("takes other arguments, refuses those that do not fit, and a refusal with its reason", async () => {
    await open();
    await say("Pay 20 euros");
    const euros = request("May pay run?").getByLabel("euros");
    const approve = request("May pay run?").getByRole("button", { name: "Approve" });
    await euros.fill("2000");
    await approve.click();
    // The browser says what is wrong with it, and the run stays open.
    expect(await request("May pay run?").locator("input:invalid").count()).toBe(1);
    await euros.fill("15");
    await approve.click();
    await paid().toBe('The user changed the arguments of this call to {"euros":15}.Paid 15 euros (not really).');
    await idle();
    await say("Pay 20 euros");
    await request("May pay run?").getByLabel("Reason").fill("Too much");
    await request("May pay run?").getByRole("button", { name: "Refuse" }).click();
    await paid().toBe("The call of pay was declined: Too much");
    await idle();
    await say("Pay 20 euros");
    await request("May pay run?").waitFor();
    await say("Never mind");
    await paid().toContain("declined");
    await idle();
    expect(await page.locator(".request").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("shows a form for a question of a tool, which a reload keeps open", async () => {
    await open();
    await say("Order a pizza");
    const form = request("How would you like your Margherita?");
    await form.waitFor();
    await page.reload();
    await form.getByLabel("size").selectOption("large");
    await form.getByRole("button", { name: "Answer" }).click();
    expect(await form.locator("input:invalid").count()).toBe(1);
    await form.getByLabel("count").fill("2");
    await form.getByLabel("toGo").check();
    await photograph("question");
    await form.getByRole("button", { name: "Answer" }).click();
    await paid().toBe("Ordered 2 large Margherita to go");
    await idle();
    await say("Order a pizza");
    await form.getByRole("button", { name: "Decline" }).click();
    await paid().toContain("was declined");
    expect(complaints).toEqual([]);
  });

  it("reports a failure of the model, and retries", async () => {
    await open();
    await say("Please fail");
    const alert = page.getByRole("alert");
    await alert.waitFor();
    expect(await alert.textContent()).toContain("The model is busy. Wait a moment, then try again.");
    expect(await alert.textContent()).toContain("529 overloaded_error: Overloaded");
    await photograph("failed");
    held.holdAfter(0);
    await page.getByRole("button", { name: "Try again" }).click();
    await alert.waitFor({ state: "hidden" });
    held.release();
    await alert.waitFor();
    await expect.poll(() => page.locator(".assistant").count(), PATIENCE).toBe(1);
  });

  it("reports a server that is down, and continues when it is back", async () => {
    await open();
    const { port } = new URL(server.url);
    held.holdAfter(20);
    await say("Hello");
    await page.locator(".streaming .text").first().waitFor();
    const alert = page.getByRole("alert");
    await server.close();
    await alert.waitFor();
    await say("Are you there?");
    await textOf("#problem-title").toContain("The server cannot be reached");
    await alert.waitFor();
    await expect.poll(() => isInView(page.locator(".user", { hasText: "Are you there?" })), PATIENCE).toBe(true);
    await photograph("server-down");
    server = await startServer(Number(port));
    await page.getByRole("button", { name: "Try again" }).click();
    await page.locator(".assistant", { hasText: 'You said "Are you there?"' }).waitFor();
    await idle();
    expect(await page.locator("#problem").isVisible()).toBe(false);
  });

  it("reports an expired session", async () => {
    await open("#token=an-old-token");
    await say("Hello");
    await textOf("#problem-title").toContain("Your session is not valid");
    expect(await page.getByRole("button", { name: "Try again" }).isVisible()).toBe(false);
    await photograph("bad-token");
  });

  it.each([
    [403, "not for you", "You may not use this model."],
    [413, "the body is too large", "The conversation is too large to send."],
    [429, "slow down", "Too many requests."],
    [503, "busy", "The model is busy."],
    [500, "broken", "The response failed."],
  ])("explains status %i", async (status, error, title) => {
    await open();
    await page.route("**/api/stream", (route) => route.fulfill({ status, json: { error } }));
    await say("Hello");
    await textOf("#problem-title").toContain(title);
    await textOf("#problem-text").toContain(error);
    expect(await page.getByRole("button", { name: "Try again" }).isVisible()).toBe(status > 413);
  });

  it("shows HTML of a model as text", async () => {
    const hostile = `<img src=x onerror="document.title='gone'"><script>document.title="gone"</script>`;
    await open();
    await say(hostile);
    await lastResponse().toContain(`You said "${hostile}".`);
    await idle();
    expect(await page.locator("#transcript img, #transcript script").count()).toBe(0);
    expect(await page.title()).toBe("Web chat");
  });

  it("renders Markdown, and copies code and responses", async () => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await open();
    await say("How does streaming work?");
    await idle();
    await textOf(".markdown h5").toBe("How streaming works");
    expect(await page.locator(".markdown ol > li").count()).toBe(3);
    await textOf(".code .comment").toBe("// The whole agent");
    expect(await page.locator(".markdown strong").first().textContent()).toBe(
      "while the response is still being written",
    );
    const clipboard = () => expect.poll(() => page.evaluate("navigator.clipboard.readText()"), PATIENCE);
    await page.getByRole("button", { name: "Copy code" }).click();
    await clipboard().toMatch(/^\/\/ The whole agent\nconst agent/);
    await page.getByRole("button", { name: "Copied" }).waitFor();
    await page.getByRole("button", { name: "Copy response" }).click();
    await clipboard().toContain("### How streaming works");
    await say("Show me a table");
    await page.locator(".table tbody tr").nth(2).waitFor();
    await idle();
    await photograph("table");
    expect(complaints).toEqual([]);
  });

  it("does not touch a finished block while the next one grows", async () => {
    await open();
    held.holdAfter(25);
    await say("Hello");
    await page.locator(".streaming .markdown h5").waitFor();
    await page.evaluate(`for (const node of document.querySelectorAll(".streaming .block")) node.isOld = true;
      globalThis.removed = 0;
      new MutationObserver((records) => {
        for (const { removedNodes } of records) for (const node of removedNodes) if (node.isOld) removed++;
      }).observe(document.querySelector(".streaming"), { childList: true, subtree: true })`);
    held.release();
    await idle();
    await lastResponse().toContain("before my next turn.");
    const old = `[...document.querySelectorAll(".block")].map((node) => node.isOld === true)`;
    expect(await page.evaluate(old)).toEqual(expect.arrayContaining([true, false]));
    expect(await page.evaluate(`${old}.slice(0, 2)`)).toEqual([true, true]);
    expect(await page.evaluate("removed")).toBe(0);
  });

  it.each([
    ["links with other protocols", "[run](javascript:alert(1)) [read](data:text/html,x) [here](/api/stream)"],
    ["images", "![spy](https://evil.test/x.png) ![](data:image/png;base64,AAAA) <img src=https://evil.test/y.png>"],
    [
      "HTML",
      `<b onclick="x()">bold</b>\n\n<iframe src="https://evil.test"></iframe>\n\n<style>*{display:none}</style>`,
    ],
    ["entities that hide a protocol", "[x](java&#115;cript:alert(1)) &lt;script&gt;alert(1)&lt;/script&gt;"],
    ["deep nesting", `${"> ".repeat(5000)}deep\n\n${"_a".repeat(3000)}\n\n${"[".repeat(3000)}`],
  ])("renders %s harmlessly", async (_, markdown) => {
    await open();
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await say(markdown);
    await idle();
    await lastResponse().toContain("before my next turn.");
    const dangerous = "img, script, iframe, style, form, object, [onclick], a:not([href^='https://'])";
    expect(await page.locator(`#transcript .assistant :is(${dangerous})`).count()).toBe(0);
    expect(requests.filter((url) => !url.startsWith(server.url))).toEqual([]);
    for (const link of await page.locator("#transcript a").all()) {
      expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
    }
    expect(complaints).toEqual([]);
  });

  it("returns undelivered messages to the composer on Stop", async () => {
    await open();
    await say("Roll dice");
    await page.locator('.tool[data-state="running"]').waitFor();
    await say("Hurry up");
    await say("Please");
    const text = page.getByLabel("Message", { exact: true });
    await text.fill("Half a thought");
    await page.getByRole("button", { name: "Stop" }).click();
    await idle();
    await expect.poll(() => text.inputValue(), PATIENCE).toBe("Hurry up\n\nPlease\n\nHalf a thought");
    expect(await page.locator(".user.queued").count()).toBe(0);
    await page.keyboard.press("Enter");
    await lastResponse().toContain("Half a thought");
    await idle();
  });

  it("starts from an example, and scrolls back to the end of a long conversation", async () => {
    await open();
    await page.getByRole("button", { name: "Roll two dice" }).click();
    await page.locator('.tool[data-state="running"]').waitFor();
    expect(await page.locator("#empty").isVisible()).toBe(false);
    await rollOn();
    await rollOn();
    await idle();
    for (const text of ["One", "Two"]) {
      await say(text);
      await lastResponse().toContain("before my next turn.");
      await idle();
    }
    const latest = page.getByRole("button", { name: "Jump to latest" });
    expect(await latest.isVisible()).toBe(false);
    await page.locator("main").hover();
    await page.mouse.wheel(0, -600);
    await latest.waitFor();
    await photograph("scrolled-up");
    await latest.click();
    await latest.waitFor({ state: "hidden" });
    await expect.poll(() => isInView(page.locator(".assistant blockquote").last()), PATIENCE).toBe(true);
  });

  it.each([
    ["is not JSON", "{oops", 0],
    ["is not a list", '{"role":"user"}', 0],
    [
      "contains a damaged message",
      JSON.stringify([
        { role: "user", content: "Hi", timestamp: 1 },
        { role: "assistant", content: 5 },
      ]),
      1,
    ],
    ["holds a message without usage", JSON.stringify([{ role: "assistant", content: [], stopReason: "stop" }]), 0],
    ["holds null", "[null]", 0],
  ])("survives a stored session that %s", async (_, stored, kept) => {
    await open();
    await page.evaluate((text) => sessionStorage.setItem("web-chat", text), stored);
    await page.reload();
    await textOf("#problem-title").toBe("Part of the stored conversation could not be read.");
    expect(await page.locator(".user").count()).toBe(kept);
    await say("Hello");
    await lastResponse().toContain('You said "Hello".');
    await idle();
    expect(await page.locator("#problem").isVisible()).toBe(false);
    expect(complaints).toEqual([]);
  });

  it.each([
    [360, 640],
    [640, 320],
    [900, 720],
    [1440, 900],
  ])("fits a window of %d by %d", async (width, height) => {
    await open();
    await page.setViewportSize({ width, height });
    try {
      await expectToFit(width, height);
      await shoot(`empty-${width}x${height}`);
      await say("How does streaming work?");
      await idle();
      await say("Show me a table");
      await idle();
      await expectToFit(width, height);
      await shoot(`conversation-${width}x${height}`);
      held.holdAfter(30);
      await say("Tell me more");
      await page.getByRole("button", { name: "Stop" }).waitFor();
      await expectToFit(width, height);
      await shoot(`working-${width}x${height}`);
      held.release();
      await idle();
      await say("Please fail");
      await page.getByRole("alert").waitFor();
      await expectToFit(width, height);
      await shoot(`problem-${width}x${height}`);
    } finally {
      await page.setViewportSize(VIEWPORT);
    }
  });

  it("does not serve its page under a foreign host name", async () => {
    const { port } = new URL(server.url);
    const statusFor = (host: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        http
          .get({ host: "127.0.0.1", port, headers: { host } }, (response) => resolve(response.resume().statusCode))
          .on("error", reject);
      });
    expect(await statusFor(`127.0.0.1:${port}`)).toBe(200);
    expect(await statusFor("evil.test")).toBe(421);
    await open();
  });
});

describe.skipIf(!found)(`a page of another origin in Chromium${WITHOUT}`, () => {
  const servers: http.Server[] = [];
  let browser: Browser;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS, timeout: PATIENCE_MS });
  });

  afterAll(async () => {
    await browser?.close();
    for (const each of servers) each.closeAllConnections();
    for (const each of servers) each.close();
  });

  async function listen(handler: RequestHandler): Promise<number> {
    const made = http.createServer(toNodeListener(handler)).listen(0, "127.0.0.1");
    servers.push(made);
    await once(made, "listening");
    // A server that listens on a port has an address of this type.
    return (made.address() as AddressInfo).port;
  }

  it("sends requests and reads responses and errors if its origin is allowed", async () => {
    const { model } = holdModel(createFauxModel(Number.POSITIVE_INFINITY));
    const pages = await listen(() => new Response("<!doctype html>", { headers: { "content-type": "text/html" } }));
    const origin = `http://localhost:${pages}`;
    const options = { authorize: TOKEN, allowModels: () => true, getModel: () => model };
    const open = await listen(createProxyHandler({ ...options, allowOrigins: [origin] }));
    const closed = await listen(createProxyHandler(options));
    page = await browser.newPage();
    await page.goto(origin);
    const send = (port: number, token: string): Promise<string> =>
      page.evaluate(askProxy, { url: `http://127.0.0.1:${port}/api/stream`, token });
    expect(await send(open, TOKEN)).toMatch(/^200 data: [\s\S]*"type":"done"/);
    expect(await send(open, "another-token")).toBe('401 {"error":"The bearer token is not valid"}');
    expect(await send(closed, TOKEN)).toBe("TypeError: Failed to fetch");
  });
});

/** Runs in the page. */
async function askProxy({ url, token }: { url: string; token: string }): Promise<string> {
  const context = { messages: [{ role: "user", content: "Hi", timestamp: 1 }] };
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ model: { provider: "p", id: "m" }, context }),
    });
    return `${response.status} ${await response.text()}`;
  } catch (error) {
    return String(error);
  }
}

/** Runs in the page. */
function pasteImage(base64: string): void {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const clipboardData = new DataTransfer();
  clipboardData.items.add(new File([bytes], "pasted.png", { type: "image/png" }));
  document.getElementById("text")?.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
}

/** One red pixel. */
const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
