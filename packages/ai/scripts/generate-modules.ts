/** The text of the two modules that are generated from the data. */
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
${HEADER}import type { PackedCatalogue } from "./models/packed-catalogue.js";

export function packedCatalogue(): PackedCatalogue {
  return {
    values: ${quote(values)},
    providers: {
${lines.join("")}    },
  };
}
`;
}

/** `src/models/model-ids.generated.ts`: the types. String unions only, which cost the compiler nothing. */
export function generateModelIds(models: readonly Model[]): string {
  const ids = new Map<string, string[]>();
  const apis = new Map<string, Set<string>>();
  for (const { provider, id, api } of models) {
    ids.set(provider, [...(ids.get(provider) ?? []), id]);
    apis.set(provider, (apis.get(provider) ?? new Set()).add(api));
  }
  return `/** The built-in providers, their models' ids, and the wire protocols that they speak. */
${HEADER}
export interface ModelIds {
${toMembers(ids)}}

export interface ProviderApis {
${toMembers(apis)}}
`;
}

function toMembers(unions: Map<string, Iterable<string>>): string {
  const toUnion = (members: Iterable<string>): string =>
    [...members].map((member) => JSON.stringify(member)).join(" | ");
  return [...unions].map(([name, members]) => `  ${JSON.stringify(name)}: ${toUnion(members)};\n`).join("");
}

/** JSON as a literal; in single quotes, as JSON has many double ones, and in ASCII, which takes one byte a character. */
function quote(value: unknown): string {
  const text = JSON.stringify(value).replace(/[\\']/g, "\\$&");
  const ascii = text.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `'${ascii}'`;
}
