/**
 * Adds a provider whose api is built in: its row in src/catalogue/compat/hosts.ts, its models, a changeset, and all that is generated from
 * them. Prices and limits come from https://models.dev/api.json, or from the command for a provider that is not listed there.
 *
 *   npm run task new:provider -- acme --api openai-completions --base-url https://api.acme.test/v1 --key ACME_API_KEY
 *
 *   --api <name>         a built-in api. Default: openai-completions
 *   --base-url <url>     the base URL of requests
 *   --key <variable>     an environment variable of its key; repeatable, in order of precedence
 *   --source <id>        the provider's id in the source. Default: the provider
 *   --from <file>        use a saved copy of the source
 *   --model <words>      add this model instead of reading a source; repeatable:
 *                        "acme-1, name=Acme 1, context=128000, max-tokens=8192, price=1/2/0.1/1.25, reasoning,
 *                        inputs=text+image, levels=low:low+high:high+off:null"
 *                        Prices: input/output/cache read/cache write, in US dollars per million tokens. Only the id
 *                        and the limits are required. Without a price of cache reads, cached tokens cost 0.
 *                        Levels: a model with `reasoning` is assumed to have off, minimal, low, medium and high, and
 *                        a host that takes the level gets these names. `high:deep` gives it another name, `minimal:null`
 *                        removes a level (`off:null`: the model always thinks), `xhigh` or `max` adds one.
 *   --models <file>      add the models of a JSON array with the fields of data/models.jsonl
 *   --context <tokens>   for the models that do not name their own; so is --max-tokens <tokens>
 *   --flag <name=value>  a flag of the host, which its row holds; repeatable
 *   --page <words>       the page that the flags are from, for the comment of the row. Default: the address
 *   --show               add nothing: print what is sent to each model of a provider that has a row
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { printHelpIfAsked } from "../../../scripts/help.ts";
import { allAccounts } from "../src/catalogue/compat/host-rows.ts";
import type { Model } from "../src/types/model.js";
import { readApiRows } from "./api-rows.ts";
import { CATALOGUE_FILES, readCatalogue, writeCatalogue } from "./catalogue-files.ts";
import { type NewModel, parseModelWords, readModelFile } from "./described-models.ts";
import { type Flags, HOSTS_FILE, parseFlags, withHost } from "./host-row.ts";
import { toCatalogue } from "./merge-catalogue.ts";
import { MODELS_DEV_URL, parseSource } from "./models-dev.ts";

export interface NewProvider {
  provider: string;
  /** A built-in api. */
  api: string;
  baseUrl: string;
  /** The environment variables of its key, in order of precedence. Default: none. */
  keys?: readonly string[];
  /** Its id in the source, if that differs. */
  source?: string | undefined;
  models: readonly NewModel[];
  /** The flags of the host. Default: none. */
  flags?: Flags;
  /** The page that the flags are from. Default: the address. */
  page?: string | undefined;
}

/**
 * Writes the row, the models and the generated modules. Nothing is written if anything is wrong.
 *
 * @returns the paths of the files, relative to the package
 * @throws Error if the provider already has a row, if the api is not built in or has no such flag, if no model has
 * limits, or if two models have one id
 */
export function createProvider(packageFolder: string, added: NewProvider): string[] {
  const { provider, api, baseUrl, keys = [], source, flags = {} } = added;
  const accounts = allAccounts();
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(provider)) throw new Error(`Not a name in kebab-case: ${provider}`);
  if (accounts.has(provider)) throw new Error(`${HOSTS_FILE} has a row for ${provider}`);
  if (!URL.canParse(baseUrl)) throw new Error(`Not an address: ${baseUrl}`);
  const apis = readApiRows(packageFolder).map((row) => row.api);
  if (!apis.includes(api)) throw new Error(`Not a built-in api: ${api}. There are ${apis.join(", ")}`);
  const models = added.models.flatMap((model) => toModel(added, model) ?? []);
  if (models.length === 0) throw new Error(`No model of ${provider} has a context window and an output limit`);
  const twice = models.find((model, index) => models.findIndex(({ id }) => id === model.id) !== index);
  if (twice) throw new Error(`Two models have the id ${twice.id}`);
  const account = { keys, ...(source === undefined || source === provider ? {} : { listing: source }) };
  const page = `${added.page ?? new URL(baseUrl).host}, ${new Date().toISOString().slice(0, 7)}`;
  const table = withHost(packageFolder, { provider, api, account, baseUrl, flags, page });
  const known = accounts.set(provider, { ...account, url: { [api]: baseUrl } });
  writeCatalogue(packageFolder, toCatalogue([...readCatalogue(packageFolder), ...models]), known);
  writeFileSync(join(packageFolder, HOSTS_FILE), table);
  return [HOSTS_FILE, ...CATALOGUE_FILES];
}

/** What a price of cache reads that is missing means. Undefined if each model has one. */
function warnOfCachePrices(models: readonly NewModel[]): string | undefined {
  const ids = models.flatMap(({ id, cost }) => (cost.cacheRead === undefined ? [id] : []));
  if (ids.length === 0) return undefined;
  return `Warning: no price of cache reads, so cached tokens will cost 0: ${ids.join(", ")}`;
}

/** The most models that a changeset names. */
const NAMED_MODELS = 5;

