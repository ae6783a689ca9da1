/**
 * Adds a provider whose api is built in: its row, its models, and everything that is generated from them. Prices and
 * limits come from https://models.dev/api.json. A provider that is not listed there gets one model from the options.
 *
 *   npm run new:provider -- acme --api openai-completions --base-url https://api.acme.test/v1 --key ACME_API_KEY
 *
 *   --source <id>      the provider's id in the source. Default: the provider
 *   --from <file>      use a saved copy of the source
 *   --model <id>       add this model instead of reading a source; with --context <tokens> and --max-tokens <tokens>
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Model } from "../src/types/model.js";
import { readApiRows } from "./api-rows.ts";
import { readCatalogue, writeCatalogue } from "./catalogue-files.ts";
import { toCatalogue } from "./merge-catalogue.ts";
import { MODELS_DEV_URL, parseSource, type SourceModel } from "./models-dev.ts";
import { readProviderRows } from "./provider-rows.ts";

export interface NewProvider {
  provider: string;
  /** A built-in api. */
  api: string;
  baseUrl: string;
  /** The environment variables of its key, in order of precedence. Default: none. */
  keys?: readonly string[];
  /** Its id in the source, if that differs. */
  source?: string | undefined;
  models: readonly Pick<
    SourceModel,
    "id" | "name" | "reasoning" | "readsImages" | "cost" | "contextWindow" | "maxTokens"
  >[];
}

/**
 * Writes the rows, the models and the generated modules.
 *
 * @throws Error if the provider already has a row, if the api is not built in, or if no model has limits
 */
export function createProvider(packageFolder: string, added: NewProvider): void {
  const { provider, api, keys = [], source } = added;
  const rows = readProviderRows(packageFolder);
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(provider)) throw new Error(`Not a name in kebab-case: ${provider}`);
  if (rows.some((row) => row.provider === provider)) throw new Error(`data/providers.jsonl has a row for ${provider}`);
  if (!URL.canParse(added.baseUrl)) throw new Error(`Not an address: ${added.baseUrl}`);
  const apis = readApiRows(packageFolder).map((row) => row.api);
  if (!apis.includes(api)) throw new Error(`Not a built-in api: ${api}. There are ${apis.join(", ")}`);
  const models = added.models.flatMap((model) => toModel(added, model) ?? []);
  if (models.length === 0) throw new Error(`No model of ${provider} has a context window and an output limit`);
  const row = { provider, keys: [...keys], ...(source === undefined || source === provider ? {} : { source }) };
  writeCatalogue(packageFolder, toCatalogue([...readCatalogue(packageFolder), ...models]), [...rows, row]);
}

function toModel({ provider, api, baseUrl }: NewProvider, facts: NewProvider["models"][number]): Model | undefined {
  const { id, name, reasoning, readsImages, cost, contextWindow, maxTokens } = facts;
  if (contextWindow === undefined || maxTokens === undefined) return undefined;
  return {
    id,
    name,
    api,
    provider,
    baseUrl,
    reasoning,
    input: readsImages ? ["text", "image"] : ["text"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, ...cost },
    contextWindow,
    maxTokens,
  };
}

async function readModels(source: string, from: string | undefined): Promise<NewProvider["models"]> {
  const data: unknown = from
    ? JSON.parse(readFileSync(from, "utf8"))
    : await (await fetch(MODELS_DEV_URL, { signal: AbortSignal.timeout(60_000) })).json();
  const models = parseSource(data).get(source);
  if (!models)
    throw new Error(`The source has no provider ${source}: name its id with --source, or a model with --model`);
  return [...models.values()].filter(({ suitable }) => suitable);
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      api: { type: "string", default: "openai-completions" },
      "base-url": { type: "string", default: "" },
      key: { type: "string", multiple: true, default: [] },
      source: { type: "string" },
      from: { type: "string" },
      model: { type: "string" },
      context: { type: "string" },
      "max-tokens": { type: "string" },
    },
  });
  const [provider = ""] = positionals;
  const { api, "base-url": baseUrl, key: keys, source, from, model: id } = values;
  const limits = { contextWindow: Number(values.context), maxTokens: Number(values["max-tokens"]) };
  const models = id
    ? [{ id, name: id, reasoning: false, readsImages: false, cost: {}, ...limits }]
    : await readModels(source ?? provider, from);
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  createProvider(join(root, "packages/ai"), { provider, api, baseUrl, keys, source, models });
  // The snapshot of the catalogue's requests, and the page of the providers.
  const run = (command: string, ...args: string[]): Buffer => execFileSync(command, args, { cwd: root });
  run("node_modules/.bin/vitest", "run", "--config", "vitest.workspace.ts", "catalogue-requests", "--update");
  run("npm", "run", "docs:providers", "--silent");
  process.stdout.write(run("git", "status", "--short"));
}
