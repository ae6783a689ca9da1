/** Generates the modules of the catalogue, and reads the models back from them. */

import type { Accounts } from "../src/catalogue/compat/host.js";
import { unpackProvider, unpackValues } from "../src/catalogue/packed-catalogue.ts";
import type { Model } from "../src/types/model.js";
import { packCatalogue } from "./pack-catalogue.ts";

const HEADER = `// Generated from data/models.jsonl by scripts/update-models.ts; do not edit.
// biome-ignore-all format: one provider a line keeps differences readable.
// biome-ignore-all lint/style/noExcessiveLinesPerFile: data.
// biome-ignore-all lint/complexity/noExcessiveLinesPerFunction: data.
`;

/** `src/models.generated.ts`: the data. */
export function generateCatalogue(models: readonly Model[]): string {
  const { values, providers } = packCatalogue(models);
  const lines = [...providers].map(([provider, packed]) => `      ${JSON.stringify(provider)}: ${quote(packed)},\n`);
  return `/** The built-in models, packed; see \`packed-catalogue.ts\`. */
${HEADER}import type { PackedCatalogue } from "./catalogue/packed-catalogue.js";

export function packedCatalogue(): PackedCatalogue {
  return {
    values: ${quote(values)},
    providers: {
${lines.join("")}    },
  };
}
`;
}

/** `src/catalogue/model-ids.generated.ts`: the types. String unions only, which cost the compiler nothing. */
export function generateModelIds(models: readonly Model[]): string {
  const ids = new Map<string, string[]>();
  const apis = new Map<string, Set<string>>();
  for (const { provider, id, api } of models) {
    ids.set(provider, [...(ids.get(provider) ?? []), id]);
    apis.set(provider, (apis.get(provider) ?? new Set()).add(api));
  }
  return `/** The built-in providers, their models' ids, and their apis. */
${HEADER}
export interface ModelIds {
${toMembers(ids)}}

export interface ProviderApis {
${toMembers(apis)}}
`;
}

/** `src/catalogue/env/key-variables.generated.ts`: the environment variables of each provider's key. */
export function generateKeyVariables(accounts: Accounts): string {
  const members = [...accounts]
    .filter(([, { keys }]) => keys.length > 0)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([provider, { keys }]) => `  ${JSON.stringify(provider)}: ${JSON.stringify(keys)},\n`);
  return `/** Which environment variables hold a provider's API key. */
${HEADER.replace("data/models.jsonl", "src/catalogue/compat/hosts.ts")}import type { Provider } from "../../types/model.js";

/** By provider, in order of precedence. A provider that is not listed takes its key from the options only. */
export const KEY_VARIABLES: Readonly<Record<Provider, readonly string[]>> = {
${members.join("")}};
`;
}

/** The models that {@link generateCatalogue} wrote. */
export function readGeneratedCatalogue(text: string): Model[] {
  const values = unpackValues(unquote(/^ {4}values: '(.*)',$/m.exec(text)?.[1] ?? "[]"));
  return [...text.matchAll(/^ {6}("[^"]+"): '(.*)',$/gm)].flatMap(([, provider = "", packed = ""]) => [
    ...unpackProvider(JSON.parse(provider), unquote(packed), values).values(),
  ]);
}

function toMembers(unions: Map<string, Iterable<string>>): string {
  const toUnion = (members: Iterable<string>): string =>
    [...members].map((member) => JSON.stringify(member)).join(" | ");
  return [...unions].map(([name, members]) => `  ${JSON.stringify(name)}: ${toUnion(members)};\n`).join("");
}

/**
 * JSON as a literal: in single quotes, because JSON has many double ones, and in ASCII, which takes one byte per
 * character.
 */
function quote(value: unknown): string {
  const text = JSON.stringify(value).replace(/[\\']/g, "\\$&");
  const ascii = text.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `'${ascii}'`;
}

/** The JSON in a literal of {@link quote}; its other escapes are also those of JSON. */
function unquote(literal: string): string {
  return literal.replace(/\\([\\'])/g, "$1");
}
