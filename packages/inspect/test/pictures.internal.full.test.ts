/**
 * Takes pictures of every view in three sizes, light and dark. With `PI_INSPECT_PICTURES=1` it also writes the pictures
 * of docs/inspect.md, as `npm run task inspect:pictures` does.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { describePage } from "./support/browser-page.internal.js";
import { scriptedLauncher, travelRun } from "./support/travel-run.internal.js";

// biome-ignore lint/style/noProcessEnv: a test's own setting, not the library's.
const WRITES_GUIDE = process.env["PI_INSPECT_PICTURES"] === "1";
const IMAGES = join(import.meta.dirname, "../../../docs/images");
const GUIDE_SIZE = { width: 1200, height: 720 };

describePage("pictures", (browser) => {
  const guide = async (name: string): Promise<void> => {
    if (!WRITES_GUIDE) return;
    await browser.page.setViewportSize(GUIDE_SIZE);
    await browser.settle();
    const session = await browser.context.newCDPSession(browser.page);
    // WebP has a fifth of the size of PNG.
    const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 90 });
    await mkdir(IMAGES, { recursive: true });
    await writeFile(join(IMAGES, `inspect-${name}.webp`), data, "base64");
    await session.detach();
  };

  it("show a run, its charts, a fork and a comparison", async () => {
    const again = [
      { type: "text", text: "R61 has no seat left in the quiet car, so I try an ordinary one." },
      { type: "toolCall", id: "f1", name: "book_seat", arguments: { to: "Bergen", train: "R61", car: "any" } },
    ];
    const end = [
      {
        type: "text",
        text: "You leave Oslo S at 08:25 from platform 4 with R61, car 2, seat 17, for NOK 499. Take a raincoat: Bergen has rain.",
      },
    ];
    browser.store.add(travelRun(scriptedLauncher(again, end)));
    const page = await browser.open("#/travel");
    await browser.countOf(".entry").toBe(10);
    await browser.countOf(".entry.wait .bar").toBe(1);
    await browser.photograph("timeline");
    await page.goto(`${browser.server.url}#/travel/1`);
    await browser.textOf(".details h2").toEqual(["Request 1"]);
    await browser.photograph("run");
    await guide("run");
    await page.getByRole("button", { name: "Charts" }).click();
    await browser.countOf(".charts svg rect").toBeGreaterThan(10);
    await browser.photograph("charts");
    await guide("charts");
    await page.goto(`${browser.server.url}#/travel/5`);
    await page.getByRole("button", { name: "Fork from here" }).click();
    await page
      .getByLabel("Result of book_seat")
      .fill("No seat left in the quiet car of R61. Other cars have 14 seats.");
    await browser.photograph("fork");
    await guide("fork");
    await page.getByRole("button", { name: "Run again" }).click();
    await page.getByRole("button", { name: "1 call waits" }).click();
    await page.getByLabel("Result", { exact: true }).fill("Booked: R61, car 2, seat 17, NOK 499");
    await page.getByRole("button", { name: "Run the tool" }).click();
    await browser.photograph("waits");
    await guide("waits");
    await page.getByRole("button", { name: "Use this result" }).click();
    await page.getByRole("button", { name: "Compare with original" }).click();
    await browser.textOf(".divider").toEqual(["5 rows at the beginning are equal"]);
    await browser.photograph("compare");
    await guide("compare");
    await page.keyboard.press("?");
    await browser.photograph("keys");
    await page.keyboard.press("Escape");
    await page.goto(`${browser.server.url}#`);
    await browser.server.close();
    await browser.countOf(".status:not([hidden])").toBe(1);
    await browser.photograph("gone");
    expect(browser.complaints).toEqual([]);
  });
});
