/** The sections of the site, one for each question of a reader, and the pages of each in their order. */
import { matchesGlob } from "node:path";

/** The pages that a pattern finds. A name without a star beats a pattern, so that a pattern can take the rest. */
export interface Row {
  /** A path in the repository, such as `docs/agent.md` or `docs/guides/*.md`. */
  pages: string;
  /** The heading above the page in the list, where a section has several. */
  group?: string;
  /** The row must find a page. */
  required?: true;
}

export interface Section {
  title: string;
  question: string;
  rows: readonly Row[];
}

const required = (pages: string): Row => ({ pages, required: true });
const rows = (...pages: readonly string[]): Row[] => pages.map((one) => ({ pages: one }));
const group = (name: string, ...pages: readonly string[]): Row[] => pages.map((one) => ({ pages: one, group: name }));

export const SECTIONS: readonly Section[] = [
  {
    title: "Start",
    question: "What is it, and how do I begin?",
    rows: [
      required("README.md"),
      required("docs/install.md"),
      required("packages/ai/README.md"),
      required("packages/agent/README.md"),
      required("packages/inspect/README.md"),
      ...group("Run it with", "docs/guides/node-script.md", "docs/guides/express.md", "docs/guides/hono.md"),
      ...group("Run it with", "docs/guides/nextjs-route.md", "docs/guides/sveltekit.md", "docs/guides/cloudflare.md"),
      ...group("Run it with", "docs/guides/lambda.md", "docs/guides/deno.md", "docs/guides/bun.md"),
      ...group("Run it with", "docs/guides/browser-page.md"),
      ...group("Examples", "examples/*/README.md"),
    ],
  },
  {
    title: "Concepts",
    question: "How does it work?",
    rows: [
      ...rows("docs/concepts.md", "docs/concepts/*.md", "docs/agent-guide.md"),
      required("docs/middleware.md"),
      ...rows("docs/stream-middleware.md", "docs/structured-output.md", "docs/provider-content.md"),
      ...rows("docs/approvals.md", "docs/limits.md", "docs/sessions.md", "docs/long-context.md", "docs/streams.md"),
      ...rows("docs/durable.md", "docs/route.md", "docs/proxy.md", "docs/server-tools.md", "docs/oauth.md"),
      ...rows("docs/inspect.md", "docs/testing.md"),
    ],
  },
  {
    title: "Guides",
    question: "How do I ...?",
    rows: [
      required("docs/guides/README.md"),
      ...group("Models", "docs/guides/local-models.md", "docs/guides/azure.md", "docs/guides/bedrock.md"),
      ...group("Models", "docs/guides/vertex.md", "docs/guides/login.md", "docs/guides/fallback.md"),
      ...group(
        "Requests",
        "docs/guides/pdf.md",
        "docs/guides/batch.md",
        "docs/guides/many-tools.md",
        "docs/guides/prompt-caching.md",
        "docs/guides/long-conversation.md",
      ),
      ...group("Agents", "docs/guides/approval.md", "docs/guides/limits.md", "docs/guides/middleware.md"),
      ...group("Agents", "docs/guides/sessions.md", "docs/guides/testing-agents.md"),
      ...group("Runs that last", "docs/guides/durable.md", "docs/guides/resumable-*.md"),
      ...group("Web pages", "docs/guides/stop-and-steer.md", "docs/guides/web-approval.md"),
      ...group("Production", "docs/production.md", "docs/security.md", "docs/guides/logging.md"),
      ...group("Production", "docs/versions.md", "docs/own-sdk.md"),
      ...group("More", "docs/guides/*.md"),
    ],
  },
  {
    title: "Providers",
    question: "What works with my provider, and what does it cost?",
    rows: [
      required("docs/providers.md"),
      required("docs/model-families.md"),
      required("docs/requests.md"),
      { ...required("generated/providers/*.md"), group: "Each provider" },
    ],
  },
  {
    title: "Errors",
    question: "What went wrong?",
    rows: rows("docs/errors.md", "docs/errors/*.md", "docs/troubleshooting.md", "docs/troubleshooting/*.md"),
  },
  {
    title: "Combine",
    question: "How does it fit with what I have?",
    rows: [
      ...rows(
        "docs/guides/use-chat.md",
        "docs/guides/ag-ui.md",
        "docs/guides/mcp.md",
        "docs/guides/mcp-questions.md",
        "docs/guides/tracing.md",
      ),
      ...rows("docs/ai-sdk.md", "docs/interop.md", "docs/combine/*.md", "docs/embed.md", "docs/hosts.md"),
    ],
  },
  {
    title: "Migrate",
    question: "How do I come from another library?",
    rows: rows("docs/migrate/README.md", "docs/migration.md", "docs/migrat*.md", "docs/migrate/*.md"),
  },
  {
    title: "Why",
    question: "Why this one?",
    rows: rows("docs/why.md", "docs/comparison.md", "docs/performance.md", "docs/performance*.md", "docs/size.md"),
  },
  {
    title: "Reference",
    question: "What exactly is there?",
    rows: [
      required("generated/reference/README.md"),
      required("docs/agent.md"),
      ...rows("docs/*reference*.md", "docs/architecture.md", "CONTRIBUTING.md", "SECURITY.md"),
      ...group("pi-ai", "generated/reference/pi-ai.md", "generated/reference/pi-ai/**/*.md"),
      ...group("pi-agent", "generated/reference/pi-agent.md", "generated/reference/pi-agent/**/*.md"),
      ...group("pi-inspect", "generated/reference/pi-inspect.md", "generated/reference/pi-inspect/**/*.md"),
    ],
  },
];

/** The pages of one section, by their heading; "" is the heading of those that have none. */
export interface Arranged {
  section: Section;
  groups: ReadonlyMap<string, readonly string[]>;
}

/** The pages of each section, and what is wrong with the table: a page without a section, a required row without a page. */
export function arrange(
  sources: readonly string[],
  sections: readonly Section[] = SECTIONS,
): { sections: Arranged[]; problems: string[] } {
  const all = sections.flatMap((section) => section.rows);
  const rowOf = new Map(sources.map((source) => [source, findRow(source, all)]));
  const found = (row: Row): string[] => sources.filter((source) => rowOf.get(source) === row);
  const homeless = sources.filter((source) => !rowOf.get(source));
  const empty = all.filter((row) => row.required && found(row).length === 0);
  return {
    sections: sections.map((section) => ({
      section,
      groups: new Map(
        [...Map.groupBy(section.rows, (row) => row.group ?? "")]
          .map(([name, own]): [string, string[]] => [name, own.flatMap(found)])
          .filter(([, pages]) => pages.length > 0),
      ),
    })),
    problems: [
      ...homeless.map((source) => `${source} has no row in site/sections.ts`),
      ...empty.map(({ pages }) => `${pages} of site/sections.ts finds no page`),
    ],
  };
}

function findRow(source: string, all: readonly Row[]): Row | undefined {
  return all.find(({ pages }) => pages === source) ?? all.find(({ pages }) => matchesGlob(source, pages));
}
