/**
 * Writes docs/providers.md and docs/model-families.md from the library's own tables and behaviour. `--check` only reports
 * whether they are up to date.
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { getModels, getProviders } from "pi-ai";
import { formatTable } from "../bench/src/table.ts";
import { keyVariablesOf } from "../packages/ai/src/catalogue/env/credentials.ts";
import { PROVIDER_SETTINGS } from "../site/provider-settings.ts";
import { buildFamilyPage } from "../test/support/family-matrix.internal.ts";
import { plainOptionTables } from "./plain-option-tables.ts";
import { honouredOptions, OPTION_NAMES } from "./provider-options.ts";

const PAGES: Readonly<Record<string, () => Promise<string>>> = {
  "docs/providers.md": buildPage,
  "docs/model-families.md": buildFamilyPage,
};

interface Row {
  provider: string;
  api: string;
  models: number;
  honoured: Set<string>;
}

const INTRODUCTION = `# Providers

<!-- Written by scripts/providers-page.ts (npm run task docs:providers); changes here are lost. -->

Every provider of the catalogue: its apis, the environment variables with its key, and the options that it supports. The option \`apiKey\`
replaces the variables.

The options that are not in these tables (\`signal\`, \`headers\`, \`onPayload\`, \`onResponse\`, \`fetch\`, \`timeoutMs\`, \`idleTimeoutMs\`,
\`maxRetries\`, \`maxRetryDelayMs\`, \`foreignThinking\`) are the library's own and work with every provider; \`transport\` chooses between HTTP
and WebSocket for \`openai-codex\`. An option that a provider does not support is omitted from the request, never an error. If
it shapes the response, the diagnostic \`option_omitted\` of the message names it.

Both tables are measured: the script calls \`streamSimple\` with and without each option (\`toolChoice: "required"\`,
\`cacheRetention: "long"\`) for up to twelve models of a provider, and compares the requests. A single model may support less:
\`temperature\` is omitted if a model rejects it, and \`reasoning\` if it cannot think. What each family of models takes, and what is
sent to it at each host, is in [Model families](model-families.md).
`;

async function buildPage(): Promise<string> {
  const rows: Row[] = [];
  for (const provider of [...getProviders()].sort()) {
    const models = getModels(provider);
    for (const api of [...new Set(models.map((model) => model.api))].sort()) {
      const honoured = await honouredOptions(provider, api);
      rows.push({ provider, api, models: models.filter((model) => model.api === api).length, honoured });
    }
  }
  return `${INTRODUCTION}\n## By api\n\n${apiTable(rows)}\n${plainOptionTables()}\n## By provider\n\n${providerTable(rows)}${KEY_NOTES}`;
}

function apiTable(rows: readonly Row[]): string {
  const apis = [...new Set(rows.map(({ api }) => api))].sort();
  const lines = apis.map((api) => {
    const own = rows.filter((row) => row.api === api);
    const cells = OPTION_NAMES.map((name) =>
      describeShare(own.filter(({ honoured }) => honoured.has(name)).length, own),
    );
    return [`\`${api}\``, ...cells];
  });
  return `${formatTable([["api", ...OPTION_NAMES.map((name) => `\`${name}\``)], ...lines])}\n`;
}

function describeShare(count: number, rows: readonly Row[]): string {
  if (count === 0) return "no";
  return count === rows.length ? "yes" : `${count} of ${rows.length} providers`;
}

function providerTable(rows: readonly Row[]): string {
  const lines = rows.map(({ provider, api, models, honoured }) => {
    const keys = keyVariablesOf(provider).map((name) => `\`${name}\``);
    const ignored = OPTION_NAMES.filter((name) => !honoured.has(name)).map((name) => `\`${name}\``);
    return [`\`${provider}\``, `\`${api}\``, `${models}`, keys.join(", ") || "-", ignored.join(", ") || "-"];
  });
  return `${formatTable([["provider", "api", "models", "key", "ignores"], ...lines])}\n`;
}

const KEY_NOTES = `
If several variables are listed, the first that is set is used. GitHub Copilot and ChatGPT (\`openai-codex\`) require a token from a
login: see [Logins](oauth.md).

## Other settings from the environment

${formatTable([["provider", "variables"], ...PROVIDER_SETTINGS.map(({ name, variables }) => [name, variables])])}

The api \`google-gemini-cli\` is built in too; the catalogue has no models for it.
`;

for (const [name, build] of Object.entries(PAGES)) {
  const path = fileURLToPath(new URL(`../${name}`, import.meta.url));
  const page = await build();
  if (!process.argv.includes("--check")) await writeFile(path, page);
  else if ((await readFile(path, "utf8")) !== page) {
    console.error(`${name} is out of date: npm run task docs:providers`);
    process.exitCode = 1;
  }
}