/** Says what is wrong with the words of the command without a stack, and changes nothing then. */
function createOrExit(packageFolder: string, added: NewProvider): string[] {
  try {
    return createProvider(packageFolder, added);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}

function changesetOf({ provider, keys = [] }: NewProvider, models: readonly NewModel[]): string {
  const list = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");
  const [s, named] = [models.length === 1 ? "" : "s", list(models.map(({ id }) => id))];
  const served = models.length > NAMED_MODELS ? `${models.length} models` : `the model${s} ${named}`;
  const key = keys.length === 0 ? "" : ` Its key is in ${list(keys)}.`;
  return `---\n"pi-ai": minor\n---\n\nThe provider \`${provider}\`, with ${served}.${key}\n`;
}

function toModel({ provider, api, baseUrl }: NewProvider, facts: NewModel): Model | undefined {
  const { id, name, reasoning, input, cost, contextWindow, maxTokens, thinkingLevelMap } = facts;
  if (contextWindow === undefined || maxTokens === undefined) return undefined;
  return {
    id,
    name,
    api,
    provider,
    baseUrl,
    reasoning,
    ...(thinkingLevelMap && { thinkingLevelMap }),
    input,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, ...cost },
    contextWindow,
    maxTokens,
  };
}

// The test runner does not write a snapshot if it detects CI.
const { CI: _ci, ...WRITES_SNAPSHOTS } = process.env;

async function readModels(source: string, from: string | undefined): Promise<NewProvider["models"]> {
  const data: unknown = from
    ? JSON.parse(readFileSync(from, "utf8"))
    : await (await fetch(MODELS_DEV_URL, { signal: AbortSignal.timeout(60_000) })).json();
  const models = parseSource(data).get(source);
  if (!models)
    throw new Error(`The source has no provider ${source}: name its id with --source, or a model with --model`);
  return [...models.values()].flatMap(({ suitable, readsImages, ...model }) =>
    suitable ? [{ ...model, input: readsImages ? ["text", "image"] : ["text"] }] : [],
  );
}

/** The provider that the words of the command describe. */
export async function readCommand(words: readonly string[]): Promise<NewProvider & { show: boolean }> {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      api: { type: "string", default: "openai-completions" },
      "base-url": { type: "string", default: "" },
      key: { type: "string", multiple: true, default: [] },
      source: { type: "string" },
      from: { type: "string" },
      model: { type: "string", multiple: true, default: [] },
      models: { type: "string" },
      context: { type: "string" },
      "max-tokens": { type: "string" },
      flag: { type: "string", multiple: true, default: [] },
      page: { type: "string" },
      show: { type: "boolean", default: false },
    },
  });
  const [provider = ""] = positionals;
  const { api, "base-url": baseUrl, key: keys, source, from, page, show } = values;
  const limit = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));
  const limits = { contextWindow: limit(values.context), maxTokens: limit(values["max-tokens"]) };
  const described = [
    ...values.model.map((model) => parseModelWords(model, limits)),
    ...(values.models === undefined ? [] : readModelFile(values.models, limits)),
  ];
  const models = show || described.length > 0 ? described : await readModels(source ?? provider, from);
  return { provider, api, baseUrl, keys, source, models, flags: parseFlags(values.flag), page, show };
}

if (import.meta.main) {
  printHelpIfAsked(import.meta.filename);
  const { show: isShown, ...added } = await readCommand(process.argv.slice(2));
  const { provider, api, models } = added;
  if (isShown) {
    const { describeRequests } = await import("./show-requests.ts");
    process.stdout.write(await describeRequests(provider));
    process.exit();
  }
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  const written = createOrExit(join(root, "packages/ai"), added);
  const run = (command: string, ...args: string[]): Buffer =>
    execFileSync(command, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"], env: WRITES_SNAPSHOTS });
  run("node_modules/.bin/biome", "format", "--write", `packages/ai/${HOSTS_FILE}`);
  // The snapshot of the catalogue's requests, and the page of the providers.
  run("node_modules/.bin/vitest", "run", "--config", "vitest.workspace.ts", "catalogue-requests", "--update");
  run("npm", "run", "--silent", "--ignore-scripts", "task", "docs:providers");
  const taken = models.filter((model) => toModel(added, model));
  const changeset = `.changeset/provider-${provider}.md`;
  writeFileSync(join(root, changeset), changesetOf(added, taken));
  const snapshot = `packages/ai/test/catalogue/requests/${provider}.txt`;
  for (const path of [...written.map((file) => `packages/ai/${file}`), snapshot, "docs/providers.md", changeset])
    console.log(`written: ${path}`);
  // In a new process, which has the new row and the new models.
  const show = [...process.execArgv, import.meta.filename, provider, "--show"];
  console.log(`\nWhat is sent to the new models:\n\n${run(process.execPath, ...show)}`);
  const warning = warnOfCachePrices(taken);
  if (warning) console.log(`${warning}\n`);
  console.log(
    `Next: read what is sent, above. Where the server differs from others with ${api}, edit its row in\n` +
      `packages/ai/${HOSTS_FILE}, look again with npm run task new:provider -- ${provider} --show, and run\n` +
      `npx vitest run --config vitest.workspace.ts catalogue-requests --update\n` +
      `Only ${snapshot} may change: the other hosts stay as they are.\n` +
      `Then complete ${changeset}, and run npm run check.`,
  );
}
