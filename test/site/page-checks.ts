/** What a person would notice on a page of the site: in one browser page, which visits them one after the other. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Page } from "playwright-core";

const AXE = resolve(import.meta.dirname, "../../site/node_modules/axe-core/axe.min.js");

/**
 * Runs in the page. A page has thousands of pieces of text and few looks: the colour, the size, the weight and all that lies behind
 * it. Marks one piece of each look, in the scheme that is shown.
 */
const MARK_LOOKS = `(() => {
  const grounds = new Map([[null, ""]]);
  const groundOf = (element) => {
    if (!grounds.has(element)) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
      const own = [backgroundColor, backgroundImage, opacity].join(" ");
      grounds.set(element, groundOf(element.parentElement) + (own === "rgba(0, 0, 0, 0) none 1" ? "" : own));
    }
    return grounds.get(element);
  };
  const hasText = ({ childNodes }) => [...childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
  const looks = new Set();
  for (const element of document.body.querySelectorAll("*")) {
    if (!hasText(element) || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const { color, fontSize, fontWeight } = getComputedStyle(element);
    const look = [color, fontSize, fontWeight, groundOf(element)].join("|");
    if (!looks.has(look)) element.dataset.look = looks.add(look).size;
  }
})()`;

/** Runs in the page. Empties what has no marked text, because axe takes seconds for a long page. Positions among siblings stay. */
const EMPTY_THE_REST = `(() => {
  const kept = new Set();
  for (const marked of document.querySelectorAll("[data-look]"))
    for (let element = marked; element && !kept.has(element); element = element.parentElement) kept.add(element);
  const empty = (element) => {
    for (const child of element.children)
      if (!kept.has(child)) child.replaceChildren();
      else if (!("look" in child.dataset)) empty(child);
  };
  empty(document.body);
})()`;

/** Runs in the page. What axe says about the colours of the marked text. */
const CONTRAST = `(async () => {
  const { violations } = await axe.run({ include: [["[data-look]"]] }, { runOnly: ["color-contrast"], resultTypes: ["violations"] });
  return violations.flatMap(({ nodes }) => nodes.map(({ target, failureSummary }) =>
    target.join(" ") + ": " + failureSummary.replace(/^.*\\n\\s*/, "")));
})()`;

/** Runs in the page: how much wider it is than the window, and what is. Tables and code scroll by themselves. */
const TOO_WIDE = `(() => {
  const { clientWidth, scrollWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const wide = [...document.querySelectorAll("body *")].filter(
    (element) => element.getBoundingClientRect().right > clientWidth + 1 && !element.parentElement.closest("table, pre"));
  return ["by " + (scrollWidth - clientWidth), ...wide.slice(-3).map((element) => element.outerHTML.slice(0, 120))];
})()`;

/** Runs in the page: the tables, and the code of at most 120 letters a line, that a reader must scroll sideways. */
const CUT = `[...document.querySelectorAll(".vp-doc table, .vp-doc pre")]
  .filter((element) => element.scrollWidth > element.clientWidth + 1)
  .filter(({ tagName, innerText }) => tagName === "TABLE" || innerText.split("\\n").every((line) => line.length <= 120))
  .map(({ tagName, innerText, scrollWidth, clientWidth }) =>
    tagName + " by " + (scrollWidth - clientWidth) + ": " + innerText.slice(0, 80))`;

/** Runs in the page: the page is alive when the code of its theme has taken it over. */
const IS_ALIVE = 'document.querySelector("#app").__vue_app__ !== undefined';

/** From this width on, a page has room for every table and for our code. */
const DESK_WIDTH = 1280;

const SCHEMES: Readonly<Record<string, string>> = {
  light: 'document.documentElement.classList.remove("dark")',
  dark: 'document.documentElement.classList.add("dark")',
};

export interface Visits {
  /** Opens a page and returns what is wrong with it. */
  visit(path: string): Promise<string[]>;
  /** What is wrong with what is shown now, and with all requests since the last visit. Most of the page is empty afterwards. */
  look(): Promise<string[]>;
}

/** @param url of the site, with a slash at its end */
export async function startVisits(page: Page, url: string): Promise<Visits> {
  const axe = await readFile(AXE, "utf8");
  let problems: string[] = [];
  page.on("pageerror", (error) => problems.push(`error: ${error}`));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(`console: ${message.text()}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) problems.push(`${response.status()}: ${response.url()}`);
  });
  page.on("request", (request) => {
    const address = request.url();
    if (!address.startsWith(url) && !address.startsWith("data:")) problems.push(`asks another host: ${address}`);
  });

  async function look(): Promise<string[]> {
    await page.evaluate(axe);
    const wide: string[] = await page.evaluate(TOO_WIDE);
    problems.push(...wide.map((html) => `too wide: ${html}`));
    if ((page.viewportSize()?.width ?? 0) >= DESK_WIDTH) {
      const cut: string[] = await page.evaluate(CUT);
      problems.push(...cut.map((text) => `needs a sideways scroll: ${text}`));
    }
    for (const show of Object.values(SCHEMES)) {
      await page.evaluate(show);
      await page.evaluate(MARK_LOOKS);
    }
    await page.evaluate(EMPTY_THE_REST);
    for (const [scheme, show] of Object.entries(SCHEMES)) {
      await page.evaluate(show);
      const faint: string[] = await page.evaluate(CONTRAST);
      problems.push(...faint.map((text) => `${scheme}: ${text}`));
    }
    return problems;
  }

  return {
    look,
    visit: async (path) => {
      problems = [];
      await page.goto(`${url}${path}`);
      await page.waitForFunction(IS_ALIVE);
      return look();
    },
  };
}
