/** Tests the page in a real browser, with session logs that grow or are longer than what is kept. */
import { appendFile, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openSource } from "../src/read/open-source.js";
import { pollSource } from "../src/read/source.js";
import { Run } from "../src/record/run.js";
import { RunStore } from "../src/record/run-store.js";
import { describePage, SIZES } from "./support/browser-page.internal.js";

let folder: string;
let stop: (() => Promise<void>) | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "inspect-grow-"));
});
afterEach(async () => {
  await stop?.();
  stop = undefined;
  await rm(folder, { recursive: true });
});

const lineOf = (value: object): string => `${JSON.stringify(value)}\n`;
const messageLine = (message: object): string => lineOf({ type: "message", message });

function turnLines(turn: number): string {
  const timestamp = turn * 1000;
  const call = { type: "toolCall", id: `${turn}`, name: "look", arguments: { turn } };
  const content = [{ type: "text", text: `Result ${turn}` }];
  return (
    messageLine({ role: "assistant", model: "m", content: [call], stopReason: "toolUse", timestamp }) +
    messageLine({ role: "toolResult", toolCallId: `${turn}`, toolName: "look", content, timestamp: timestamp + 500 })
  );
}

describePage("a log that grows", (browser) => {
  it("shows new rows at any width, with few elements in 10,000 turns", async () => {
    const path = join(folder, "chat.jsonl");
    await writeFile(path, lineOf({ type: "session", version: 1, at: 1 }) + lineOf({ type: "run_start", at: 1 }));
    await appendFile(path, messageLine({ role: "user", content: "Look around", timestamp: 1 }));
    const opened = await openSource(path, { store: browser.store, now: Date.now });
    stop = pollSource(opened.source, opened.folder);
    const page = await browser.open(`#/${browser.store.runs[0]?.summary.id}`);
    await browser.textOf(".entry .title").toEqual(["Look around"]);
    await appendFile(path, turnLines(1));
    await browser.countOf(".entry.tool.done").toBe(1);
    await browser.countOf(".run.running").toBe(1);

    // A line that is written in part is not shown before it is complete.
    const [first = "", second = ""] = [turnLines(2).slice(0, 60), turnLines(2).slice(60)];
    await appendFile(path, first);
    await appendFile(path, second);
    await browser.countOf(".entry.tool.done").toBe(2);

    const rest = Array.from({ length: 9998 }, (_, index) => turnLines(index + 3));
    await appendFile(path, rest.join(""));
    await browser.textOf(".run .facts").toContainEqual(expect.stringContaining("10000 requests"));
    for (const [width, height] of [SIZES.laptop, SIZES.phone]) {
      await page.setViewportSize({ width, height });
      await page.evaluate("document.querySelector('main .list').scrollTop = 0");
      await browser.textOf(".entry .title").toContain("Look around");
      await page.evaluate("document.querySelector('main .list').scrollTop = 1e9");
      await browser.textOf(".entry .title").toContain('{"turn":10000}');
      expect(await page.locator("*").count()).toBeLessThan(1000);
    }
    await appendFile(path, lineOf({ type: "run_end", at: 10_001_000 }));
    await browser.countOf(".run.running").toBe(0);
    await browser.photograph("followed");
    expect(browser.complaints).toEqual([]);
  });

  it("reads dropped rows again when they are scrolled to or opened by their address", async () => {
    await browser.server.close();
    await browser.serve(new RunStore({ entries: 500 }));
    const path = join(folder, "chat.jsonl");
    const turns = Array.from({ length: 3000 }, (_, index) => turnLines(index + 1));
    await writeFile(
      path,
      [lineOf({ type: "run_start", at: 1 }), ...turns, lineOf({ type: "run_end", at: 1 })].join(""),
    );
    stop = pollSource((await openSource(path, { store: browser.store, now: Date.now })).source, undefined);
    const [run] = browser.store.runs;
    expect(run?.kept).toBeLessThanOrEqual(500);
    const page = await browser.open("#/1/4001");
    await browser.textOf(".details h2").toEqual(["look"]);
    await browser.textOf(".details pre").toContain("Result 2001");
    await browser.textOf(".entry .title").toContain('{"turn":2001}');
    await page.evaluate("document.querySelector('main .list').scrollTop = 0");
    await browser.textOf(".entry .title").toContain('{"turn":1}');
    await page.locator(".entry.request").first().click();
    await browser.textOf(".details h2").toEqual(["Request 1"]);
    await page.evaluate("document.querySelector('main .list').scrollTop = 1e9");
    await browser.textOf(".entry .title").toContain('{"turn":3000}');
    await page.getByRole("button", { name: "Charts" }).click();
    await browser.textOf(".charts caption").toContainEqual(expect.stringContaining("Tools"));
    await browser.textOf(".charts td").toContain("3000");
    expect(run?.kept).toBeLessThanOrEqual(500);
    expect(browser.complaints).toEqual([]);
  });

  it("shows which rows cannot be read again because the file is gone", async () => {
    await browser.server.close();
    await browser.serve(new RunStore({ entries: 100 }));
    const path = join(folder, "chat.jsonl");
    await writeFile(path, Array.from({ length: 500 }, (_, index) => turnLines(index + 1)).join(""));
    await openSource(path, { store: browser.store, now: Date.now });
    await rm(path);
    const page = await browser.open("#/1/10");
    await browser.textOf(".entry .title").toContain("Cannot be read now");
    await browser.textOf(".details .hint").toEqual(["The source no longer has this row, or cannot be read."]);
    await page.evaluate("document.querySelector('main .list').scrollTop = 1e9");
    await browser.textOf(".entry .title").toContain('{"turn":500}');
  });

  it("loads only the rows in view of a long run without requests", async () => {
    const path = join(folder, "notes.jsonl");
    const notes = Array.from({ length: 9000 }, (_, id) =>
      messageLine({ role: "user", content: `Note ${id}`, timestamp: id }),
    );
    await writeFile(path, notes.join(""));
    await openSource(path, { store: browser.store, now: Date.now });
    const page = await browser.open("#/1/4100");
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await page.reload();
    await browser.textOf(".entry .title").toContain("Note 4100");
    await browser.textOf(".details pre").toContain("Note 4100");
    await browser.settle();
    const pages = requests.flatMap((url) => /from=(\d+)$/.exec(url)?.[1] ?? []);
    expect([...new Set(pages)].sort()).toEqual(["0", "4000"]);
  });

  it("shows how many sessions there are, lists more of them, and finds one by its name", async () => {
    for (let id = 100; id < 130; id++) {
      await writeFile(
        join(folder, `${id} <b>.jsonl`),
        messageLine({ role: "user", content: `Ask ${id}`, timestamp: id }),
      );
      await utimes(join(folder, `${id} <b>.jsonl`), id, id);
    }
    await openSource(folder, { store: browser.store, now: Date.now, sessions: 5 });
    const page = await browser.open();
    await browser.textOf(".run-title").toEqual(["Ask 129", "Ask 128", "Ask 127", "Ask 126", "Ask 125"]);
    await browser.textOf(".sessions .facts").toEqual(["5 of 30 sessions"]);
    await browser.photograph("sessions");
    await page.getByLabel("Filter runs").fill("112 <");
    await browser.countOf(".run").toBe(0);
    await page.keyboard.press("Enter");
    await browser.textOf(".run-title").toEqual(["Ask 112"]);
    await browser.textOf(".sessions .facts").toEqual(["1 found · 6 of 30 sessions"]);
    await page.getByLabel("Filter runs").fill("");
    await browser.textOf(".run-title").toEqual(["Ask 129", "Ask 128", "Ask 127", "Ask 126", "Ask 125", "Ask 112"]);
    await page.goto(`${browser.server.url}#/${encodeURIComponent("103 <b>.jsonl-1")}/0`);
    await browser.textOf(".details pre").toContain("Ask 103");
    await page.getByRole("button", { name: "Show more" }).click();
    await browser.countOf(".sessions .actions:not([hidden])").toBe(0);
    expect(browser.store.runs).toHaveLength(30);
    expect(browser.complaints).toEqual([]);
  });

  it("shows how many rows of a live run are gone", async () => {
    await browser.server.close();
    await browser.serve(new RunStore({ entries: 100 }));
    const run = new Run({ id: "live", title: "Long", source: "live", model: "m", startedAt: 0 });
    browser.store.add(run);
    for (let turn = 1; turn <= 300; turn++)
      run.add({ kind: "tool", name: "look", title: `${turn}`, outcome: "done", turn }, () => []);
    await browser.open("#/live");
    await browser
      .textOf(".dropped")
      .toEqual([`The first ${300 - run.kept} rows are no longer kept, and are in no log. The totals include them.`]);
    await browser.photograph("dropped");
    expect(browser.complaints).toEqual([]);
  });
});
