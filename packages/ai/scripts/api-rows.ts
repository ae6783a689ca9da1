/** Reads the rows of the built-in apis from `data/apis.jsonl`: one line of JSON per row. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A file under `src/providers`, without its extension, and what it exports. */
export interface ModuleExport {
  name: string;
  module: string;
}

export interface ApiRow {
  /** The registered name, which models carry in `api`. */
  api: string;
  /** Follows `stream` and `streamSimple` in the names of the two functions. */
  name: string;
  /** The package entry that holds this api alone: `pi-ai/<entry>`. */
  entry: string;
  /** The api in the middle of a sentence: `the Anthropic Messages API`. */
  title: string;
  adapter: ModuleExport;
  /** The type of the api's own options, and other public types of the same file. */
  options: ModuleExport & { types?: readonly string[] };
  /** The compatibility flags in `src/types/compat.ts`. Default: none. */
  compat?: string;
}

const FILE = "data/apis.jsonl";

/**
 * The rows in the order of their apis.
 *
 * @throws Error if a field is missing, or if two rows share an api, a name or an entry
 */
export function readApiRows(packageFolder: string): ApiRow[] {
  const lines = readFileSync(join(packageFolder, FILE), "utf8").split("\n");
  const rows = lines.filter((line) => line.trim() !== "").map((line): ApiRow => JSON.parse(line));
  for (const row of rows) checkRow(row);
  for (const field of ["api", "name", "entry"] as const) {
    const repeated = rows.find((row, index) => rows.findIndex((other) => other[field] === row[field]) !== index);
    if (repeated) throw new Error(`${FILE}: two rows have the ${field} ${repeated[field]}`);
  }
  return rows.sort((left, right) => (left.api < right.api ? -1 : 1));
}

export function appendApiRow(packageFolder: string, row: ApiRow): void {
  checkRow(row);
  const path = join(packageFolder, FILE);
  writeFileSync(path, `${readFileSync(path, "utf8").trimEnd()}\n${JSON.stringify(row)}\n`);
}

function checkRow(row: ApiRow): void {
  const { api, name, entry, title, adapter, options } = row;
  const fields = [api, name, entry, title, adapter?.name, adapter?.module, options?.name, options?.module];
  if (fields.every((field) => typeof field === "string" && field !== "")) return;
  throw new Error(`${FILE}: a row needs api, name, entry, title, adapter and options: ${JSON.stringify(row)}`);
}
