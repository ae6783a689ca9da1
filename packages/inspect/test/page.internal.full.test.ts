/** Tests the page in a real browser, with scripted runs. */
import { AssistantMessageEventStream } from "pi-ai";
import { expect, it } from "vitest";
import { PATIENCE_MS } from "../../../test/support/patience.js";
import { calls, eventsOf, text } from "../../agent/test/scripted-stream.js";
import { result, tool } from "../../agent/test/scripted-tool.js";
import { Conversation } from "../src/record/conversation.js";
import { Run } from "../src/record/run.js";
import { describePage, HOSTILE } from "./support/browser-page.internal.js";
import { TcpRelay } from "./support/tcp-relay.js";

describePage("the page", (browser) => {
  it("grows while a response streams, and survives a reload", async () => {
    const stream = new AssistantMessageEventStream();
    const events = eventsOf(text("Hello from the model"));
    const agent = browser.watched([() => stream]);
    await browser.open();
    const done = agent.prompt("Say hello");
    await browser.textOf(".run-title").toEqual(["Say hello"]);
    await browser.page.locator(".run").click();
    await browser.textOf(".entry .title").toEqual(["Say hello"]);
    for (const event of events.slice(0, 1)) stream.push(event);
    await browser.page.locator(".entry.request").click();
    for (const event of events.slice(1, -1)) stream.push(event);
    await browser.textOf(".entry.request .title").toEqual(["Hello from the model"]);
    await browser.textOf(".details pre").toContain("Hello from the model");
    expect(await browser.page.locator(".entry.request.running").count()).toBe(1);
    await browser.page.reload();
    await browser.textOf(".details pre").toContain("Hello from the model");
    for (const event of events.slice(-1)) stream.push(event);
    await done;
    await browser.countOf(".entry.request.done").toBe(1);
    await browser.textOf(".details caption").toEqual(["Usage"]);
    expect(browser.complaints).toEqual([]);
  });

  it("selects a row that is redrawn while the mouse button is down", async () => {
    await browser.watched([text("Hello")]).prompt("Hi");
    const page = await browser.open(`#/${browser.store.runs[0]?.summary.id}`);
    await browser.countOf(".entry").toBe(2);
    await page.locator(".entry.request").hover();
    await page.mouse.down();
    browser.store.runs[0]?.update(1, { title: "Changed" });
    await browser.textOf(".entry.request .title").toEqual(["Changed"]);
    await page.mouse.up();
    await browser.textOf(".details h2").toEqual(["Request 1"]);
  });

  it("shows tools that run in parallel, their results, and an aborted run", async () => {
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
    const agent = browser.watched([calls("a", "b")], { initialState: { tools } });
    await browser.open();
    const done = agent.prompt("Use both");
    await started.promise;
    await browser.page.locator(".run").click();
    await browser.countOf(".entry.tool.running").toBe(2);
    slow.resolve();
    await browser.countOf(".entry.tool.done").toBe(1);
    await browser.countOf(".entry.tool.running").toBe(1);
    agent.abort();
    await done;
    await browser.countOf(".entry.tool.error").toBe(1);
    await browser.countOf(".run.running").toBe(0);
    await browser.page.locator(".entry.tool.done").click();
    await browser.textOf(".details pre").toContain("result of a");
    await browser.photograph("tools");
    expect(browser.complaints).toEqual([]);
  });

  it("shows hostile text as text everywhere", async () => {
    const tools = [tool("a", async () => result(HOSTILE))];
    const agent = browser.watched([calls("a"), text(HOSTILE)], { initialState: { tools, systemPrompt: HOSTILE } });
    await agent.prompt(HOSTILE);
    const id = browser.store.runs[0]?.summary.id;
    await browser.open(`#/${id}/3`);
    await browser.textOf(".details h2").toEqual(["Request 2"]);
    await browser.page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true");
    await browser.countOf("pre").toBeGreaterThan(4);
    expect(await browser.page.locator("img, script:not([src])").count()).toBe(0);
    await browser.page.getByRole("button", { name: "Copy as test" }).click();
    await browser.textOf(".details h3").toEqual(["run.test.ts", "run.json"]);
    expect(await browser.page.title()).toBe("pi-inspect");
    expect(browser.complaints).toEqual([]);
  });

  it("works with the keyboard, searches in details, and has an address for every view", async () => {
    const agent = browser.watched([text("needle in the middle".padStart(400, ". ")), text("Second")]);
    await agent.prompt("First prompt");
    await agent.prompt("Second prompt");
    await browser.open();
    await browser.countOf(".run").toBe(2);
    await browser.page.getByRole("listbox", { name: "runs" }).focus();
    await browser.page.keyboard.press("End");
    await browser.textOf(".entry .title").toContain("First prompt");
    await browser.page.keyboard.press("/");
    await browser.page.keyboard.type("needle");
    await browser.textOf(".toolbar .facts").toEqual(["1 of 2"]);
    await browser.countOf(".entry").toBe(1);
    await browser.page.keyboard.press("Escape");
    await browser.page.keyboard.press("j");
    await browser.textOf(".details h2").toEqual(["Request 1"]);
    const { hash } = new URL(browser.page.url());
    expect(hash).toMatch(/^#\/\d+\/1\?q=needle$/);
    await browser.page.goBack();
    await browser.page.close();
    await browser.open(hash);
    await browser.textOf(".details h2").toEqual(["Request 1"]);
    await browser.page.getByRole("button", { name: "Charts" }).click();
    await browser.countOf(".charts svg rect").toBeGreaterThan(1);
    expect(browser.complaints).toEqual([]);
  });

  it("shows no hits of a search in another run, and none without a run", async () => {
    const agent = browser.watched([text("needle"), text("Second")]);
    await agent.prompt("First prompt");
    await agent.prompt("Second prompt");
    const [first, second] = browser.store.runs.map(({ summary }) => summary.id);
    const page = await browser.open(`#/${first}?q=needle`);
    await browser.textOf(".entry .title").toEqual(["needle"]);
    await page.evaluate((id) => location.assign(`#/${id}`), second);
    await browser.textOf(".entry .title").toEqual(["Second prompt", "Second"]);
    await page.goBack();
    await browser.textOf(".entry .title").toEqual(["needle"]);
    await page.reload();
    await browser.textOf(".entry .title").toEqual(["needle"]);
    await page.evaluate(() => location.assign("#"));
    await browser.countOf(".entry").toBe(0);
    expect(browser.complaints).toEqual([]);
  });

  it("loads a run again whose file was replaced", async () => {
    const add = (title: string, rows: number): Run => {
      const run = new Run({ id: "1", title, source: "a.jsonl", model: "m" });
      for (let row = 0; row < rows; row++)
        run.add({ kind: "message", name: "user", title: `${title} ${row}`, outcome: "done", turn: 0 }, () => [
          { kind: "text", title: "Text", text: `Text of ${title}` },
        ]);
      browser.store.add(run);
      return run;
    };
    const before = add("Before", 3);
    await browser.open("#/1/0");
    await browser.textOf(".details pre").toEqual(["Text of Before"]);
    browser.store.remove(before);
    add("After", 2);
    await browser.textOf(".run-header h1").toEqual(["After"]);
    await browser.textOf(".entry .title").toEqual(["After 0", "After 1"]);
    await browser.textOf(".details pre").toEqual(["Text of After"]);
    expect(browser.complaints).toEqual([]);
  });

  it("draws charts of any numbers that a log may contain", async () => {
    const run = new Run({ id: "1", title: "Odd", source: "a.jsonl", model: "m" });
    const conversation = new Conversation();
    conversation.beginRun(run);
    for (const value of [1e308, -1e308, -5, 8e15, "x", null])
      conversation.add({
        role: "assistant",
        model: "m",
        content: "text",
        usage: { input: value, output: value, cacheRead: value, cacheWrite: value, cost: { total: value } },
        timestamp: value,
      });
    browser.store.add(run);
    await browser.open("#/1/charts");
    await browser.countOf(".charts svg").toBeGreaterThan(0);
    expect(await browser.page.locator("body").textContent()).not.toMatch(/NaN|Infinity|undefined/);
    expect(browser.complaints).toEqual([]);
  });

  it("selects the newest run first, and keeps the selection on a run when a newer one begins", async () => {
    const agent = browser.watched([text("One"), text("Two"), text("Three")]);
    await agent.prompt("First");
    await agent.prompt("Second");
    const page = await browser.open();
    await browser.countOf(".run").toBe(2);
    await browser.countOf(".run[aria-selected=true]").toBe(0);
    await page.getByRole("listbox", { name: "runs" }).focus();
    await page.keyboard.press("ArrowDown");
    await browser.textOf(".run-header h1").toEqual(["Second"]);
    await browser.textOf(".run[aria-selected=true] .run-title").toEqual(["Second"]);
    await agent.prompt("Third");
    await browser.textOf(".run-title").toEqual(["Third", "Second", "First"]);
    await browser.textOf(".run[aria-selected=true] .run-title").toEqual(["Second"]);
    await page.keyboard.press("ArrowDown");
    await browser.textOf(".run-header h1").toEqual(["First"]);
    expect(browser.complaints).toEqual([]);
  });

  it("searches for a text whose field is left before the pause in typing is over", async () => {
    await browser.watched([text("needle")]).prompt("Hi");
    await browser.open(`#/${browser.store.runs[0]?.summary.id}`);
    await browser.countOf(".entry").toBe(2);
    await browser.page.getByRole("searchbox", { name: "Search" }).pressSequentially("needle");
    await browser.page.getByRole("button", { name: "Charts" }).click();
    await browser.textOf(".toolbar .facts").toEqual(["1 of 2"]);
    expect(new URL(browser.page.url()).hash).toMatch(/^#\/\d+\/charts\?q=needle$/);
  });

  it("reports that the server is gone, and keeps what it has loaded", async () => {
    await browser.watched([text("Hello")]).prompt("Hi");
    await browser.open(`#/${browser.store.runs[0]?.summary.id}/1`);
    await browser.textOf(".details pre").toContain("Hello");
    await browser.server.close();
    await browser.textOf(".status").toEqual([expect.stringContaining("The server is gone.")]);
    await browser.textOf(".entry .title").toEqual(["Hi", "Hello"]);
  });

  it("reconnects, loads the changes that it missed, and keeps what was typed", async () => {
    const agent = browser.watched([text("Hello"), text("Again")]);
    await agent.prompt("Hi");
    const relay = await TcpRelay.to(Number(new URL(browser.server.url).port));
    try {
      const page = await browser.open();
      const { pathname } = new URL(browser.server.url);
      await page.goto(`http://127.0.0.1:${relay.port}${pathname}#/${browser.store.runs[0]?.summary.id}/1/fork`);
      await page.getByLabel("System prompt").fill("typed before");
      await relay.cut();
      await browser.textOf(".status").toEqual([expect.stringContaining("The server is gone.")]);
      await agent.prompt("Second");
      await relay.listen();
      await browser.textOf(".run-title").toEqual(["Second", "Hi"]);
      await expect.poll(() => page.locator(".status").isVisible(), { timeout: PATIENCE_MS }).toBe(false);
      expect(await page.getByLabel("System prompt").inputValue()).toBe("typed before");
    } finally {
      await relay.cut();
    }
  });

  it("shows a run of 10,000 turns with a bounded number of elements and bytes", async () => {
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
    browser.store.add(run);
    await browser.open("#/long/19999");
    await browser.textOf(".details pre").toContain(`Result 9999 ${"y".repeat(500)}`);
    await browser.countOf(".entry[aria-selected=true]").toBe(1);
    expect(await browser.page.locator("*").count()).toBeLessThan(1500);
    await browser.page.getByRole("button", { name: "Charts" }).click();
    await browser.countOf(".charts svg rect").toBe(5 * 600);
    await browser.photograph("long");
    const session = await browser.context.newCDPSession(browser.page);
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    // The details of all entries have 20 MB.
    expect(usedSize).toBeLessThan(16_000_000);
    expect(browser.complaints).toEqual([]);
  });
});
