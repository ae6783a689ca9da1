/** Describes the difference between two states of the catalogue. */
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
  ["removed", "Removed models"],
  ["changed", "Changed prices and limits"],
  ["edited", "Other changed fields"],
  ["missing", "Models that the source does not have: kept"],
  ["unlisted", "Providers that the source does not have: kept"],
];

function describeChange(change: Change): string {
  switch (change.kind) {
    case "added":
      return `${change.provider}/${change.id}${change.like === undefined ? "" : ` (flags of ${change.like})`}`;
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
      return change.provider;
  }
}
