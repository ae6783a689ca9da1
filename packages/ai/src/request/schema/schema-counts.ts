/** Counts what a schema contains and compares the counts with a vendor's limits. */
import type { SchemaLimits } from "../../catalogue/compat/index.js";
import type { Complete } from "../../utils/complete.js";

const NAMES: Readonly<Record<keyof SchemaLimits, string>> = {
  properties: "properties",
  depth: "levels",
  enumValues: "enum values",
  nameCharacters: "characters in names and enum values",
  optional: "optional properties",
  unions: "unions",
  characters: "characters",
};

export type SchemaCounts = Complete<SchemaLimits>;

export function emptyCounts(): SchemaCounts {
  return { properties: 0, depth: 0, enumValues: 0, nameCharacters: 0, optional: 0, unions: 0, characters: 0 };
}

/** Describes the first count above its limit. */
export function describeExcess(counts: SchemaCounts, limits: SchemaLimits): string | undefined {
  for (const name of Object.keys(NAMES) as (keyof SchemaLimits)[]) {
    const limit = limits[name];
    if (limit !== undefined && counts[name] > limit) {
      return `it has ${counts[name]} ${NAMES[name]}, and the limit is ${limit}`;
    }
  }
  return undefined;
}
