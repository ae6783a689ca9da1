/** Reads the rows of the providers from `data/providers.jsonl`: one line of JSON per row. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface ProviderRow {
  provider: string;
  /** The environment variables that hold its API key, in order of precedence. Empty: the key is an option only. */
  keys: string[];
  /** Its id in the source of prices and limits; for a plan, the id of the plan. Default: the provider. */
  source?: string;
}

export const PROVIDERS_FILE = "data/providers.jsonl";

export function readProviderRows(packageFolder: string): ProviderRow[] {
  const lines = readFileSync(join(packageFolder, PROVIDERS_FILE), "utf8").split("\n");
  return lines.filter((line) => line.trim() !== "").map((line): ProviderRow => JSON.parse(line));
}

export function writeProviderRows(rows: readonly ProviderRow[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

/** The rows in the order of the providers. */
export function sortRows(rows: readonly ProviderRow[]): ProviderRow[] {
  return [...rows].sort((left, right) => (left.provider < right.provider ? -1 : 1));
}
