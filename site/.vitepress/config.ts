/** What VitePress is told. It has no types here, because the packages of the site are installed by its build only. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const PAGES = join(import.meta.dirname, "../.pages");

interface MenuItem {
  text: string;
  link?: string;
  items?: MenuItem[];
}

/** The parts of markdown-it that are used. */
interface MarkdownIt {
  renderer: {
    rules: Record<string, ((tokens: { content: string }[], index: number, ...rest: unknown[]) => string) | undefined>;
  };
}

const menu: MenuItem[] = JSON.parse(readFileSync(join(PAGES, "menu.json"), "utf8"));

/** The sections in the bar above the page; the list beside it has all of them. */
const IN_BAR = new Set(["Start", "Guides", "Providers", "Errors", "Migrate", "Why", "Reference"]);

function firstLink({ link, items = [] }: MenuItem): string | undefined {
  return link ?? items.map(firstLink).find((one) => one !== undefined);
}

const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#3451b2"/><path d="M7 10h18M12 10v13M20 10v10q0 3 3 3" fill="none" stroke="#fff" stroke-width="3"/></svg>',
)}`;

/** Letters of a name that never breaks, and of one that does not at the beginning of a row. */
const SHORT_NAME = 12;
const WHOLE_NAME = 24;
/** Behind each of these a long name may break; an entity is passed over. */
const PARTS = /&\w+;|[/_](?=\w)|[,:](?=[\w{&])|\w(?=\.\w)|[a-z](?=[A-Z])/g;

/** The name of a heading in links, as on GitHub. */
function slugify(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
    .replaceAll(" ", "-");
}

/** Keeps two braces in the words of a page, which Vue would evaluate. */
function keepBraces({ renderer }: MarkdownIt): void {
  const plain = renderer.rules["text"];
  renderer.rules["text"] = (...args) => (plain?.(...args) ?? "").replaceAll("{{", "&#123;&#123;");
}

/** Lets long names in code break at their parts. Those that are not very long stay whole at the beginning of a row. */
function breakNames({ renderer }: MarkdownIt): void {
  const plain = renderer.rules["code_inline"];
  renderer.rules["code_inline"] = (tokens, index, ...rest) => {
    const { content = "" } = tokens[index] ?? {};
    const isWhole = content.length <= WHOLE_NAME && !content.includes(" ");
    const html = (plain?.(tokens, index, ...rest) ?? "").replace("<code", isWhole ? '<code class="whole"' : "<code");
    if (content.length <= SHORT_NAME) return html;
    return html.replace(/(?<=>)[^<]+(?=<)/, (text) =>
      text.replaceAll(PARTS, (part) => part + (part[0] === "&" ? "" : "<wbr>")),
    );
  };
}

const config: Readonly<Record<string, unknown>> = {
  title: "pi-ai and pi-agent",
  description: "One streaming API for every LLM provider, and an agent on top of it",
  lang: "en",
  srcDir: ".pages",
  outDir: "dist",
  cacheDir: "node_modules/.cache/vitepress",
  metaChunk: true,
  head: [["link", { rel: "icon", href: ICON }]],
  markdown: {
    // Pages are written for GitHub, which has none of these.
    attrs: { disable: true },
    anchor: { slugify },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config: (markdown: MarkdownIt) => {
      keepBraces(markdown);
      breakNames(markdown);
    },
  },
  transformHead: ({ page }: { page: string }) => [
    ["link", { rel: "alternate", type: "text/markdown", href: page.split("/").at(-1) ?? page }],
  ],
  themeConfig: {
    nav: menu.filter(({ text }) => IN_BAR.has(text)).map((item) => ({ text: item.text, link: firstLink(item) })),
    sidebar: menu,
    outline: { level: [2, 3] },
    search: { provider: "local" },
  },
};

export default config;
