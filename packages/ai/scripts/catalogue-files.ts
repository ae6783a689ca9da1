/** The catalogue's files: the data, and the modules generated from it. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Accounts } from "../src/catalogue/compat/host.js";
import { addressOf, allAccounts } from "../src/catalogue/compat/host-rows.ts";
import type { Model } from "../src/types/model.js";
import {
  generateCatalogue,
  generateKeyVariables,
  generateModelIds,
  readGeneratedCatalogue,
} from "./generate-modules.ts";

const DATA = "data/models.jsonl";
const MODULE = "src/models.generated.ts";
const MODEL_IDS = "src/catalogue/model-ids.generated.ts";
const KEY_VARIABLES = "src/catalogue/env/key-variables.generated.ts";

/** The files that {@link writeCatalogue} writes, relative to the package. */
export const CATALOGUE_FILES: readonly string[] = [DATA, MODULE, MODEL_IDS, KEY_VARIABLES];

/** The models of a package's data file. A model without a base URL has the one of its account. */
export function readCatalogue(packageFolder: string, accounts: Accounts = allAccounts()): Model[] {
  const lines = readFileSync(join(packageFolder, DATA), "utf8").split("\n");
  return lines
    .filter((line) => line.trim() !== "")
    .map((line): Model => {
      const { id, name, api, provider, baseUrl, ...rest }: Model = JSON.parse(line);
      const address = baseUrl ?? addressFor(accounts, { api, provider }) ?? "";
      return { id, name, api, provider, baseUrl: address, ...rest };
    });
}

function writeModel(accounts: Accounts, { baseUrl, ...model }: Model): string {
  const { id, name, api, provider, ...rest } = model;
  const isKnown = addressFor(accounts, model) === baseUrl;
  return `${JSON.stringify(isKnown ? model : { id, name, api, provider, baseUrl, ...rest })}\n`;
}

function addressFor(accounts: Accounts, { api, provider }: Pick<Model, "api" | "provider">): string | undefined {
  const account = accounts.get(provider);
  return account && addressOf(account, api);
}

/** The models of the generated module: the catalogue as it was last written. */
export function readWrittenCatalogue(packageFolder: string): Model[] {
  const path = join(packageFolder, MODULE);
  return existsSync(path) ? readGeneratedCatalogue(readFileSync(path, "utf8")) : [];
}

/**
 * Writes the data and the modules. Creates every text, and writes it to a temporary file, before it replaces the first
 * file.
 *
 * @throws Error if a model's provider has no account
 */
export function writeCatalogue(packageFolder: string, models: readonly Model[], accounts: Accounts): void {
  const unknown = models.find((model) => !accounts.has(model.provider));
  if (unknown) throw new Error(`src/catalogue/compat/hosts.ts has no account ${unknown.provider}`);
  const texts = new Map([
    [DATA, models.map((model) => writeModel(accounts, model)).join("")],
    [MODULE, generateCatalogue(models)],
    [MODEL_IDS, generateModelIds(models)],
    [KEY_VARIABLES, generateKeyVariables(accounts)],
  ]);
  const files = [...texts].map(([name, text]) => ({ path: join(packageFolder, name), text }));
  try {
    for (const { path, text } of files) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(`${path}.new`, text);
    }
    for (const { path } of files) renameSync(`${path}.new`, path);
  } finally {
    for (const { path } of files) rmSync(`${path}.new`, { force: true });
  }
}
