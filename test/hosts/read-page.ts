import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const CHROMIUM = process.env["PI_CHROMIUM"] || "/usr/bin/chromium";
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];
/** Milliseconds; longer than a busy machine needs. */
const PATIENCE_MS = 120_000;

/** Opens a page in Chromium and returns the JSON that it writes into its body. */
export async function readPage(url: string): Promise<unknown> {
  if (!existsSync(CHROMIUM)) throw new Error(`There is no browser at ${CHROMIUM}`);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  try {
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    await page.goto(url, { timeout: PATIENCE_MS });
    await page
      .waitForFunction('document.body.textContent.trim().startsWith("{")', undefined, { timeout: PATIENCE_MS })
      .catch(() => {});
    const text = (await page.locator("body").textContent()) ?? "";
    return text.trim().startsWith("{") ? JSON.parse(text) : `${text} ${errors.join("\n")}`;
  } finally {
    await browser.close();
  }
}
