/** Tests forks on the page in a real browser: changes, typed results, tools that run, aborts, hostile text. */
import { expect, it } from "vitest";
import { abortable, call, calls, response, text } from "../../agent/test/scripted-stream.js";
import { result, tool } from "../../agent/test/scripted-tool.js";
import { describePage, HOSTILE } from "./support/browser-page.internal.js";

const WORDS = "Where do you go?";

describePage("forks", (browser) => {
  const idOf = (index: number): string | undefined => browser.store.runs[index]?.summary.id;

  it("edits the result of a tool and runs again, beside the original", async () => {
    const tools = [tool("look", async () => result("nothing here"))];
    const agent = browser.watched([calls("look"), text("I found nothing"), text("I found a bird")], {
      initialState: { tools, systemPrompt: "Be brief" },
    });
    await agent.prompt(WORDS);
    const page = await browser.open(`#/${idOf(0)}/2`);
    await page.getByRole("button", { name: "Fork from here" }).click();
    await page.getByLabel("Result of look").fill("a bird");
    await page.getByLabel("System prompt").fill("Be kind");
    const { hash } = new URL(page.url());
    expect(hash).toBe(`#/${idOf(0)}/2/fork`);
    await page.getByRole("button", { name: "Run again" }).click();
    await browser.textOf(".entry .title").toEqual([WORDS, "[toolCall look]", "{}", "I found a bird"]);
    await browser.countOf(".entry.inherited").toBe(2);
    await browser.textOf(".run-title").toEqual([`Fork 1: ${WORDS}`, WORDS]);
    await page.reload();
    await browser.textOf(".run-header .facts").toContain(`Forked at request 2 of ${WORDS}`);
    await page.locator(".entry.request").last().click();
    await browser.textOf(".details pre").toContain("I found a bird");
    await page.evaluate("for (const part of document.querySelectorAll('.details details')) part.open = true");
    await browser.textOf(".details pre").toContain("Be kind");
    await page.getByRole("link", { name: WORDS }).click();
    await browser.textOf(".run-header h1").toEqual([WORDS]);
    expect(browser.complaints).toEqual([]);
  });

  it("waits for the result that the user types, and stops when the user selects Stop", async () => {
    const again = [response([call("1", "pay", { sum: 5 })]), response([call("2", "pay", { sum: 6 })])];
    const agent = browser.watched([text("Hello"), ...again]);
    await agent.prompt(WORDS);
    const page = await browser.open(`#/${idOf(0)}/1`);
    await page.getByRole("button", { name: "Fork here" }).click();
    await page.getByRole("button", { name: "Run again" }).click();
    await browser.textOf(".run .badge").toEqual(["waits"]);
    await page.getByRole("button", { name: "1 call waits" }).click();
    await browser.countOf(".awaits button").toBe(1);
    await page.getByLabel("Result", { exact: true }).fill("typed result");
    await page.getByRole("button", { name: "Use this result" }).click();
    await browser.textOf(".details pre").toContain("typed result");
    expect(await page.evaluate("document.activeElement.className")).toBe("details");
    await browser.countOf(".entry.tool.running").toBe(1);
    await page.getByRole("button", { name: "Stop" }).click();
    await browser.countOf(".run.running").toBe(0);
    await browser.countOf(".entry.tool.aborted").toBe(1);
    await browser.countOf(".badge").toBe(0);
    expect(browser.complaints).toEqual([]);
  });

  it("stops a response that streams", async () => {
    const aborted = text("Hal", { stopReason: "aborted" });
    const agent = browser.watched([text("Hello"), abortable([{ type: "start", partial: aborted }], aborted)]);
    await agent.prompt(WORDS);
    const page = await browser.open(`#/${idOf(0)}/1/fork`);
    await page.getByRole("button", { name: "Run again" }).click();
    await browser.countOf(".entry.request.running").toBe(1);
    await page.getByRole("button", { name: "Stop" }).click();
    await browser.countOf(".entry.request.aborted").toBe(1);
    expect(browser.complaints).toEqual([]);
  });

  it("runs a tool only after the user has confirmed it", async () => {
    let runs = 0;
    const pay = tool("pay", async () => result(`paid ${++runs}`));
    const agent = browser.watched([text("Hello"), calls("pay"), text("Done")], {
      initialState: { tools: [pay] },
      runTools: true,
    });
    await agent.prompt(WORDS);
    const page = await browser.open(`#/${idOf(0)}/1/fork`);
    await page.getByRole("button", { name: "Run again" }).click();
    await page.getByRole("button", { name: "1 call waits" }).click();
    await page.getByRole("button", { name: "Run the tool" }).click();
    await page.getByRole("button", { name: "Do not run it" }).click();
    expect(runs).toBe(0);
    await page.getByRole("button", { name: "Run the tool" }).click();
    await page.getByRole("button", { name: "Run it now" }).click();
    await browser.textOf(".details pre").toContain("paid 1");
    await browser.textOf(".entry .title").toContain("Done");
    expect(runs).toBe(1);
    expect(browser.complaints).toEqual([]);
  });

  it("shows why changes are refused, and keeps what was typed", async () => {
    const agent = browser.watched([text("Hello")]);
    await agent.prompt(WORDS);
    const page = await browser.open(`#/${idOf(0)}/1/fork`);
    await page.getByText("Tools, as JSON").click();
    await page.getByLabel("Tools").fill("[{]");
    await page.getByLabel("Message of user").fill("changed");
    await page.getByRole("button", { name: "Run again" }).click();
    await browser.textOf(".problem").toEqual([expect.stringContaining("The tools are not JSON")]);
    expect(await page.getByLabel("Message of user").inputValue()).toBe("changed");
    expect(browser.store.runs).toHaveLength(1);
  });

  it("keeps what was typed across reloads, until it is sent or cancelled", async () => {
    const look = tool("look", async () => result("seen"));
    const agent = browser.watched([text("Hello"), calls("look"), text("Done")], { initialState: { tools: [look] } });
    await agent.prompt(WORDS);
    const page = await browser.open(`#/${idOf(0)}/1/fork`);
    const kept = (): Promise<number> => page.evaluate("sessionStorage.length");
    await page.getByLabel("Message of user").fill(HOSTILE);
    await page.getByLabel("Stop at every tool call").check();
    await page.reload();
    await expect.poll(() => page.getByLabel("Message of user").inputValue()).toBe(HOSTILE);
    expect(await page.getByLabel("Stop at every tool call").isChecked()).toBe(true);
    expect(await page.locator("img, script:not([src])").count()).toBe(0);
    // The form for a fork at another entry is saved separately.
    await page.goto(`${browser.server.url}#/${idOf(0)}/0/fork`);
    await expect.poll(() => page.getByLabel("Message of user").inputValue()).toBe(WORDS);
    await page.getByLabel("System prompt").fill("other");
    expect(await kept()).toBe(2);
    await page.getByRole("button", { name: "Cancel" }).click();
    expect(await kept()).toBe(1);
    await page.goto(`${browser.server.url}#/${idOf(0)}/1/fork`);
    await page.getByRole("button", { name: "Run again" }).click();
    await page.getByRole("button", { name: "1 call waits" }).click();
    expect(await kept()).toBe(0);
    expect(JSON.stringify(browser.store.runs[1]?.origin?.messages)).toContain(JSON.stringify(HOSTILE).slice(1, -1));
    // The form of a waiting call is saved, too.
    await page.getByLabel("Result", { exact: true }).fill("typed");
    await page.reload();
    await expect.poll(() => page.getByLabel("Result", { exact: true }).inputValue()).toBe("typed");
    await page.getByRole("button", { name: "Use this result" }).click();
    await browser.textOf(".entry .title").toContain("Done");
    expect(await kept()).toBe(0);
    expect(browser.complaints).toEqual([]);
  });

  it("shows hostile text as text in forms, waiting calls and comparisons", async () => {
    const tools = [tool("a", async () => result(HOSTILE))];
    const hostileCall = response([call("9", HOSTILE, { [HOSTILE]: HOSTILE })]);
    const agent = browser.watched([calls("a"), text(HOSTILE), hostileCall, text(`${HOSTILE} again`)], {
      initialState: { tools, systemPrompt: HOSTILE },
      models: [{ provider: HOSTILE, id: HOSTILE }],
    });
    await agent.prompt(HOSTILE);
    const page = await browser.open(`#/${idOf(0)}/2/fork`);
    expect(await page.getByLabel("Result of a").inputValue()).toBe(HOSTILE);
    await page.getByRole("button", { name: "Run again" }).click();
    await page.getByRole("button", { name: "1 call waits" }).click();
    await page.getByLabel("Result", { exact: true }).fill(HOSTILE);
    await page.getByRole("button", { name: "Use this result" }).click();
    await page.getByRole("button", { name: "Compare with original" }).click();
    await browser.countOf(".cell").toBeGreaterThan(3);
    await page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true");
    expect(await page.locator("img, script:not([src])").count()).toBe(0);
    expect(await page.title()).toBe("pi-inspect");
    expect(browser.complaints).toEqual([]);
  });
});
