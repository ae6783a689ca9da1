/** Describes the difference between two states of the catalogue. */
import { FAMILIES, familyOf } from "../src/catalogue/compat/families.js";
import type { Change } from "./merge-catalogue.ts";

/** Groups the changes by kind, most important first, with a count of each. */
export function describeChanges(changes: readonly Change[]): string {
  const groups = Map.groupBy(changes, (change) => change.kind);
  const sections = KINDS.flatMap(([kind, title]) => {
    const lines = groups.get(kind)?.map(describeChange);
    return lines ? [`${title} (${lines.length})\n${lines.map((line) => `  ${line}\n`).join("")}`] : [];
  });
  return sections.length > 0 ? sections.join("\n") : "No differences.\n";
}

const KINDS: readonly (readonly [Change["kind"], string])[] = [
  ["added", "New models: check the flags, which come from the model named, if any"],
  ["retired", "Models that are gone: kept as retired until a release has said so"],
  ["removed", "Removed models"],
  ["changed", "Changed prices and limits"],
  ["edited", "Other changed fields"],
  ["missing", "Models that the source does not have: kept"],
  ["unlisted", "Providers that the source does not have: kept"],
  ["stranger", "Providers of the source that the table of hosts does not have: left out"],
];

function describeChange(change: Change): string {
  switch (change.kind) {
    case "added":
      return `${change.provider}/${change.id} (${[describeFamily(change.id), ...describeLike(change)].join(", ")})`;
    case "retired":
      return `${change.provider}/${change.id}${change.replacement ? `: ${change.replacement}` : ": no replacement"}`;
    case "edited":
      return `${change.provider}/${change.id}: ${change.names.join(", ")}`;
    case "changed": {
      const fields = change.fields.map(({ field, from, to }) => `${field} ${from} -> ${to}`).join(", ");
      return `${change.provider}/${change.id}: ${fields}${change.hasTiers ? " (price tiers kept: check them)" : ""}`;
    }
    case "missing":
    case "removed":
      return `${change.provider}/${change.id}`;
    case "unlisted":
    case "stranger":
      return change.provider;
  }
}

const describeLike = ({ like }: { like?: string }): string[] => (like === undefined ? [] : [`flags of ${like}`]);

/** The row of `families/` that a model falls into: its family, and which of the rows of that family it is. */
export function describeFamily(id: string): string {
  const row = familyOf({ id });
  if (!row) return "no family";
  const rows = FAMILIES.filter(({ family }) => family === row.family);
  const last = row === rows.at(-1) ? ", the newest" : "";
  return `${row.family}, row ${rows.indexOf(row) + 1} of ${rows.length}${last}`;
}
