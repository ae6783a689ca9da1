/** Merges headers of one request from several sources. */

/** Headers by name. `null` removes a header that the SDK would add. */
export type HeaderSet = Readonly<Record<string, string | null>>;

/** Headers that list features. The features of all sets are sent. */
const LISTS: ReadonlySet<string> = new Set(["anthropic-beta"]);

/**
 * Merges sets of headers. Later sets override earlier ones, except for lists, which they extend; `null` clears a list too.
 * Names are compared without regard to case.
 */
export function mergeHeaders(...sets: readonly (HeaderSet | undefined)[]): Record<string, string | null> {
  const merged = new Map<string, { name: string; value: string | null }>();
  for (const set of sets)
    for (const [name, value] of Object.entries(set ?? {})) {
      const key = name.toLowerCase();
      // Plain JavaScript may pass undefined.
      if (value === undefined) continue;
      merged.set(
        key,
        LISTS.has(key) ? { name: key, value: extendList(merged.get(key)?.value, value) } : { name, value },
      );
    }
  return Object.fromEntries(Array.from(merged.values(), ({ name, value }) => [name, value]));
}

function extendList(known: string | null | undefined, value: string | null): string | null {
  return known && value !== null ? joinLists(known, value) : value;
}

/** Joins comma-separated lists, each name once. */
export function joinLists(...lists: readonly string[]): string {
  const names = lists.flatMap((list) => list.split(",")).map((name) => name.trim());
  return [...new Set(names.filter(Boolean))].join(",");
}
