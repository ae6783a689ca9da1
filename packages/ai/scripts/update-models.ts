/**
 * Refreshes the model catalogue from https://models.dev/api.json and prints what became different.
 *
 *   --from <file>  take a saved copy of the source
 *   --offline      take no source: only generate the modules again, after an edit of data/models.jsonl
 *   --dry-run      print, but write nothing
 *
 * Nothing is written unless everything went well.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readCatalogue, writeCatalogue } from "./catalogue-files.ts";
import { describeChanges } from "./describe-changes.ts";
import { type MergedCatalogue, mergeCatalogue } from "./merge-catalogue.ts";
import { MODELS_DEV_URL, parseSource } from "./models-dev.ts";

export interface UpdateOptions {
  /** The folder that holds `data` and `src`. */
  packageFolder: string;
  /** A saved copy of the source. Default: it is fetched. */
  from?: string | undefined;
  offline?: boolean | undefined;
  dryRun?: boolean | undefined;
  /** Makes the request. Default: the global one. */
  fetch?: typeof globalThis.fetch;
}

/** Refreshes the files and returns the difference as text. */
export async function updateModels(options: UpdateOptions): Promise<string> {
  const models = readCatalogue(options.packageFolder);
  const { models: merged, changes }: MergedCatalogue = options.offline
    ? { models, changes: [] }
    : mergeCatalogue(models, parseSource(await readSource(options)));
  if (!options.dryRun) writeCatalogue(options.packageFolder, merged);
  return describeChanges(changes);
}

async function readSource({ from, fetch = globalThis.fetch }: UpdateOptions): Promise<unknown> {
  if (from !== undefined) return JSON.parse(readFileSync(from, "utf8"));
  const response = await fetch(MODELS_DEV_URL, { signal: AbortSignal.timeout(60_000) });
  if (!response.ok) throw new Error(`${MODELS_DEV_URL} answered with status ${response.status}`);
  return response.json();
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { from: { type: "string" }, offline: { type: "boolean" }, "dry-run": { type: "boolean" } },
  });
  const packageFolder = fileURLToPath(new URL("..", import.meta.url));
  const { from, offline, "dry-run": dryRun } = values;
  process.stdout.write(await updateModels({ packageFolder, from, offline, dryRun }));
}
