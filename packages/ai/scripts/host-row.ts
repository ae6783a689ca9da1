/** Writes the row of a new host into the table of hosts. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Account, HostFlags } from "../src/catalogue/compat/host.js";
import { readApiRows } from "./api-rows.ts";

export type Flags = Readonly<Record<string, unknown>>;

export const HOSTS_FILE = "src/catalogue/compat/hosts.ts";

/** The rows of servers on this machine are the last ones. */
const END = "  // Servers on this machine:";

/** The column of a row that holds the flags of an api, by the public type of the flags. */
const COLUMNS: Readonly<Record<string, { column: keyof HostFlags; type: string }>> = {
  OpenAICompletionsCompat: { column: "chat", type: "CompletionsFlags" },
  OpenAIResponsesCompat: { column: "responses", type: "ResponsesFlags" },
};

interface Place {
  column: keyof HostFlags;
  /** The type of the column. */
  type: string;
  /** The public type of the flags. */
  compat: string;
}

export interface NewHost {
  provider: string;
  api: string;
  account: Account;
  baseUrl: string;
  flags: Flags;
  /** The page that the facts are from, with its date. */
  page: string;
}

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
 * The text of the table with one more row.
 *
 * @throws Error if the api has no flags in the table, or none of this name, or if the flag is a function
 */
export function withHost(packageFolder: string, { provider, api, account, baseUrl, flags, page }: NewHost): string {
  const { keys, listing } = account;
  const place = placeOf(packageFolder, api);
  checkFlags(packageFolder, api, flags);
  // A key and a retention that the host may not know are sent only if somebody states it.
  const stated = { supportsLongCacheRetention: false, ...flags };
  const row = {
    accounts: { [provider]: { keys, url: api === "openai-completions" ? baseUrl : { [api]: baseUrl }, listing } },
    hosts: [new URL(baseUrl).host],
    ...(place ? { [place.column]: stated } : {}),
  };
  const text = readFileSync(join(packageFolder, HOSTS_FILE), "utf8");
  return text.replace(END, () => `  // ${page}.\n  ${JSON.stringify(row)},\n${END}`);
}

function placeOf(packageFolder: string, api: string): Place | undefined {
  const type = readApiRows(packageFolder).find((row) => row.api === api)?.compat ?? "";
  const place = COLUMNS[type];
  return place && { ...place, compat: type };
}

function checkFlags(packageFolder: string, api: string, flags: Flags): void {
  if (Object.keys(flags).length === 0) return;
  const place = placeOf(packageFolder, api);
  if (!place) throw new Error(`The table of hosts has no flags of ${api}`);
  const hostType = readFileSync(join(packageFolder, "src/catalogue/compat/host.ts"), "utf8");
  const own = namesOf(hostType, place.type);
  const code = Object.keys(flags).find((name) => own.includes(name) && isFunction(hostType, name));
  if (code !== undefined)
    throw new Error(`${code} is a function: leave it out here, and write it into the new row of ${HOSTS_FILE}`);
  const known = [...own, ...namesOf(readFileSync(join(packageFolder, "src/types/compat.ts"), "utf8"), place.compat)];
  const wrong = Object.keys(flags).find((name) => !known.includes(name));
  if (wrong !== undefined) {
    throw new Error(`A host has no fact ${wrong}. There are ${[...new Set(known)].sort().join(", ")}`);
  }
}

function isFunction(text: string, field: string): boolean {
  return new RegExp(`^ {2}${field}\\??: \\(.*=>`, "m").test(text);
}

/** The names of an interface's own fields. */
function namesOf(text: string, type: string): string[] {
  const [body = ""] = new RegExp(`^export interface ${type}\\b.*?^\\}`, "ms").exec(text) ?? [];
  return [...body.matchAll(/^ {2}(\w+)\??:/gm)].map(([, name = ""]) => name);
}
