/** The catalogue's files: the data, and the modules generated from it. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Model } from "../src/types/model.js";
import {
  generateCatalogue,
  generateKeyVariables,
  generateModelIds,
  readGeneratedCatalogue,
} from "./generate-modules.ts";
import { PROVIDERS_FILE, type ProviderRow, sortRows, writeProviderRows } from "./provider-rows.ts";

const DATA = "data/models.jsonl";
const MODULE = "src/models.generated.ts";
const MODEL_IDS = "src/models/model-ids.generated.ts";
const KEY_VARIABLES = "src/env/key-variables.generated.ts";

/** The files that {@link writeCatalogue} writes, relative to the package. */
export const CATALOGUE_FILES: readonly string[] = [DATA, PROVIDERS_FILE, MODULE, MODEL_IDS, KEY_VARIABLES];

/** The models of a package's data file. */
export function readCatalogue(packageFolder: string): Model[] {
  const lines = readFileSync(join(packageFolder, DATA), "utf8").split("\n");
  return lines.filter((line) => line.trim() !== "").map((line): Model => JSON.parse(line));
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
 * @throws Error if a model's provider has no row
 */
export function writeCatalogue(packageFolder: string, models: readonly Model[], rows: readonly ProviderRow[]): void {
  const known = new Set(rows.map((row) => row.provider));
  const unknown = models.find((model) => !known.has(model.provider));
  if (unknown) throw new Error(`${PROVIDERS_FILE} has no row for ${unknown.provider}`);
  const sorted = sortRows(rows);
  const texts = new Map([
    [DATA, models.map((model) => `${JSON.stringify(model)}\n`).join("")],
    [PROVIDERS_FILE, writeProviderRows(sorted)],
    [MODULE, generateCatalogue(models)],
    [MODEL_IDS, generateModelIds(models)],
    [KEY_VARIABLES, generateKeyVariables(sorted)],
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
