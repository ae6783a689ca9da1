/**
 * Refreshes the model catalogue from https://models.dev/api.json, and prints the differences and what else a person must
 * decide: the models of the vendors' SDKs that the catalogue lacks.
 *
 *   --from <file>  use a saved copy of the source, or a whole catalogue with one model a line, as in data/models.jsonl;
 *                  its models that are gone become retired
 *   --package <name> use the catalogue that the newest version of an npm package has (@earendil-works/pi-ai), in the same way
 *   --drop-retired with such a catalogue: removes what was retired before, once a release has said so
 *   --offline      use no source: sort the data, and generate the modules after an edit of data/models.jsonl or of
 *                  src/catalogue/compat/hosts.ts
 *   --dry-run      print, but write nothing
 *
 * Nothing is written if anything fails.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { printHelpIfAsked } from "../../../scripts/help.ts";
import type { Accounts } from "../src/catalogue/compat/host.js";
import { allAccounts } from "../src/catalogue/compat/host-rows.ts";
import type { Model } from "../src/types/model.js";
import { readCatalogue, readWrittenCatalogue, writeCatalogue } from "./catalogue-files.ts";
import { isCatalogueText, parseCatalogue } from "./catalogue-source.ts";
import { compareCatalogues } from "./compare-catalogues.ts";
import { describeChanges } from "./describe-changes.ts";
import { type Change, type MergedCatalogue, mergeCatalogue, toCatalogue } from "./merge-catalogue.ts";
import { mergeModels } from "./merge-models.ts";
import { MODELS_DEV_URL, parseSource } from "./models-dev.ts";
import { readPackage, type Unpack } from "./package-source.ts";
import { describeSdkModels, missingSdkModels } from "./sdk-models.ts";

export interface UpdateOptions {
  /** The folder that contains `data` and `src`. */
  packageFolder: string;
  /** A saved copy of the source. Default: fetched. */
  from?: string | undefined;
  /** The npm package whose catalogue is the source. */
  package?: string | undefined;
  /** Downloads that package. Default: npm does. */
  unpack?: Unpack;
  offline?: boolean | undefined;
  /** Remove the models that were retired before; only with a whole catalogue. */
  dropRetired?: boolean | undefined;
  dryRun?: boolean | undefined;
  /** Default: those of the table of hosts. */
  accounts?: Accounts;
  /** Sends the request. Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch;
}

/** Refreshes the files and returns the difference as text. */
export async function updateModels(options: UpdateOptions): Promise<string> {
  const { packageFolder, accounts = allAccounts() } = options;
  const models = readCatalogue(packageFolder, accounts);
  const edits = editsOf(packageFolder, models);
  const { models: merged, changes } = options.offline ? edits : await mergeSource(edits.models, options, accounts);
  if (!options.dryRun) writeCatalogue(packageFolder, merged, accounts);
  return describeChanges(changes);
}

/** The edits of the data since the modules were generated. */
function editsOf(packageFolder: string, models: readonly Model[]): MergedCatalogue {
  const sorted = toCatalogue(models);
  return { models: sorted, changes: compareCatalogues(readWrittenCatalogue(packageFolder), sorted) };
}

async function mergeSource(models: Model[], options: UpdateOptions, accounts: Accounts): Promise<MergedCatalogue> {
  const { from, fetch, dropRetired } = options;
  if (options.package !== undefined) {
    const source = parseCatalogue(readPackage(options.package, options.unpack));
    const known = new Map([...source].filter(([provider]) => accounts.has(provider)));
    const others = [...source.keys()].filter((provider) => !accounts.has(provider));
    const { models: merged, changes } = mergeModels(models, known, { dropRetired });
    return {
      models: merged,
      changes: [...changes, ...others.map((provider): Change => ({ kind: "stranger", provider }))],
    };
  }
  if (from === undefined) return mergeCatalogue(models, parseSource(await fetchSource(fetch)), accounts);
  const text = readFileSync(from, "utf8");
  if (isCatalogueText(text)) return mergeModels(models, parseCatalogue(text), { dropRetired });
  return mergeCatalogue(models, parseSource(JSON.parse(text)), accounts);
}

async function fetchSource(fetch = globalThis.fetch): Promise<unknown> {
  const response = await fetch(MODELS_DEV_URL, { signal: AbortSignal.timeout(60_000) });
  if (!response.ok) throw new Error(`${MODELS_DEV_URL} responded with status ${response.status}`);
  return response.json();
}

if (import.meta.main) {
  printHelpIfAsked(import.meta.filename);
  const { values } = parseArgs({
    options: {
      from: { type: "string" },
      package: { type: "string" },
      offline: { type: "boolean" },
      "drop-retired": { type: "boolean" },
      "dry-run": { type: "boolean" },
    },
  });
  const packageFolder = fileURLToPath(new URL("..", import.meta.url));
  const { "drop-retired": dropRetired, "dry-run": dryRun, ...rest } = values;
  process.stdout.write(await updateModels({ packageFolder, dropRetired, dryRun, ...rest }));
  const missing = missingSdkModels(
    readCatalogue(packageFolder),
    fileURLToPath(new URL("../node_modules", import.meta.url)),
  );
  process.stdout.write(describeSdkModels(missing));
}
