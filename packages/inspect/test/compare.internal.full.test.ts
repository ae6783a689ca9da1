/** Tests in a real browser: the comparison of two runs, the keys, and commands that other pages try to send. */

import { once } from "node:events";
import { createServer } from "node:http";
import { expect, it } from "vitest";
import { calls, text } from "../../agent/test/scripted-stream.js";
import { result, tool } from "../../agent/test/scripted-tool.js";
import { describePage, SIZES } from "./support/browser-page.internal.js";

describePage("two runs", (browser) => {
  const idOf = (index: number): string | undefined => browser.store.runs[index]?.summary.id;

  async function runTwice(): Promise<void> {
    const tools = [tool("look", async () => result("a bird"))];
    const first = [calls("look"), text("The bird is red and small")];
    const second = [calls("look"), text("The bird is blue and small")];
    for (const steps of [first, second]) await browser.watched(steps, { initialState: { tools } }).prompt("Look");
  }

  it("are shown side by side, without the equal rows at the beginning", async () => {
    await runTwice();
    const page = await browser.open(`#/${idOf(0)}`);
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByLabel("Other run").selectOption(idOf(1) ?? "");
    await browser.textOf(".divider").toEqual(["3 rows at the beginning are equal"]);
    await browser.textOf(".cell pre").toEqual(["The bird is red and small", "The bird is blue and small"]);
    await browser.textOf("mark").toEqual(["red", "blue"]);
    await browser.textOf(".sums tr:nth-child(2) td").toEqual(["1", "1", "="]);
    const { hash } = new URL(page.url());
    expect(hash).toBe(`#/${idOf(0)}/vs/${idOf(1)}`);
    await page.reload();
    await browser.textOf("mark").toEqual(["red", "blue"]);
    await page.getByRole("button", { name: "Swap" }).click();
    await browser.textOf("mark").toEqual(["blue", "red"]);
    const boxes = async () => (await page.locator(".cell").all()).map((cell) => cell.boundingBox());
    const [left, right] = await Promise.all(await boxes());
    expect(left?.y).toBe(right?.y);
    await page.setViewportSize({ width: SIZES.phone[0], height: SIZES.phone[1] });
    const [above, below] = await Promise.all(await boxes());
    expect(below?.y).toBeGreaterThan((above?.y ?? 0) + (above?.height ?? 0));
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(SIZES.phone[0]);
    await page.getByRole("link", { name: "Open" }).first().click();
    await browser.textOf(".details h2").toEqual(["Request 2"]);
    expect(browser.complaints).toEqual([]);
  });

  it("can be compared with keys alone, and a dialog lists the keys", async () => {
    await runTwice();
    const page = await browser.open();
    await page.keyboard.press("?");
    await browser.textOf("dialog[open] h2").toEqual(["Keys"]);
    await page.keyboard.press("c");
    expect(page.url()).not.toContain("/vs/");
    await page.keyboard.press("Escape");
    await browser.countOf("dialog[open]").toBe(0);
    await browser.countOf(".run").toBe(2);
    await page.getByRole("listbox", { name: "runs" }).focus();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    // The keys can only move through rows that are loaded.
    await browser.countOf(".entry.request").toBe(2);
    await page.keyboard.press("End");
    await browser.textOf(".details h2").toEqual(["Request 2"]);
    await page.keyboard.press("f");
    await browser.textOf(".form h2").toEqual(["Fork and run again"]);
    // The first field has the focus: the letters are typed into it.
    await page.keyboard.type("fc?");
    expect(await page.getByLabel("System prompt").inputValue()).toContain("fc?");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.keyboard.press("c");
    await browser.textOf(".compare .hint").toEqual(["Choose a run to compare with."]);
    await page.getByLabel("Other run").focus();
    await page.keyboard.press("ArrowDown");
    await browser.textOf("mark").toEqual(["red", "blue"]);
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await browser.textOf(".charts h2").toEqual(["Charts"]);
    expect(browser.complaints).toEqual([]);
  });

  it("cannot be forked by a page of another origin, or without the token", async () => {
    await runTwice();
    const draft = await (await fetch(new URL(`api/runs/${idOf(0)}/fork/1`, browser.server.url))).text();
    const other = createServer((_, response) => response.setHeader("content-type", "text/html").end("<!doctype html>"));
    other.listen(0, "127.0.0.1");
    await once(other, "listening");
    const address = other.address();
    const port = typeof address === "object" ? address?.port : 0;
    try {
      const page = await browser.open();
      await page.goto(`http://127.0.0.1:${port}/`);
      const { href, origin } = new URL(`api/runs/${idOf(0)}/fork`, browser.server.url);
      const attempts = [
        [href, "application/json", "cors"],
        [href, "text/plain", "no-cors"],
        [`${origin}/api/runs/${idOf(0)}/fork`, "text/plain", "no-cors"],
      ] as const;
      for (const [url, type, mode] of attempts) {
        const options = { method: "POST", mode, headers: { "content-type": type }, body: draft };
        const sent = `fetch(${JSON.stringify(url)}, ${JSON.stringify(options)}).then(({ type }) => type, String)`;
        expect(await page.evaluate(sent)).toMatch(/opaque|Failed to fetch/);
      }
      expect(browser.store.runs).toHaveLength(2);
    } finally {
      other.closeAllConnections();
      other.close();
    }
  });
});
