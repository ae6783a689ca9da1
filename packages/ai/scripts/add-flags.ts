/** Writes the row of a host in the table of compatibility flags of its api. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readApiRows } from "./api-rows.ts";

export type Flags = Readonly<Record<string, unknown>>;

/** Reads `maxTokensField=max_tokens` or `supportsStore=false`: values are JSON, or texts. */
export function parseFlags(words: readonly string[]): Flags {
  return Object.fromEntries(
    words.map((word) => {
      const [, name, value = ""] = /^(\w+)=(.+)$/s.exec(word) ?? [];
      if (name === undefined) throw new Error(`A flag is written as name=value: ${word}`);
      return [name, parseValue(value)];
    }),
  );
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * The table of an api with a row for the host added.
 *
 * @returns the path of the table, relative to the package, and its new text
 * @throws Error if the api has no compatibility flags, or none of this name
 */
export function withFlags(
  packageFolder: string,
  { api, provider, baseUrl, flags }: { api: string; provider: string; baseUrl: string; flags: Flags },
): { path: string; text: string } {
  const type = readApiRows(packageFolder).find((row) => row.api === api)?.compat;
  if (type === undefined) throw new Error(`${api} has no compatibility flags`);
  const known = namesOf(readFileSync(join(packageFolder, "src/types/compat.ts"), "utf8"), type);
  const wrong = Object.keys(flags).find((name) => !known.includes(name));
  if (wrong !== undefined) throw new Error(`${type} has no flag ${wrong}. There are ${known.join(", ")}`);
  const { path, text } = tableOf(packageFolder, type);
  const when = { providers: [provider], hosts: [new URL(baseUrl).host] };
  const row = `  { when: ${JSON.stringify(when)}, flags: ${JSON.stringify(flags)} },\n`;
  return { path, text: text.replace(TABLE, (table) => table.replace(/\];$/, () => `${row}];`)) };
}

export function writeFlags(packageFolder: string, { path, text }: { path: string; text: string }): void {
  writeFileSync(join(packageFolder, path), text);
}

const TABLE = /^const ROWS: readonly CompatRow<.*?^\];$/ms;

/** The module in `src/compat` that resolves flags of this type. */
function tableOf(packageFolder: string, type: string): { path: string; text: string } {
  const folder = "src/compat";
  for (const name of readdirSync(join(packageFolder, folder))) {
    const path = `${folder}/${name}`;
    const text = readFileSync(join(packageFolder, path), "utf8");
    if (new RegExp(`import type \\{ ${type} \\}`).test(text) && TABLE.test(text)) return { path, text };
  }
  throw new Error(`No module in ${folder} has rows of ${type}`);
}

/** The names of an interface's own fields. */
function namesOf(text: string, type: string): string[] {
  const [body = ""] = new RegExp(`^export interface ${type} .*?^\\}`, "ms").exec(text) ?? [];
  return [...body.matchAll(/^ {2}(\w+)\??:/gm)].map(([, name = ""]) => name);
}
